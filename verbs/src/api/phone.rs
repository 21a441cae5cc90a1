//! Converts phone numbers to E.164, the form in which abide stores and compares them.

use abide_engine::base::Problem;
use rlibphonenumber::enums::Region;
use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberFormat};

/// The country whose code is assumed for a number without a country code.
const REGION: Region = Region::US;
/// Maximum number of characters of an input that an error message quotes.
const SHOWN_CHARS_MAX: usize = 40;

/// Converts a phone number to E.164. Assumes the United States if the number has no country code.
///
/// The number must be complete. `555-0101` can be parsed, but is rejected because it has no area code:
/// it reaches no one, and people in two towns could give the same number.
/// Numbers that are reserved for fiction, such as `512-555-0101`, are accepted.
///
/// # Errors
/// `invalid_phone` if the string is not a phone number, or is a number that no country assigns.
pub fn e164(text: &str) -> Result<String, Problem> {
    let shown = || text.chars().take(SHOWN_CHARS_MAX).collect::<String>();
    let number = PHONE_NUMBER_UTIL.parse(text, Some(REGION)).map_err(|_| {
        Problem::caller("invalid_phone", format!("`{}` is not a phone number", shown()))
            .with_hint("write it with its country code, such as `+15125550100`")
    })?;
    let written = number.format_as(PhoneNumberFormat::E164).to_string();
    if number.is_valid() {
        return Ok(written);
    }
    let message =
        format!("`{}` is not a valid phone number: no country assigns {written}", shown());
    Err(Problem::caller("invalid_phone", message)
        .with_hint("write it in full: `512-555-0100` in the United States, else `+61400123456`"))
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

    #[test]
    fn a_number_that_merely_parses_is_refused_with_what_it_was_read_as() {
        for (text, read) in [
            ("555-0101", "+15550101"),
            ("+15550101", "+15550101"),
            ("0400 123 456", "+10400123456"),
            ("000-555-0101", "+10005550101"),
            ("512-055-0101", "+15120550101"),
        ] {
            let refused = e164(text).expect_err(text);
            assert_eq!(refused.code, "invalid_phone", "{text}");
            let told = format!("`{text}` is not a valid phone number: no country assigns {read}");
            assert_eq!(refused.message, told);
        }
    }

    #[test]
    fn numbers_reserved_for_fiction_are_taken_with_their_area_code() {
        for last in 0..100 {
            let fictional = format!("+151255501{last:02}");
            assert_eq!(e164(&fictional), Ok(fictional));
        }
    }
}
