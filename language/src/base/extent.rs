//! Checks the size and the nesting of values from outside, without copying the values.

use std::io::{Error, Write};

use serde::Serialize;

use super::{Value, limits};

/// Returns the reason to reject a value: it is nested deeper than [`limits::VALUE_DEPTH_MAX`],
/// or its JSON has more than `bytes` bytes. Returns `None` if the value is accepted.
///
/// The check stops as soon as a limit is exceeded, so a huge value costs no more than a value at the limit.
#[must_use]
pub fn excess(value: &Value, bytes: usize) -> Option<String> {
    too_deep(value).or_else(|| too_long(value, bytes))
}

/// Returns the reason to reject a value that is nested too deeply; `None` for any other value.
#[must_use]
pub fn too_deep(value: &Value) -> Option<String> {
    let most = limits::VALUE_DEPTH_MAX;
    (!is_nested_within(value, most)).then(|| format!("is nested deeper than {most}"))
}

/// Returns the reason to reject a value whose JSON has more than `bytes` bytes; `None` for any other value.
///
/// The serializer recurses, so the nesting of `value` must already be bounded.
#[must_use]
pub fn too_long(value: &impl Serialize, bytes: usize) -> Option<String> {
    let written = serde_json::to_writer(Room { left: bytes }, value);
    written.is_err().then(|| format!("takes more than {bytes} bytes as JSON"))
}

fn is_nested_within(value: &Value, levels: usize) -> bool {
    let mut inner: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => return true,
    };
    levels > 0 && inner.all(|value| is_nested_within(value, levels - 1))
}

/// A writer that counts bytes and discards them. It fails when more than `left` bytes are written.
struct Room {
    left: usize,
}

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        self.left =
            self.left.checked_sub(bytes.len()).ok_or_else(|| Error::other("over the limit"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn nested(levels: usize) -> Value {
        (0..levels).fold(Value::Null, |inner, _| json!([inner]))
    }

    #[test]
    fn the_limit_is_accepted_and_one_above_it_refused() {
        for value in [json!("ä\"\n"), json!({"a": [1, null, 2.5]}), json!([])] {
            let bytes = value.to_string().len();
            assert_eq!(excess(&value, bytes), None, "{value}");
            let refused = excess(&value, bytes - 1).expect("one byte too many");
            assert!(refused.contains(&(bytes - 1).to_string()), "{refused}");
        }
        assert_eq!(excess(&nested(limits::VALUE_DEPTH_MAX), 1_000), None);
        let refused = excess(&nested(limits::VALUE_DEPTH_MAX + 1), 1_000).expect("too deep");
        assert!(refused.contains("deeper than 64"), "{refused}");
    }
}
