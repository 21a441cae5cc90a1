//! Finds the messages that quiet hours can delay.

use serde::Serialize;

use super::given::ProofStart;
use super::moment::Moment;
use super::sending::Sending;
use crate::base::{Span, Timestamp};

/// A message that can fall into quiet hours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Clash {
    /// Id of the step that sends the message.
    pub step_id: String,
    /// Line of the step in the file, from 1.
    pub line: u32,
    /// Name of the message's template, if the file names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Earliest local time at which the step can send the message.
    pub from: String,
    /// Latest local time at which the step can send the message.
    pub until: String,
    /// Whether the message falls into quiet hours at every instant between the times `from` and `until`.
    pub certain: bool,
    /// Latest local time at which the message is sent if quiet hours delay it.
    pub held_until: String,
}

/// Returns how quiet hours can delay a message that is sent within the time window `moment`;
/// `None` if quiet hours cannot delay the message.
pub(super) fn clash(start: &ProofStart, moment: Moment, sending: &Sending) -> Option<Clash> {
    let permitted = |at| start.quiet_hours.permitted(at, &start.zone);
    let held = held_until(moment, permitted)?;
    Some(Clash {
        step_id: sending.step_id.clone(),
        line: sending.line,
        template: sending.template.clone(),
        from: moment.from.in_zone(&start.zone),
        until: moment.until.in_zone(&start.zone),
        certain: permitted(moment.from) > moment.until,
        held_until: held.in_zone(&start.zone),
    })
}

/// Returns the latest time to which quiet hours can delay a message that is ready to be sent within the
/// time window `moment`; `None` if no instant of the window falls into quiet hours.
fn held_until(moment: Moment, permitted: impl Fn(Timestamp) -> Timestamp) -> Option<Timestamp> {
    let mut at = moment.from.max(moment.until - DAY);
    let mut latest = None;
    loop {
        latest = latest.max(Some(permitted(at)).filter(|held| *held > at));
        if at >= moment.until {
            return latest;
        }
        at = (at + STEP).min(moment.until);
    }
}

/// Only this last part of a time window is searched for quiet hours. A period of 25 hours contains every
/// time of day, even on the day on which daylight saving time ends.
const DAY: Span = Span::from_secs(25 * 3600);
/// Interval between the instants that are checked. The search
/// can miss quiet hours that are shorter than this interval.
const STEP: Span = Span::from_secs(15 * 60);
