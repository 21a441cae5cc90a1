//! Lists, writes and removes the weekly services of a church. Texts are read with their names and aliases.

use abide_engine::base::{Problem, Span};
use abide_engine::domain::DomainContext;
use abide_engine::store::Tx;
use futures_util::future::BoxFuture;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::kb::Author;
use super::{Page, tenant_ledger};
use crate::data;
use crate::event::ChurchEventKind;
use crate::service::{DURATION_DEFAULT, Service, ServiceKey, TimeOfDay, Weekday};

/// Maximum number of services of one tenant: more than a church with ten campuses holds in a week.
/// [`list`] returns all services on one page, so their number must be limited.
pub const SERVICES_MAX: usize = 64;
/// Maximum number of aliases of one service. Each text is compared with all of them.
pub const ALIASES_MAX: usize = 16;
/// Maximum length of a name or of an alias, in characters: nobody says more in a text.
const NAME_CHARS_MAX: usize = 60;
/// Maximum length of a campus, in characters, as for people.
const CAMPUS_CHARS_MAX: usize = 200;
/// Shortest duration of a service.
const DURATION_MIN: Span = Span::from_secs(60);
/// Longest duration of a service.
const DURATION_MAX: Span = Span::from_secs(24 * 3600);

/// A weekly service to write.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewService {
    /// Name of the service, such as `first`.
    pub name: String,
    /// What people call the service besides its name, such as `early service`.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The day on which the service is held, such as `sunday`.
    pub weekday: String,
    /// The local time at which the service begins, in the form `HH:MM`.
    pub time: String,
    /// How long the service lasts; defaults to `1h 15m`.
    pub duration: Option<String>,
    /// IANA time zone in which the service begins; defaults to the church's.
    pub time_zone: Option<String>,
    /// The campus of the service, in a church with several.
    pub campus: Option<String>,
}

/// A weekly service as the API shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ServiceView {
    /// Name of the service.
    pub name: String,
    /// What people call the service besides its name, in lower case.
    pub aliases: Vec<String>,
    /// The day on which the service is held.
    pub weekday: Weekday,
    /// The local time at which the service begins, in the form `HH:MM`.
    pub time: String,
    /// How long the service lasts.
    pub duration: String,
    /// IANA time zone in which the service begins, if it differs from the church's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// The campus of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub campus: Option<String>,
}

impl From<Service> for ServiceView {
    fn from(service: Service) -> Self {
        let Service { key, aliases, duration, time_zone, campus } = service;
        Self {
            name: key.name,
            aliases,
            weekday: key.weekday,
            time: key.time.to_string(),
            duration: duration.to_string(),
            time_zone,
            campus,
        }
    }
}

/// Selects services to remove: those with a name, and if given those of a day and time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceQuery {
    /// Name of the services.
    pub name: String,
    /// The day, as people write it; `None` selects services of any day.
    pub weekday: Option<String>,
    /// The time in the form `HH:MM`; `None` selects services of any time.
    pub time: Option<String>,
}

/// Lists all services of the tenant, from Monday to Sunday.
///
/// # Errors
/// Returns errors from the store.
pub fn list<'a>(
    tx: &'a mut Tx,
    tenant: &'a str,
) -> BoxFuture<'a, Result<Page<ServiceView>, Problem>> {
    Box::pin(async move { Ok(page(data::service::list(tx, tenant).await?)) })
}

/// Writes a service. Replaces the service with the same name, day and time, if there is one.
///
/// # Errors
/// `invalid_service` if a member is malformed; `too_many_services` if the tenant already has the maximum
/// number of services ([`SERVICES_MAX`]).
pub fn put<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    new: &'a NewService,
    author: &'a Author,
) -> BoxFuture<'a, Result<ServiceView, Problem>> {
    Box::pin(async move {
        let service = checked(new)?;
        let stream = tenant_ledger::lock(tx, cx.tenant).await?;
        let all = data::service::list(tx, cx.tenant).await?;
        let known = all.iter().find(|known| known.key == service.key);
        if known.is_none() && all.len() >= SERVICES_MAX {
            let message = format!("there are already {SERVICES_MAX} services");
            return Err(Problem::caller("too_many_services", message)
                .with_hint("remove services that are no longer held"));
        }
        if known != Some(&service) {
            data::service::put(tx, cx.tenant, &service).await?;
            let mut body = event_body(&service.key, author);
            body["added"] = known.is_none().into();
            tenant_ledger::log(tx, stream, ChurchEventKind::ServiceWritten, body)?;
        }
        Ok(service.into())
    })
}

/// Removes the services that the query selects, and returns them. Requests and runs are not changed.
///
/// # Errors
/// `service_unknown` if the query selects no service; `invalid_service` if its day or time is malformed.
pub fn remove<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    query: &'a ServiceQuery,
    author: &'a Author,
) -> BoxFuture<'a, Result<Page<ServiceView>, Problem>> {
    Box::pin(async move {
        let weekday = query.weekday.as_deref().map(weekday).transpose()?;
        let time = query.time.as_deref().map(time).transpose()?;
        let stream = tenant_ledger::lock(tx, cx.tenant).await?;
        let mut selected = data::service::list(tx, cx.tenant).await?;
        selected.retain(|Service { key, .. }| {
            key.name == query.name
                && weekday.is_none_or(|weekday| key.weekday == weekday)
                && time.is_none_or(|time| key.time == time)
        });
        if selected.is_empty() {
            let message = format!("there is no such service `{}`", shown(&query.name));
            return Err(Problem::caller("service_unknown", message)
                .with_hint("list the services with `abide service list`"));
        }
        for Service { key, .. } in &selected {
            data::service::remove(tx, cx.tenant, key).await?;
            let body = event_body(key, author);
            tenant_ledger::log(tx, stream, ChurchEventKind::ServiceRemoved, body)?;
        }
        Ok(page(selected))
    })
}

fn page(services: Vec<Service>) -> Page<ServiceView> {
    Page { items: services.into_iter().map(ServiceView::from).collect(), next_cursor: None }
}

fn event_body(key: &ServiceKey, author: &Author) -> Value {
    json!({
        "service": key.name,
        "weekday": key.weekday.as_str(),
        "time": key.time.to_string(),
        "by": author.id,
    })
}

fn checked(new: &NewService) -> Result<Service, Problem> {
    let name = text("name", &new.name, NAME_CHARS_MAX)?;
    if new.aliases.len() > ALIASES_MAX {
        let n = new.aliases.len();
        return Err(invalid(format!("`aliases` has {n} items; the limit is {ALIASES_MAX}")));
    }
    let mut aliases = Vec::with_capacity(new.aliases.len());
    for alias in &new.aliases {
        let alias = text("aliases", alias, NAME_CHARS_MAX)?.to_lowercase();
        if alias != name.to_lowercase() && !aliases.contains(&alias) {
            aliases.push(alias);
        }
    }
    let campus = new.campus.as_deref().filter(|campus| !campus.trim().is_empty());
    Ok(Service {
        key: ServiceKey { name, weekday: weekday(&new.weekday)?, time: time(&new.time)? },
        aliases,
        duration: new.duration.as_deref().map_or(Ok(DURATION_DEFAULT), duration)?,
        time_zone: new.time_zone.as_deref().map(zone).transpose()?,
        campus: campus.map(|campus| text("campus", campus, CAMPUS_CHARS_MAX)).transpose()?,
    })
}

/// Returns a text without surplus spaces, if it is not empty and not longer than `most` characters.
fn text(member: &str, given: &str, most: usize) -> Result<String, Problem> {
    let text = given.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.chars().count() {
        0 => Err(invalid(format!("`{member}` contains an empty text"))),
        n if n > most => {
            Err(invalid(format!("`{member}` has a text of {n} characters; the limit is {most}")))
        }
        _ if text.chars().any(char::is_control) => {
            Err(invalid(format!("`{member}` contains a control character")))
        }
        _ => Ok(text),
    }
}

fn weekday(given: &str) -> Result<Weekday, Problem> {
    Weekday::read(given).ok_or_else(|| {
        invalid(format!("`weekday`: `{}` is not a day of the week", shown(given)))
            .with_hint("write the day in English, such as `sunday`")
    })
}

fn time(given: &str) -> Result<TimeOfDay, Problem> {
    TimeOfDay::read(given).ok_or_else(|| {
        invalid(format!("`time`: `{}` is not a time of day", shown(given)))
            .with_hint("write hours and minutes, such as `09:00` or `18:30`")
    })
}

fn duration(given: &str) -> Result<Span, Problem> {
    let fits = |span: &Span| (DURATION_MIN..=DURATION_MAX).contains(span);
    given.parse().ok().filter(fits).ok_or_else(|| {
        invalid(format!("`duration`: `{}` is not from 1m to 24h", shown(given)))
            .with_hint("write a duration such as `75m` or `1h 15m`")
    })
}

fn zone(given: &str) -> Result<String, Problem> {
    match TimeZone::get(given) {
        Ok(_) => Ok(given.to_owned()),
        Err(_) => Err(invalid(format!("`time_zone`: `{}` is not a time zone", shown(given)))
            .with_hint("use an IANA name, such as `America/Chicago`")),
    }
}

/// Returns the beginning of a text that an error message quotes.
fn shown(text: &str) -> String {
    text.chars().take(NAME_CHARS_MAX).collect()
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem::caller("invalid_service", message)
}
