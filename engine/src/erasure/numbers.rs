//! The forms in which people write a phone number.

use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberFormat};

/// Separators that people put between the groups of a phone number.
const SEPARATORS: [&str; 4] = ["", " ", "-", "."];

/// Returns the usual forms of a phone number that is given in E.164, the longest first.
pub(super) fn written_forms(e164: &str) -> Vec<String> {
    let digits = e164.trim_start_matches('+');
    let mut forms = vec![e164.to_owned(), digits.to_owned()];
    if let Ok(number) = PHONE_NUMBER_UTIL.parse(e164, None) {
        let international = number.format_as(PhoneNumberFormat::International).to_string();
        let national = number.format_as(PhoneNumberFormat::National).to_string();
        let groups = |text: &str| -> Vec<String> {
            text.split(|c: char| !c.is_ascii_digit())
                .filter(|group| !group.is_empty())
                .map(str::to_owned)
                .collect()
        };
        for groups in [groups(&international), groups(&national)] {
            forms.extend(SEPARATORS.map(|separator| groups.join(separator)));
            if let [area, rest @ ..] = groups.as_slice() {
                for separator in SEPARATORS {
                    let rest = rest.join(separator);
                    forms.extend([format!("({area}) {rest}"), format!("({area}){rest}")]);
                }
            }
        }
        forms.extend([international, national]);
    }
    forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    forms.dedup();
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_in_many_ways() {
        let forms = written_forms("+13125550147");
        let usual = [
            "+13125550147",
            "13125550147",
            "3125550147",
            "(312) 555-0147",
            "(312)555-0147",
            "312-555-0147",
            "312.555.0147",
            "312 555 0147",
            "+1 312-555-0147",
            "1-312-555-0147",
        ];
        for form in usual {
            assert!(forms.iter().any(|known| known == form), "{form}: {forms:?}");
        }
        assert!(forms.iter().all(|form| form.len() >= 10), "{forms:?}");
        assert!(written_forms("+61412345678").iter().any(|form| form == "0412 345 678"));
    }
}
