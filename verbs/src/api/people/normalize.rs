//! Checks the fields of a person and converts them to their stored form.

use abide_engine::base::Problem;
use abide_engine::policy::Region;
use jiff::tz::TimeZone;

use super::PersonInput;
use crate::api::phone::e164;
use crate::request::targets::checked_role;

/// Maximum length of a name, an email address or another string of a person, in characters.
pub(super) const TEXT_CHARS_MAX: usize = 200;

/// Returns the input in its stored form: phone numbers of the region in E.164, roles in lower case without duplicates,
/// the name without surplus spaces, and no blank strings.
pub(super) fn normalized(input: &PersonInput, region: Region) -> Result<PersonInput, Problem> {
    let name = input.name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err(invalid("`name` is empty"));
    }
    let texts = [
        Some(&name),
        input.external_id.as_ref(),
        input.campus.as_ref(),
        input.email.as_ref(),
        input.household.as_ref(),
    ];
    if texts.into_iter().flatten().any(|text| text.chars().count() > TEXT_CHARS_MAX) {
        return Err(invalid(format!("a text is longer than {TEXT_CHARS_MAX} characters")));
    }
    if let Some(zone) = &input.time_zone
        && TimeZone::get(zone).is_err()
    {
        return Err(invalid(format!("`{zone}` is not a time zone such as `America/Chicago`")));
    }
    let roles = match &input.roles {
        None => None,
        Some(roles) => {
            let mut roles =
                roles.iter().map(|role| checked_role(role)).collect::<Result<Vec<_>, _>>()?;
            roles.sort_unstable();
            roles.dedup();
            Some(roles)
        }
    };
    let guardian = input.guardian_phone.as_deref();
    let blank = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    Ok(PersonInput {
        name,
        phone: e164(&input.phone, region)?,
        roles,
        external_id: blank(&input.external_id),
        campus: blank(&input.campus),
        guardian_phone: guardian.map(|phone| e164(phone, region)).transpose()?,
        ..input.clone()
    })
}

pub(super) fn invalid(message: impl Into<String>) -> Problem {
    Problem::caller("invalid_person", message)
}
