//! Functions on instants and durations.

use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;

use crate::base::working_day::Workplace;
use crate::base::{Span, Value};

use super::super::number::Num;
use super::super::trouble::{Fuel, Trouble};
use super::super::value::{Duration, Instant, Json, Typed, shown};
use super::{Args, ArgumentType, Body, Function, Gives, maybe, one};

type Answer<'a> = Result<Typed<'a>, Trouble>;

macro_rules! unit {
    ($name:literal, $seconds:literal) => {
        Function {
            name: $name,
            parameters: &[one("of", ArgumentType::Duration)],
            gives: Gives::Always(ArgumentType::Number),
            doc: concat!("the length of a duration in ", $name, ", with a fraction"),
            body: Body::Pure(|args, _| {
                let unit = Num::Whole(Span::from_secs($seconds).micros());
                Num::Whole(args.duration(0)?.micros()).over(unit).map(Typed::from)
            }),
        }
    };
}

pub(super) const TABLE: &[Function] = &[
    Function {
        name: "instant",
        parameters: &[one("of", ArgumentType::Instant)],
        gives: Gives::Always(ArgumentType::Instant),
        doc: "the instant that a text such as `2025-10-05T09:00:00-05:00` represents",
        body: Body::Pure(|args, _| args.instant(0).map(Instant)),
    },
    Function {
        name: "duration",
        parameters: &[one("of", ArgumentType::Duration)],
        gives: Gives::Always(ArgumentType::Duration),
        doc: "the duration that a text such as `1h 30m` represents",
        body: Body::Pure(|args, _| args.duration(0).map(Duration)),
    },
    unit!("seconds", 1),
    unit!("minutes", 60),
    unit!("hours", 3_600),
    unit!("days", 86_400),
    Function {
        name: "format",
        parameters: &[
            one("instant", ArgumentType::Instant),
            one("pattern", ArgumentType::Text),
            maybe("zone", ArgumentType::Text),
        ],
        gives: Gives::Always(ArgumentType::Text),
        doc: "the instant formatted with a pattern such as `%A %H:%M`, in a time zone such as \
              `America/Chicago`; by default in the offset in which it is written",
        body: Body::Pure(format),
    },
    Function {
        name: "working_day",
        parameters: &[
            one("from", ArgumentType::Instant),
            one("days", ArgumentType::Number),
            one("time", ArgumentType::Text),
            one("zone", ArgumentType::Text),
            maybe("region", ArgumentType::Text),
        ],
        gives: Gives::Always(ArgumentType::Instant),
        doc: "a time of day such as `08:00` on the day that is `days` after the day of `from` in the time \
              zone, or on the next day that is neither on a weekend nor a public holiday of the region \
              (`AU`, `US`; without one, only weekends are left out)",
        body: Body::Pure(working_day),
    },
];

fn format<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Answer<'a> {
    let written = args.take(0);
    let own_offset = match &written {
        Json(value) => value.as_str().and_then(offset),
        _ => None,
    };
    let at = match written.temporal()? {
        Instant(at) => at,
        other => return Err(args.unlike(0, "an instant", &other)),
    };
    let pattern = args.text(1)?;
    fuel.spend_text(pattern.len())?;
    let zone = match args.option(2) {
        Some(name) if !name.is_null() => zone(name)?,
        _ => own_offset.unwrap_or(TimeZone::UTC),
    };
    let zoned = at.to_jiff().to_zoned(zone);
    BrokenDownTime::from(&zoned).to_string(pattern.as_bytes()).map(Typed::from).map_err(|_| {
        Trouble::new(format!("`{}` is not a format pattern for an instant", shown(&pattern)))
            .with_hint("write a pattern such as `%A %-d %B %H:%M`; write a percent sign as `%%`")
    })
}

fn working_day<'a>(args: &mut Args<'a>, _fuel: &mut Fuel) -> Answer<'a> {
    let (from, days) = (args.instant(0)?, args.count(1)?);
    let (time, zone_name) = (args.text(2)?, args.text(3)?);
    let zone = zone(Value::from(&*zone_name).into())?;
    let region = args.option(4).map(Typed::into_value);
    let region = region.as_ref().and_then(Value::as_str).unwrap_or_default();
    let time = time.parse().map_err(|_| {
        Trouble::new(format!("`{}` is not a time of day", shown(&time)))
            .with_hint("write hours and minutes, such as `08:00`")
    })?;
    let place = Workplace { region, zone_name: &zone_name, zone };
    let at = i64::try_from(days).ok().and_then(|days| place.instant_after(from, days, time));
    at.map(Instant).ok_or_else(|| Trouble::new("the working day is beyond the year 9999"))
}

/// Returns the UTC offset in the string of an instant; `None` if the string has no offset.
fn offset(text: &str) -> Option<TimeZone> {
    let pieces = jiff::fmt::temporal::Pieces::parse(text).ok()?;
    pieces.to_numeric_offset().map(TimeZone::fixed)
}

fn zone(name: Typed<'_>) -> Result<TimeZone, Trouble> {
    let name = name.into_value();
    let name = name.as_str().unwrap_or_default();
    TimeZone::get(name).map_err(|_| {
        Trouble::new(format!("`{}` is not a time zone", shown(name)))
            .with_hint("use an IANA name such as `America/Chicago`")
    })
}
