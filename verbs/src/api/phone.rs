//! Converts phone numbers of people to E.164.

use abide_engine::base::Problem;
use abide_engine::phone::{self, PhoneFault};
use abide_engine::policy::Region;

/// Maximum number of characters of an input that an error message quotes.
const SHOWN_CHARS_MAX: usize = 40;

/// Converts a phone number to E.164, as [`phone::e164`] does. A number without a country code is one of the
/// region.
///
/// # Errors
/// `invalid_phone` if the string is not a phone number, or is a number that no country assigns.
pub fn e164(text: &str, region: Region) -> Result<String, Problem> {
    phone::e164(text, region).map_err(|fault| {
        let shown: String = text.chars().take(SHOWN_CHARS_MAX).collect();
        let (message, hint) = match fault {
            PhoneFault::Unreadable => (
                format!("`{shown}` is not a phone number"),
                match region {
                    Region::Us => "write it with its country code, such as `+15125550100`",
                    Region::Au => "write it with its country code, such as `+61400123456`",
                },
            ),
            PhoneFault::Unassigned(written) => (
                format!("`{shown}` is not a valid phone number: no country assigns {written}"),
                match region {
                    Region::Us => "write it in full: `512-555-0100`, or `+61400123456` abroad",
                    Region::Au => "write it in full: `0400 123 456`, or `+15125550100` abroad",
                },
            ),
        };
        Problem::caller("invalid_phone", message).with_hint(hint)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_e164_or_are_refused() {
        let cases = [
            ("+15125550100", Some("+15125550100"), Some("+15125550100")),
            ("+1 (512) 555-0100", Some("+15125550100"), Some("+15125550100")),
            ("512-555-0100", Some("+15125550100"), None),
            ("+61400123456", Some("+61400123456"), Some("+61400123456")),
            ("0400 123 456", None, Some("+61400123456")),
            ("Ana", None, None),
            ("", None, None),
            ("12", None, None),
            ("+1512555010012345678", None, None),
        ];
        for (text, us, au) in cases {
            assert_eq!(e164(text, Region::Us).ok().as_deref(), us, "{text}");
            assert_eq!(e164(text, Region::Au).ok().as_deref(), au, "{text}");
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
            let refused = e164(text, Region::Us).expect_err(text);
            assert_eq!(refused.code, "invalid_phone", "{text}");
            let told = format!("`{text}` is not a valid phone number: no country assigns {read}");
            assert_eq!(refused.message, told);
        }
    }

    #[test]
    fn numbers_reserved_for_fiction_are_taken_with_their_area_code() {
        for last in 0..100 {
            let fictional = format!("+151255501{last:02}");
            assert_eq!(e164(&fictional, Region::Us), Ok(fictional));
        }
    }
}
