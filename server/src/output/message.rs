//! Formatting messages as a table.

use serde_json::Value;

use super::members::text;
use super::table;
use super::times::TimeFormat;

/// Formats a table of messages, in the sequence of `messages`.
#[must_use]
pub(crate) fn list(messages: &[Value], times: &TimeFormat) -> String {
    table(
        ["at", "from", "to", "kind", "state", "text"],
        messages.iter().map(|message| {
            [
                times.local(text(message, "created_at")),
                text(message, "from").to_owned(),
                text(message, "to").to_owned(),
                text(message, "kind").to_owned(),
                text(message, "state").to_owned(),
                one_line(text(message, "body")),
            ]
        }),
    )
}

/// Puts the body of a message on one line, and cuts it to 80 characters.
pub(super) fn one_line(body: &str) -> String {
    const CHARS_MAX: usize = 80;
    let flat = body.split_whitespace().collect::<Vec<_>>().join(" ");
    if flat.chars().count() <= CHARS_MAX {
        return flat;
    }
    let cut: String = flat.chars().take(CHARS_MAX - 1).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_and_line_ends_become_spaces() {
        assert_eq!(one_line("Hi\nAna"), "Hi Ana");
        let cut = one_line(&"word ".repeat(40));
        assert_eq!(cut.chars().count(), 80);
        assert!(cut.ends_with('…'));
    }
}
