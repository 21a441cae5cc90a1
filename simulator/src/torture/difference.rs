//! What two states do not share.

use std::collections::BTreeMap;

/// The lines that only one of two states has: `-` those that are missing, `+` those that are too many,
/// each next to what it may have been.
#[must_use]
pub fn difference(expected: &[String], found: &[String]) -> Vec<String> {
    let mut balance: BTreeMap<&str, i64> = BTreeMap::new();
    for line in expected {
        *balance.entry(line).or_default() -= 1;
    }
    for line in found {
        *balance.entry(line).or_default() += 1;
    }
    let told = |(line, n): (&str, i64)| {
        let sign = if n < 0 { '-' } else { '+' };
        std::iter::repeat_n(format!("{sign} {line}"), usize::try_from(n.abs()).unwrap_or(0))
    };
    balance.into_iter().flat_map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn only_what_is_not_shared_is_told_as_often_as_it_is_so() {
        for (expected, found, told) in [
            ("a b c", "c b a", ""),
            ("a b", "a c", "- b,+ c"),
            ("a a b", "a", "- a,- b"),
            ("a", "a b b", "+ b,+ b"),
        ] {
            let difference = difference(&lines(expected), &lines(found)).join(",");
            assert_eq!(difference, told, "{expected} / {found}");
        }
    }
}
