//! Amounts of money in a text, as decimals: "$1,250.50" is "1250.50".

use super::tag::{Said, Tag, Tagged};

/// Words after an amount.
const UNITS: &[&str] = &["dollars", "dollar", "bucks", "aud", "grand", "dollarydoos"];
/// Words of tax after an amount: "450 plus gst".
const TAX: &[&str] = &["plus", "inc", "incl", "ex"];
/// Words before an amount.
const BEFORE: &[&str] = &["price", "at", "paid", "deposit"];
/// Maximum number of characters of an amount.
const CHARS_MAX: usize = 16;

/// Finds the amounts.
pub(super) fn find(text: &Tagged<'_>) -> Vec<Said> {
    let mut found = Vec::new();
    for (at, tag) in text.tags.iter().enumerate() {
        if *tag != Tag::Word {
            continue;
        }
        let word = text.word(at);
        let after = text.word(at + 1);
        let marked = word.strip_prefix("a$").or_else(|| word.strip_prefix('$'));
        let end = at + 1 + usize::from(UNITS.contains(&after));
        let times = if after == "grand" { 1_000 } else { 1 };
        let taxed = TAX.contains(&after) && text.word(at + 2) == "gst";
        let told = BEFORE.contains(&text.before(at)) && word.contains('.');
        let named = UNITS.contains(&after) || taxed || told || after == "each" || after == "ea";
        if let Some(value) =
            marked.or_else(|| named.then_some(word)).and_then(|it| decimal(it, times))
        {
            found.push(Said { tokens: at..end, value });
        }
    }
    found
}

/// Returns an amount with at most two digits after the point.
fn decimal(figure: &str, times: u64) -> Option<String> {
    if figure.is_empty() || figure.len() > CHARS_MAX {
        return None;
    }
    let (figure, times) = match figure.strip_suffix('k') {
        Some(thousands) => (thousands, times * 1_000),
        None => (figure, times),
    };
    let plain = figure.replace(',', "");
    let (whole, cents) = plain.split_once('.').unwrap_or((&plain, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(cents) {
        return None;
    }
    if times == 1 {
        return (cents.len() <= 2)
            .then(|| if cents.is_empty() { whole.to_owned() } else { plain.clone() });
    }
    // "1.2k" is 1200.
    let padded = format!("{cents:0<3}");
    let whole: u64 = whole.parse().ok()?;
    let thousandths: u64 = padded.get(..3)?.parse().ok()?;
    whole.checked_mul(times)?.checked_add(thousandths * times / 1_000).map(|it| it.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::testing::tagged;

    #[test]
    fn amounts_are_decimals() {
        let cases = [
            ("ridge capping $1,250.50", "1250.50"),
            ("450 dollars for gutters", "450"),
            ("$1.2k deposit", "1200"),
            ("3 grand", "3000"),
            ("450 plus gst", "450"),
        ];
        for (text, expected) in cases {
            let found = tagged(text).money;
            assert_eq!(found.first().map(|it| it.value.as_str()), Some(expected), "{text}");
        }
        assert!(tagged("call 5 people").money.is_empty());
    }
}
