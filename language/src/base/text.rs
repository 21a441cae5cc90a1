//! Makes strings from outside safe to store and to quote.

use serde::Serialize;

use super::Value;

/// Serializes plain data, whose map keys are strings, as JSON.
///
/// The function avoids the detour through [`Value`] or `Display`,
/// which would slow down the commit of every step.
#[must_use]
pub fn json<T: Serialize + ?Sized>(data: &T) -> String {
    serde_json::to_string(data).unwrap_or_default()
}

/// Cuts a string to at most `chars` characters by replacing its middle with `…`.
///
/// An error message has its subject at the beginning and its reason at the end, so both are kept.
/// The running time depends on the length of the result, not on the length of the input.
#[must_use]
pub fn shortened(text: &str, chars: usize) -> String {
    if text.char_indices().nth(chars).is_none() {
        return text.to_owned();
    }
    let kept = chars.saturating_sub(1);
    let tail = kept / 2;
    let head: String = text.chars().take(kept - tail).collect();
    let from = text.char_indices().rev().take(tail).last().map_or(text.len(), |(at, _)| at);
    format!("{head}…{}", &text[from..])
}

/// Replaces every U+0000 in a string with U+FFFD, because PostgreSQL cannot store U+0000.
#[must_use]
pub fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{FFFD}") } else { text }
}

/// Replaces U+0000 with U+FFFD in every string of a value, including keys.
pub fn replace_nul(value: &mut Value) {
    match value {
        Value::String(text) => *text = without_nul(std::mem::take(text)),
        Value::Array(items) => items.iter_mut().for_each(replace_nul),
        Value::Object(members) => {
            if members.keys().any(|key| key.contains('\0')) {
                let named = std::mem::take(members).into_iter();
                *members = named.map(|(key, value)| (without_nul(key), value)).collect();
            }
            members.values_mut().for_each(replace_nul);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        let cases = [
            ("", 0, ""),
            ("abc", 3, "abc"),
            ("abcd", 3, "a…d"),
            ("abcde", 4, "ab…e"),
            ("äöüßäöüß", 5, "äö…üß"),
            ("abc", 1, "…"),
        ];
        for (text, chars, expected) in cases {
            assert_eq!(shortened(text, chars), expected, "{text:?} to {chars}");
        }
    }

    #[test]
    fn nul_becomes_the_replacement_character_in_keys_and_values() {
        let mut value = serde_json::json!({"a\0": ["b\0", {"c": "\0"}], "d": 1});
        replace_nul(&mut value);
        let expected = serde_json::json!({"a\u{fffd}": ["b\u{fffd}", {"c": "\u{fffd}"}], "d": 1});
        assert_eq!(value, expected);
    }
}
