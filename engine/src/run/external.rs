//! Describes how far a call to an outside system has got, and decides what follows an answer.

use serde::{Deserialize, Serialize};

use crate::base::{Digest, Problem, Span, Timestamp, Value};
use crate::planted::PlantedFault;

/// How long an outside system is asked whether a call happened. After that time the outcome stays unknown.
const ASKED_FOR: Span = Span::from_secs(24 * 3_600);
/// The pause before an outside system is asked for the first time. The pause doubles with each question, so
/// that a short outage costs seconds and a long one few requests.
const ASK_AFTER: Span = Span::from_secs(1);
/// The longest pause between two questions.
const ASK_AFTER_MAX: Span = Span::from_secs(5 * 60);
/// How often a call is made that the outside system says it never got. More would hide a defect.
const TRIES_MAX: u32 = 5;

/// A call to an outside system that is not finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalCall {
    /// Name of the adapter that makes the call.
    pub adapter: String,
    /// Whom the adapter calls, as receipts show it.
    pub target: String,
    /// Digest of the request. The request is stored under this digest.
    pub request: Digest,
    /// Time of the commit of the intent.
    pub since: Timestamp,
    /// Number of times that the request was handed to the adapter.
    pub tries: u32,
    /// Number of times that the adapter was asked whether the call happened.
    #[serde(default)]
    pub asked: u32,
    /// How long the other side may take to complete a call that it has accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete_within: Option<Span>,
    /// How far the call has got.
    pub stage: ExternalStage,
}

/// How far a call to an outside system has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExternalStage {
    /// The intent is committed, and the process that committed it makes the call. If another process finds
    /// the call in this stage, the first process has died, and may have made the call until `answer_by`.
    Calling {
        /// Time after which the call can no longer be in progress.
        answer_by: Timestamp,
    },
    /// The call may or may not have happened. The adapter is asked at this time.
    InDoubt {
        /// Time of the next question.
        ask_at: Timestamp,
    },
    /// The other side has accepted the call and must complete it by this time.
    Accepted {
        /// Time by which the call must be complete.
        until: Timestamp,
    },
}

/// What an outside system answered to a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallAnswer {
    /// The call is done.
    Done {
        /// The answer, in the form that the adapter defines.
        answer: Value,
    },
    /// The outside system has accepted the call and will report its result later.
    Accepted,
    /// Nothing was done: the outside system refused the call or could not be reached. The call is attempted
    /// again only if the problem is transient and the step retries.
    NotDone {
        /// Why nothing was done.
        problem: Problem,
    },
    /// The call may or may not have happened.
    Unknown {
        /// Why the outcome is unknown, to be written to the log.
        reason: String,
    },
}

/// An adapter's answer to the question whether a call happened.
#[derive(Debug, Clone, PartialEq)]
pub enum CallLookup {
    /// The call is done.
    Done {
        /// The answer, in the form that the adapter defines.
        answer: Value,
    },
    /// The outside system has accepted the call and will report its result later.
    Accepted,
    /// The outside system refused the call, so nothing was done and nothing will be.
    Refused {
        /// Why the call was refused.
        problem: Problem,
    },
    /// The call did not happen and will not happen any more. The engine makes it again.
    NotDone,
    /// The outside system cannot tell now. The engine asks again later, for up to a day.
    NotNow {
        /// Why it cannot tell, to be written to the log.
        reason: String,
    },
    /// It will never be known whether the call happened. The engine does not repeat the call.
    NeverKnown {
        /// Why it cannot be known.
        reason: String,
    },
}

/// What an outside system answered, or what the engine knows about it.
#[derive(Debug, Clone, PartialEq)]
pub enum ExternalReport {
    /// The adapter made the call.
    Called(CallAnswer),
    /// The process was suspended before the call began, and did not make it.
    NotBegun,
    /// The adapter was asked whether the call happened.
    LookedUp(CallLookup),
    /// The other side completed a call that it had accepted.
    Completed(Result<Value, Problem>),
}

/// What follows an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AfterReport {
    /// The call is done.
    Conclude(Value),
    /// The call is to be made again at once.
    CallAgain,
    /// The call waits in this stage until the time of the stage, or until it is completed.
    Wait(ExternalStage),
    /// The attempt has failed.
    Fail(Problem),
}

impl ExternalStage {
    /// Returns the time at which the run has something to do, if nothing happens before.
    #[must_use]
    pub const fn due(self) -> Timestamp {
        match self {
            Self::Calling { answer_by: at }
            | Self::InDoubt { ask_at: at }
            | Self::Accepted { until: at } => at,
        }
    }
}

impl ExternalCall {
    /// Decides what follows a report. The caller counts the question or the try afterwards.
    #[must_use]
    pub fn after(&self, report: &ExternalReport, now: Timestamp) -> AfterReport {
        match report {
            ExternalReport::NotBegun => AfterReport::CallAgain,
            ExternalReport::LookedUp(CallLookup::Done { .. })
                if PlantedFault::OutcomeIgnored.is_active() =>
            {
                AfterReport::CallAgain
            }
            ExternalReport::Called(CallAnswer::Done { answer })
            | ExternalReport::LookedUp(CallLookup::Done { answer })
            | ExternalReport::Completed(Ok(answer)) => AfterReport::Conclude(answer.clone()),
            ExternalReport::Called(CallAnswer::Accepted)
            | ExternalReport::LookedUp(CallLookup::Accepted) => self.accepted(now),
            ExternalReport::Called(CallAnswer::NotDone { problem })
            | ExternalReport::LookedUp(CallLookup::Refused { problem })
            | ExternalReport::Completed(Err(problem)) => AfterReport::Fail(problem.clone()),
            ExternalReport::Called(CallAnswer::Unknown { reason })
            | ExternalReport::LookedUp(CallLookup::NotNow { reason }) => self.in_doubt(reason, now),
            ExternalReport::LookedUp(CallLookup::NotDone) if self.tries >= TRIES_MAX => {
                let message = format!("{} never got the call", self.target);
                AfterReport::Fail(Problem::transient("unavailable", message))
            }
            ExternalReport::LookedUp(CallLookup::NotDone) => AfterReport::CallAgain,
            ExternalReport::LookedUp(CallLookup::NeverKnown { reason }) => {
                AfterReport::Fail(self.unknown(reason))
            }
        }
    }

    fn accepted(&self, now: Timestamp) -> AfterReport {
        match self.complete_within {
            Some(within) => AfterReport::Wait(ExternalStage::Accepted { until: now + within }),
            None => {
                let reason = "it accepted the call for later, which this tool does not allow";
                AfterReport::Fail(self.unknown(reason))
            }
        }
    }

    fn in_doubt(&self, reason: &str, now: Timestamp) -> AfterReport {
        if now >= self.since + ASKED_FOR {
            return AfterReport::Fail(self.unknown(reason));
        }
        let doubled = Span::from_micros(ASK_AFTER.micros() << self.asked.min(16));
        AfterReport::Wait(ExternalStage::InDoubt { ask_at: now + doubled.min(ASK_AFTER_MAX) })
    }

    /// Builds the problem of a call whose outcome is unknown and stays so.
    #[must_use]
    pub fn unknown(&self, reason: &str) -> Problem {
        outcome_unknown(format!("it is not known whether {} did it: {reason}", self.target))
    }
}

/// Builds the problem of a call whose outcome is unknown and stays so, with its own message.
#[must_use]
pub fn outcome_unknown(message: String) -> Problem {
    Problem::operator(OUTCOME_UNKNOWN, message)
        .with_hint("look there whether it happened; abide does not repeat the call")
}

/// The code of the problem of a call whose outcome is unknown. Such a call is never repeated.
pub const OUTCOME_UNKNOWN: &str = "outcome_unknown";

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn call() -> ExternalCall {
        ExternalCall {
            adapter: "smtp".to_owned(),
            target: "mail.example.org".to_owned(),
            request: Digest::ZERO,
            since: at(1_000),
            tries: 1,
            asked: 0,
            complete_within: None,
            stage: ExternalStage::Calling { answer_by: at(1_030) },
        }
    }

    fn looked_up(lookup: CallLookup) -> ExternalReport {
        ExternalReport::LookedUp(lookup)
    }

    #[test]
    fn a_known_outcome_decides() {
        let (answer, problem) = (serde_json::json!(7), Problem::caller("refused", "no"));
        let called = |answer| ExternalReport::Called(answer);
        let done = || AfterReport::Conclude(answer.clone());
        let failed = || AfterReport::Fail(problem.clone());
        let cases = [
            (called(CallAnswer::Done { answer: answer.clone() }), done()),
            (looked_up(CallLookup::Done { answer: answer.clone() }), done()),
            (ExternalReport::Completed(Ok(answer.clone())), done()),
            (called(CallAnswer::NotDone { problem: problem.clone() }), failed()),
            (looked_up(CallLookup::Refused { problem: problem.clone() }), failed()),
            (ExternalReport::Completed(Err(problem.clone())), failed()),
            (ExternalReport::NotBegun, AfterReport::CallAgain),
            (looked_up(CallLookup::NotDone), AfterReport::CallAgain),
        ];
        for (report, wanted) in cases {
            assert_eq!(call().after(&report, at(1_001)), wanted, "{report:?}");
        }
    }

    #[test]
    fn a_doubt_is_looked_into_for_a_day_and_never_repeated() {
        let not_now = looked_up(CallLookup::NotNow { reason: "busy".to_owned() });
        let after = |asked, now| ExternalCall { asked, ..call() }.after(&not_now, at(now));
        let wait = |seconds| AfterReport::Wait(ExternalStage::InDoubt { ask_at: at(seconds) });
        assert_eq!(after(0, 1_100), wait(1_101));
        assert_eq!(after(3, 1_100), wait(1_108));
        assert_eq!(after(40, 1_100), wait(1_400));
        let never = looked_up(CallLookup::NeverKnown { reason: "gone".to_owned() });
        for given_up in [after(40, 1_000 + 24 * 3_600), call().after(&never, at(1_002))] {
            let AfterReport::Fail(problem) = given_up else { panic!("{given_up:?}") };
            assert_eq!(problem.code, OUTCOME_UNKNOWN);
            assert!(!problem.is_transient(), "{problem}");
        }
    }

    #[test]
    fn a_call_that_never_arrives_is_made_a_few_times() {
        let never_got = looked_up(CallLookup::NotDone);
        let last = ExternalCall { tries: TRIES_MAX, ..call() };
        let AfterReport::Fail(problem) = last.after(&never_got, at(1_040)) else { panic!() };
        assert_eq!(problem.code, "unavailable");
    }

    #[test]
    fn only_a_tool_that_allows_it_is_completed_later() {
        let accepted = ExternalReport::Called(CallAnswer::Accepted);
        let later = ExternalCall { complete_within: Some(Span::from_secs(60)), ..call() };
        let until = ExternalStage::Accepted { until: at(1_062) };
        assert_eq!(later.after(&accepted, at(1_002)), AfterReport::Wait(until));
        let AfterReport::Fail(problem) = call().after(&accepted, at(1_002)) else { panic!() };
        assert_eq!(problem.code, OUTCOME_UNKNOWN);
    }
}
