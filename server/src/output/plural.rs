//! Puts the noun after a number into the singular or the plural.

use std::fmt::Display;

/// Formats a number with a noun: `1 file`, `3 files`, `2 crashes`.
#[must_use]
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(n: N, what: &str) -> String {
    match what.strip_suffix("ry") {
        _ if n == N::from(1) => format!("{n} {what}"),
        Some(stem) => format!("{n} {stem}ries"),
        _ if what.ends_with("sh") => format!("{n} {what}es"),
        _ => format!("{n} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!(counted(0, "row"), "0 rows");
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(counted(2, "row"), "2 rows");
        assert_eq!(counted(2, "crash"), "2 crashes");
        assert_eq!(counted(2, "story"), "2 stories");
    }
}
