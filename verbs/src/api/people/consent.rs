//! Reads the consents to texts that an import states.

use std::collections::BTreeMap;

use abide_engine::base::{Problem, Timestamp};
use abide_engine::store::{Consent, ContactId};

use super::PersonInput;
use super::normalize::{TEXT_CHARS_MAX, invalid};

/// Maximum length of the words to which a person agreed, in characters: a paragraph of a form.
const WORDING_CHARS_MAX: usize = 1_000;

/// Returns the consent that an input states; `None` if it states none.
///
/// # Errors
/// `invalid_person` for a consent without its source or its time, or given after `now`.
pub(super) fn parse_consent(
    input: &PersonInput,
    now: Timestamp,
) -> Result<Option<Consent>, Problem> {
    let (source, at) = match (stated(&input.consent_source), stated(&input.consent_at)) {
        (None, None) if stated(&input.consent_wording).is_none() => return Ok(None),
        (Some(source), Some(at)) => (source, at),
        _ => {
            return Err(invalid("a consent needs `consent_source` and `consent_at`")
                .with_hint("say where and when the person agreed, or leave all three out"));
        }
    };
    let at: Timestamp = at.parse().map_err(|_| {
        invalid(format!(
            "`consent_at` is not a time: `{}`",
            at.chars().take(60).collect::<String>()
        ))
        .with_hint("write it in RFC 3339, such as `2025-09-01T10:00:00-05:00`")
    })?;
    if at > now {
        return Err(invalid("`consent_at` is in the future"));
    }
    let wording = stated(&input.consent_wording).map(str::to_owned);
    let is_long = |text: &str, most| text.chars().count() > most;
    if is_long(source, TEXT_CHARS_MAX) {
        return Err(invalid(format!(
            "`consent_source` is longer than {TEXT_CHARS_MAX} characters"
        )));
    }
    if wording.as_deref().is_some_and(|wording| is_long(wording, WORDING_CHARS_MAX)) {
        let message = format!("`consent_wording` is longer than {WORDING_CHARS_MAX} characters");
        return Err(invalid(message));
    }
    Ok(Some(Consent { source: source.to_owned(), at, wording }))
}

/// Returns the consent to record for each contact. If several inputs of one phone number state a consent,
/// the latest one counts; of two with the same time, the one that comes later in the list.
pub(super) fn latest_consents(
    contacts: &[ContactId],
    given: Vec<Option<Consent>>,
) -> BTreeMap<ContactId, Consent> {
    let mut latest: BTreeMap<ContactId, Consent> = BTreeMap::new();
    for (contact, consent) in contacts.iter().zip(given) {
        let Some(consent) = consent else { continue };
        if latest.get(contact).is_none_or(|known| known.at <= consent.at) {
            latest.insert(*contact, consent);
        }
    }
    latest
}

fn stated(text: &Option<String>) -> Option<&str> {
    text.as_deref().map(str::trim).filter(|text| !text.is_empty())
}
