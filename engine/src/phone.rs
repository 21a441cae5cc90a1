//! Converts phone numbers to E.164, the form in which all domains store and compare them.

use rlibphonenumber::enums::Region as Country;
use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberFormat};

use crate::policy::Region;

/// The reason why a string is not the number of a phone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PhoneFault {
    /// The string cannot be read as a phone number.
    Unreadable,
    /// No country assigns the number that was read, which is given in E.164.
    Unassigned(String),
}

/// Converts a phone number to E.164. A number without a country code is one of the region.
///
/// The number must be complete. `555-0101` can be read, but no country assigns it, because it has no area code:
/// it reaches no one, and people in two towns could give the same number. Numbers that are reserved for
/// fiction, such as `512-555-0101`, are accepted.
///
/// # Errors
/// The reason why the string is not the number of a phone.
pub fn e164(text: &str, region: Region) -> Result<String, PhoneFault> {
    let country = match region {
        Region::Us => Country::US,
        Region::Au => Country::AU,
    };
    let number = PHONE_NUMBER_UTIL.parse(text, Some(country));
    let number = number.map_err(|_| PhoneFault::Unreadable)?;
    let written = number.format_as(PhoneNumberFormat::E164).to_string();
    if number.is_valid() { Ok(written) } else { Err(PhoneFault::Unassigned(written)) }
}
