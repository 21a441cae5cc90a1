//! Computes upper bounds on the duration of a run.

use serde::{Serialize, Serializer};

use super::given::Given;
use super::moment::Moment;
use super::usage::Time;
use crate::base::Span;

/// Upper bounds on the duration of a run, without the time for undoing calls after a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finish {
    /// Total duration of all waits, if each lasts until its timeout; `None` if a wait has no bound.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "text")]
    pub waiting: Option<Span>,
    /// Total duration of all calls with their retries, without the waits; `None` if it has no bound.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "text")]
    pub work: Option<Span>,
    /// Longest duration of a run: the waits, the calls, and one night for each wait that begins later
    /// if quiet hours delay a message. It never exceeds the time limit of the run.
    #[serde(serialize_with = "plain")]
    pub at_most: Span,
    /// The setting that limits the duration, `max_duration` or `run_max_duration`;
    /// `None` if waits and calls cannot take longer than that limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_by: Option<&'static str>,
    /// Latest local time at which the last wait ends, even if quiet hours
    /// delay messages; `None` if the time of the run's start is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_end_by: Option<String>,
    /// Latest local time at which the run ends; `None` if the time of the run's start is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

impl Finish {
    pub(super) fn of(
        time: Time,
        own: Option<Span>,
        given: &Given,
        moment: Option<&Moment>,
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

/// Maximum delay of a wait that begins only when quiet hours permit its message:
/// one night, counted as 24 hours, in microseconds.
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
