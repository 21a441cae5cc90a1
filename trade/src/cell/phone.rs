//! Converts phone numbers to E.164, the form in which they are stored and compared.

use abide_engine::phone::{self, PhoneFault};
use abide_engine::policy::Region;

/// Converts a phone number to E.164. A number without a country code is one of the region.
///
/// # Errors
/// A sentence without its subject, if the string is not a phone number, or is one that no country assigns.
pub fn e164(text: &str, region: Region) -> Result<String, String> {
    phone::e164(text, region).map_err(|fault| match fault {
        PhoneFault::Unreadable => "is not a phone number such as `+15125550100`".to_owned(),
        PhoneFault::Unassigned(written) => {
            format!("is not a valid phone number: no country assigns {written}")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Region, e164};

    #[test]
    fn numbers_become_e164_or_are_refused() {
        let (us, au) = (Region::Us, Region::Au);
        let cases = [
            ("0400 123 456", au, Some("+61400123456")),
            ("+61 400 123 456", au, Some("+61400123456")),
            ("+61 400 123 456", us, Some("+61400123456")),
            ("(07) 3000 1234", au, Some("+61730001234")),
            ("+1 512-555-0100", au, Some("+15125550100")),
            ("(512) 555-0100", us, Some("+15125550100")),
            ("(512) 555-0100", au, None),
            ("0400 123 456", us, None),
            ("123", au, None),
            ("Ana", us, None),
            ("", us, None),
        ];
        for (text, region, expected) in cases {
            assert_eq!(e164(text, region).ok().as_deref(), expected, "{text} in {region}");
        }
    }
}
