//! When a run is over at the latest.

use serde::{Serialize, Serializer};

use super::given::Given;
use super::moment::Moment;
use super::walk::usage::Time;
use crate::base::Span;

/// When a run is over. What undoing takes after a failure comes on top.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finish {
    /// All waits one after another, each to its end; none where one of them has no bound in the text.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "text")]
    pub waiting: Option<Span>,
    /// The bounds of all calls together: what attempts and retries can take besides.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "text")]
    pub work: Option<Span>,
    /// So long at most, with a night for each wait that a text held back can move.
    #[serde(serialize_with = "plain")]
    pub at_most: Span,
    /// What says so, where the waits and the calls alone could take longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_by: Option<&'static str>,
    /// When the last wait is over, by the clock and with the texts that the night holds back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_end_by: Option<String>,
    /// When everything is over at the latest, by the clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

impl Finish {
    pub(super) fn of(
        time: Time,
        own: Option<Span>,
        (given, moment): (&Given, Option<&Moment>),
    ) -> Self {
        let limit = own.unwrap_or(given.run_max_duration);
        let nights = time.movable.map(|waits| waits.saturating_mul(NIGHT_MICROS));
        let mut sum = [time.waiting, time.work, nights].into_iter();
        let sum = sum.try_fold(0_u64, |sum, part| Some(sum.saturating_add(part?))).map(span);
        let within = sum.filter(|sum| *sum <= limit);
        let by = if own.is_some() { "max_duration" } else { "run_max_duration" };
        let by_the_clock = given.start.as_ref().zip(moment).map(|(start, moment)| {
            let end = start.at + limit;
            let worked = time.work.map_or(end, |work| moment.until + span(work));
            (moment.until.in_zone(&start.zone), worked.min(end).in_zone(&start.zone))
        });
        let (waits_end_by, last) = by_the_clock.unzip();
        Self {
            waiting: time.waiting.map(span),
            work: time.work.map(span),
            at_most: within.unwrap_or(limit),
            limited_by: within.is_none().then_some(by),
            waits_end_by,
            last,
        }
    }
}

/// A wait that counts from the first permitted send begins at most one night later.
const NIGHT_MICROS: u64 = 24 * 3600 * 1_000_000;

pub(super) fn span(micros: u64) -> Span {
    Span::from_micros(i64::try_from(micros).unwrap_or(i64::MAX))
}

fn text<S: Serializer>(span: &Option<Span>, s: S) -> Result<S::Ok, S::Error> {
    match span {
        Some(span) => s.collect_str(span),
        None => s.serialize_none(),
    }
}

fn plain<S: Serializer>(span: &Span, s: S) -> Result<S::Ok, S::Error> {
    s.collect_str(span)
}
