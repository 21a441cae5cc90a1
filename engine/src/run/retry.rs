//! Decides what follows a failed attempt of a call: a pause and another attempt,
//! or the failure of the step.

use super::external::OUTCOME_UNKNOWN;
use super::state::{CallState, RunState, WaitingFor};
use crate::base::{CallId, Digest, Problem, Span, Timestamp};
use crate::method::{Node, Retry};

/// The consequence of a failed attempt of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AfterFailure {
    /// The call is attempted again.
    Retry {
        /// Time of the next attempt.
        at: Timestamp,
    },
    /// No further attempt is made: the step has failed.
    GiveUp,
}

/// Records in `state` that an attempt of `call`, made by the step `node`, has failed. Decides what follows.
///
/// The pause before the next attempt is extended by up to a quarter, so that runs that failed
/// at the same time do not all retry at the same time.
/// A hash of the call and the attempt determines how far the pause is extended.
pub fn record_failure(
    node: &Node,
    state: &mut RunState,
    mut call: CallState,
    problem: &Problem,
    now: Timestamp,
) -> AfterFailure {
    let next = node.call().and_then(|made| {
        let pause =
            made.retry.pause_after(call.attempt).filter(|_| is_retried(&made.retry, problem))?;
        let at = now + jittered(pause, call.id, call.attempt);
        (at < call.started_at + made.timeout || made.waits).then_some(at)
    });
    match next {
        Some(at) => {
            call.attempt += 1;
            call.retry_at = Some(at);
            if matches!(call.waiting_for, Some(WaitingFor::External(_))) {
                call.waiting_for = None; // the next attempt prepares another request
            }
            state.set_call(call);
            AfterFailure::Retry { at }
        }
        None => {
            state.drop_call();
            AfterFailure::GiveUp
        }
    }
}

/// Whether a step retries after this problem. A call whose outcome is unknown is never repeated, whatever
/// the step says.
fn is_retried(retry: &Retry, problem: &Problem) -> bool {
    problem.code != OUTCOME_UNKNOWN
        && retry
            .on
            .iter()
            .any(|on| *on == problem.code || (on == "transient" && problem.is_transient()))
}

/// Returns how long a call pauses after the failure of an attempt, if its step says `pause`: up to a quarter longer, by a hash
/// of the call and the attempt.
#[must_use]
pub fn jittered(pause: Span, call: CallId, attempt: u32) -> Span {
    let digest = Digest::of(format!("{call} {attempt}").as_bytes());
    let part = i64::from(digest.as_bytes()[0]);
    Span::from_micros(pause.micros() + pause.micros() / 4 * part / 256)
}
