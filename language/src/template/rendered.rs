//! Rendered messages, the only outbound messages, and the clean-up of the values inserted into them.

use serde_json::Value;

use super::segments::{Segments, segments};

/// A message rendered from a checked template. The outbox accepts no other kind of message.
///
/// Only the module `template` can create a `Rendered`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    template: String,
    body: String,
    segments: Segments,
}

impl Rendered {
    pub(super) fn new(template: &str, body: String) -> Self {
        let segments = segments(&body);
        Self { template: template.to_owned(), body, segments }
    }

    /// Returns the name of the template from which the message was rendered.
    #[must_use]
    pub fn template(&self) -> &str {
        &self.template
    }

    /// Returns the body of the message as it is sent.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.body
    }

    /// Returns the number of segments that carriers bill for the message, and their encoding.
    #[must_use]
    pub fn segments(&self) -> Segments {
        self.segments
    }
}

/// Returns a copy of the data in which every string is safe inside one line of a message.
///
/// Invisible characters that reorder text are removed. Control characters and white space become one
/// space, so that a name cannot fake a second line. Typographic quotes, dashes and ellipses become ASCII,
/// because they are outside GSM-7: a single such character would
/// more than halve the capacity of every segment.
pub(super) fn neutralise(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(plain(text)),
        Value::Array(items) => Value::Array(items.iter().map(neutralise).collect()),
        Value::Object(members) => Value::Object(
            members.iter().map(|(name, value)| (name.clone(), neutralise(value))).collect(),
        ),
        other => other.clone(),
    }
}

fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{200b}' | '\u{feff}' | '\u{61c}' | '\u{200e}' | '\u{200f}' => {}
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            '‘' | '’' | 'ʼ' | '′' | '`' => out.push('\''),
            '“' | '”' | '″' => out.push('"'),
            '‐'..='―' => out.push('-'),
            '…' => out.push_str("..."),
            c if c.is_whitespace() || c.is_control() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c => out.push(c),
        }
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_cannot_bring_lines_controls_or_costly_quotes() {
        for (given, plain) in [
            ("Ana", "Ana"),
            ("  Ana \t\r\n Diaz ", "Ana Diaz"),
            ("A\u{0}na", "A na"),
            ("\u{1b}[31mAna", "[31mAna"),
            ("O’Brien “Bob” — yes…", "O'Brien \"Bob\" - yes..."),
            ("\u{202e}anA\u{202c}", "anA"),
            ("\u{feff}José\u{200b} \u{1f600}", "José \u{1f600}"),
            ("a\u{2028}b\u{a0}c", "a b c"),
            ("", ""),
        ] {
            assert_eq!(super::plain(given), plain, "{given:?}");
        }
    }

    #[test]
    fn neutralising_reaches_every_depth_and_keeps_the_rest() {
        let data = json!({"a": ["x\ny", {"b": "c\u{0}"}], "n": 3, "z": null, "t": true});
        let clean = json!({"a": ["x y", {"b": "c"}], "n": 3, "z": null, "t": true});
        assert_eq!(neutralise(&data), clean);
    }
}
