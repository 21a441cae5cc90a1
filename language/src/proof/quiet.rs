//! Texts that the night can hold back.

use serde::Serialize;

use super::given::Start;
use super::moment::Moment;
use super::sending::Sending;
use crate::base::{Span, Timestamp};

/// A text that can fall into the quiet hours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Clash {
    /// The step.
    pub step_id: String,
    /// Its line in the file.
    pub line: u32,
    /// The text, where the file names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The earliest instant at which it can be decided.
    pub from: String,
    /// The latest.
    pub until: String,
    /// True where it falls into the quiet hours for certain.
    pub certain: bool,
    /// When it leaves then, at the latest.
    pub held_until: String,
}

/// What of a text is held back, if it is sent at that moment.
pub(super) fn clash(start: &Start, moment: Moment, sending: &Sending) -> Option<Clash> {
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

/// When a text leaves at the latest that the night holds back; none where no night comes in its way.
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

/// The last day of a stretch of time has every hour of the clock in it, also where the clock changes.
const DAY: Span = Span::from_secs(25 * 3600);
/// Quiet hours are looked for in steps; shorter ones are not worth a word.
const STEP: Span = Span::from_secs(15 * 60);
