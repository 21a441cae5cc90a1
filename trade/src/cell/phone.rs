//! Converts phone numbers to E.164, the form in which they are stored and compared.

use rlibphonenumber::enums::Region;
use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberFormat};

/// The country whose code is assumed for a number without a country code.
const REGION: Region = Region::AU;

/// Converts a phone number to E.164. Assumes Australia if the number has no country code.
///
/// # Errors
/// A sentence without its subject, if the string is not a phone number, or is one that no country assigns.
pub fn e164(text: &str) -> Result<String, String> {
    let number = PHONE_NUMBER_UTIL
        .parse(text, Some(REGION))
        .map_err(|_| "is not a phone number such as `0400 123 456`")?;
    let written = number.format_as(PhoneNumberFormat::E164).to_string();
    if number.is_valid() {
        Ok(written)
    } else {
        Err(format!("is not a valid phone number: no country assigns {written}"))
    }
}

#[cfg(test)]
mod tests {
    use super::e164;

    #[test]
    fn numbers_become_e164_or_are_refused() {
        let cases = [
            ("0400 123 456", Some("+61400123456")),
            ("+61 400 123 456", Some("+61400123456")),
            ("(07) 3000 1234", Some("+61730001234")),
            ("+1 512-555-0100", Some("+15125550100")),
            ("123", None),
            ("Ana", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(e164(text).ok().as_deref(), expected, "{text}");
        }
    }
}
