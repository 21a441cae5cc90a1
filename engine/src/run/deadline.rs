//! The end of a wait that depends on data: evaluated once, when the wait begins.

use serde::{Deserialize, Serialize};

use super::scope::{StepError, StepScope};
use crate::base::{Problem, Span, Timestamp, Value};
use crate::method::{Await, ComputedDeadline, Node};

/// The ends of a wait that depended on data when the wait began. The earliest end counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComputedEnd {
    /// The instant at which the wait ends, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The time after which the wait ends, if any. It counts as the fixed timeout does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

/// The instants from which the end of a wait is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitStart {
    /// Start of the wait.
    pub since: Timestamp,
    /// Instant from which a timeout counts: the start of the wait, or the moment when policy has permitted
    /// all messages of the run to leave, if that is later.
    pub base: Timestamp,
}

impl ComputedEnd {
    /// Whether the wait has only its fixed timeout.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the deadline of a wait that lasts at most `longest`. An instant that had passed when the wait
    /// began ends the wait at its start.
    #[must_use]
    pub fn deadline(&self, start: WaitStart, longest: Span) -> Timestamp {
        let span = self.span.map_or(longest, |span| span.min(longest));
        let after = start.base + span;
        self.until.map_or(after, |until| until.min(after)).max(start.since)
    }

    /// Evaluates the ends of an `await` that depend on data.
    pub(super) fn evaluate(
        node: &Node,
        wait: &Await,
        scope: &StepScope,
    ) -> Result<Self, StepError> {
        let mut ends = Self::default();
        for end in &wait.computed {
            let place = format!("`{}` of `{}`", end.key(), node.step_id);
            let value = end.arg().evaluate(scope).map_err(|e| StepError::from_eval(e, &place))?;
            match end {
                ComputedDeadline::Until(_) => {
                    let until: Timestamp = read(&value, &place, "an instant")?;
                    ends.until = [ends.until, Some(until)].into_iter().flatten().min();
                }
                ComputedDeadline::Timeout(_) => {
                    let span: Span = read(&value, &place, "a duration")?;
                    let span = span.max(Span::ZERO);
                    ends.span = [ends.span, Some(span)].into_iter().flatten().min();
                }
            }
        }
        Ok(ends)
    }
}

fn read<T: std::str::FromStr>(value: &Value, place: &str, what: &str) -> Result<T, StepError> {
    value.as_str().and_then(|text| text.parse().ok()).ok_or_else(|| {
        let message = format!("{place} is {value}, which is not {what}");
        let hint = "check that the value is there before the step, or give a default";
        StepError::Failed(Problem::author("expression_failed", message).with_hint(hint))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> Timestamp {
        Timestamp::EPOCH + hours_long(hours)
    }

    fn hours_long(hours: i64) -> Span {
        Span::from_secs(hours * 3600)
    }

    #[test]
    fn the_earliest_end_counts() {
        let start = WaitStart { since: at(10), base: at(12) };
        let longest = hours_long(5);
        let cases = [
            (None, None, 17),
            (None, Some(2), 14),
            (None, Some(9), 17),
            (None, Some(0), 12),
            (Some(13), None, 13),
            (Some(11), None, 11),
            (Some(40), None, 17),
            (Some(3), None, 10),
            (Some(16), Some(3), 15),
        ];
        for (until, span, expected) in cases {
            let end = ComputedEnd { until: until.map(at), span: span.map(hours_long) };
            assert_eq!(end.deadline(start, longest), at(expected), "{end:?}");
        }
    }
}
