//! Addresses of email in a text.

use super::tag::{Said, Tagged};

/// Maximum number of characters of an address.
const CHARS_MAX: usize = 254;

/// Finds the addresses.
pub(super) fn find(text: &Tagged<'_>) -> Vec<Said> {
    let is_address = |word: &str| {
        let Some((user, host)) = word.split_once('@') else { return false };
        let (name, end) = host.rsplit_once('.').unwrap_or_default();
        word.len() <= CHARS_MAX
            && !user.is_empty()
            && !name.is_empty()
            && end.len() >= 2
            && !host.contains('@')
    };
    let addresses = text.tokens.iter().enumerate().filter(|(_, it)| is_address(&it.word));
    addresses.map(|(at, it)| Said { tokens: at..at + 1, value: it.word.clone() }).collect()
}
