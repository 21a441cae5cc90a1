//! Phone numbers, brought to E.164 before anything else looks at them.

use abide_engine::base::Problem;
use rlibphonenumber::enums::Region;
use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberFormat};

/// Digits of an E.164 number; fewer is a short code or a typing error.
const DIGITS: std::ops::RangeInclusive<usize> = 8..=15;

/// The number in E.164; a local one is read as one of the United States.
///
/// # Errors
/// `invalid_phone` for a text that is no number.
pub fn e164(text: &str) -> Result<String, Problem> {
    let invalid = || {
        let shown: String = text.chars().take(40).collect();
        Problem::caller("invalid_phone", format!("`{shown}` is not a phone number"))
            .with_hint("write it with its country, such as `+15125550100`")
    };
    let number = PHONE_NUMBER_UTIL.parse(text, Some(Region::US)).map_err(|_| invalid())?;
    let written = number.format_as(PhoneNumberFormat::E164).to_string();
    let digits = written.chars().filter(char::is_ascii_digit).count();
    if DIGITS.contains(&digits) { Ok(written) } else { Err(invalid()) }
}

#[cfg(test)]
mod tests {
    use super::e164;

    #[test]
    fn numbers_become_e164_or_are_refused() {
        let cases = [
            ("+15125550100", Some("+15125550100")),
            ("+1 (512) 555-0100", Some("+15125550100")),
            ("512-555-0100", Some("+15125550100")),
            ("+61400123456", Some("+61400123456")),
            ("Ana", None),
            ("", None),
            ("12", None),
            ("+1512555010012345678", None),
        ];
        for (text, expected) in cases {
            assert_eq!(e164(text).ok().as_deref(), expected, "{text}");
        }
    }
}
