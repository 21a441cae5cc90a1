//! `calendar.find_slots`: finds free times between the events of the calendar.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use jiff::civil::{Time, Weekday, time};
use serde_json::json;

use super::free::{self, Interval, Wanted, WorkingHours};
use crate::data::{self, BusyQuery, BusyTime};
use crate::refusal;
use crate::tool::input::Input;

/// Maximum length of the period to search in days: a quarter of a year, as the contract says.
const PERIOD_DAYS_MAX: i64 = 92;
const MICROS_PER_MINUTE: i64 = 60_000_000;
const MICROS_PER_DAY: i64 = 1440 * MICROS_PER_MINUTE;
/// Number of times in the answer, if the call gives no limit.
const SLOTS_DEFAULT: i64 = 10;
/// Maximum number of times in the answer: a receipt and a variable hold all of them.
const SLOTS_MAX: i64 = 200;
/// Maximum number of events in the period, because all of them are loaded.
const EVENTS_MAX: usize = 10_000;
/// When the working day begins and ends, if the call does not say so.
const DAY_DEFAULT: [Time; 2] = [time(8, 0, 0, 0), time(17, 0, 0, 0)];
const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];
/// Number of days of work, from Monday on, if the call names none.
const WORKDAYS_DEFAULT: usize = 5;

/// Finds free times of a given length between the confirmed events.
pub(crate) struct FindSlots;

#[async_trait]
impl WriteVerb for FindSlots {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let input = Input::of(cx, args);
        let (wanted, hours) = (wanted(&input)?, working_hours(&input)?);
        let query = BusyQuery {
            tenant: input.tenant,
            since: wanted.period.since,
            until: wanted.period.until,
            limit: EVENTS_MAX as i64 + 1,
        };
        let busy = data::busy_times(tx, &query).await?;
        if busy.len() > EVENTS_MAX {
            let what =
                format!("is too late: there are more than {EVENTS_MAX} events in the period");
            return Err(refusal::invalid("until", &what).with_hint("search a shorter period"));
        }
        let people = people(&input);
        let busy = busy.iter().filter(|event| concerns(event, &people));
        let busy = busy.map(|event| Interval { since: event.starts_at, until: event.ends_at });
        let slots = free::slots(&wanted, &hours, busy.collect());
        let shown = slots.iter().map(|slot| {
            json!({ "starts_at": slot.since.to_string(), "ends_at": slot.until.to_string() })
        });
        let result = json!({ "count": slots.len(), "slots": shown.collect::<Vec<_>>() });
        Ok(VerbOutcome::done(result, Effects::default()))
    }
}

/// Reads where to search for how many times of which length.
fn wanted(input: &Input<'_>) -> Result<Wanted, Problem> {
    let (since, until) = (input.instant("since")?, input.instant("until")?);
    let length = until.micros().saturating_sub(since.micros());
    if length <= 0 {
        return Err(refusal::invalid("until", "is not after `since`"));
    }
    if length > PERIOD_DAYS_MAX * MICROS_PER_DAY {
        let what = format!("is more than {PERIOD_DAYS_MAX} days after `since`");
        return Err(refusal::invalid("until", &what));
    }
    let limit = input.whole("limit")?.unwrap_or(SLOTS_DEFAULT).clamp(1, SLOTS_MAX);
    Ok(Wanted {
        period: Interval { since, until },
        length_micros: input.whole("duration_minutes")?.unwrap_or(0).max(1) * MICROS_PER_MINUTE,
        limit: usize::try_from(limit).unwrap_or_default(),
    })
}

fn working_hours(input: &Input<'_>) -> Result<WorkingHours, Problem> {
    let clock = |member: &str, default: Time| match input.text(member) {
        None => Ok(default),
        Some(text) => text
            .parse::<Time>()
            .map_err(|_| refusal::invalid(member, "is not a time of day such as `08:00`")),
    };
    let day_starts = clock("day_starts", DAY_DEFAULT[0])?;
    let day_ends = clock("day_ends", DAY_DEFAULT[1])?;
    if day_ends <= day_starts {
        let what = format!("is not after the start of the day, {}", day_starts.strftime("%H:%M"));
        return Err(refusal::invalid("day_ends", &what));
    }
    let named = input.given("weekdays").and_then(Value::as_array);
    let is_wanted = |ix: usize, name: &str| {
        named.map_or(ix < WORKDAYS_DEFAULT, |named| named.iter().any(|day| day == name))
    };
    let weekdays = WEEKDAYS.iter().enumerate().filter(|(ix, (name, _))| is_wanted(*ix, name));
    let weekdays = weekdays.map(|(_, (_, day))| *day).collect();
    Ok(WorkingHours { day_starts, day_ends, weekdays, zone: input.zone() })
}

/// Returns the names or addresses of the people who take part, in lower case.
fn people(input: &Input<'_>) -> Vec<String> {
    let people = input.list("attendees").iter();
    people.filter_map(Value::as_str).map(str::to_lowercase).collect()
}

/// Whether an event takes the time of one of the people. Without people, each event does; an event without
/// attendees takes everybody's time.
fn concerns(event: &BusyTime, people: &[String]) -> bool {
    let attendees: Vec<String> = serde_json::from_str(&event.attendees).unwrap_or_default();
    people.is_empty()
        || attendees.is_empty()
        || attendees.iter().any(|attendee| people.contains(&attendee.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use abide_engine::base::Timestamp;

    use super::*;

    #[test]
    fn an_event_concerns_its_attendees_or_everybody() {
        let event = |attendees: &str| BusyTime {
            starts_at: Timestamp::EPOCH,
            ends_at: Timestamp::EPOCH,
            attendees: attendees.to_owned(),
        };
        let cases = [
            ("[]", &[][..], true),
            ("[]", &["ana"][..], true),
            (r#"["Ana","bo@example.org"]"#, &["ana"][..], true),
            (r#"["Ana","bo@example.org"]"#, &["cleo"][..], false),
            (r#"["Ana"]"#, &[][..], true),
        ];
        for (attendees, people, expected) in cases {
            let people: Vec<String> = people.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(concerns(&event(attendees), &people), expected, "{attendees} {people:?}");
        }
    }
}
