//! Decides what the result of a call to the gateway means for a message that was sent or looked up. Has no
//! side effects.

use crate::base::{Span, Timestamp};
use crate::gateway::{LookupAnswer, SendAnswer};
use crate::planted::PlantedFault;
use crate::store::{AttemptResult, Outgoing};

/// The pause after the first temporary failure to send a message, before the next attempt. The pause
/// doubles with each attempt, up to `AGAIN_AFTER_MAX`.
const AGAIN_AFTER: Span = Span::from_secs(30);
/// The longest pause between two attempts to send a message. So after an outage of the provider has
/// ended, each waiting message is sent again within this time.
const AGAIN_AFTER_MAX: Span = Span::from_secs(15 * 60);
/// Maximum number of attempts to send a message. With the pauses above, the attempts span a day,
/// longer than a provider's usual outage. So a message survives an outage, unless it expires first.
const ATTEMPTS_MAX: i64 = 100;
/// The pause before the provider is asked again whether it has a message.
const ASK_AGAIN_AFTER: Span = Span::from_secs(30);
/// How long the provider is asked whether it has a message. After that time the message ends as unknown.
const ASKED_FOR: Span = Span::from_secs(24 * 3_600);

/// The result of sending a message through the gateway, or of looking it up there.
#[derive(Debug, Clone)]
pub(super) enum CallResult {
    /// The message was handed to the gateway. The value tells what the provider answered, or that the
    /// provider did not answer.
    Answer(SendAnswer),
    /// The message was not handed to the gateway, because the time within which sending must begin had
    /// passed.
    NotBegun,
    /// At this instant of the database's clock, the provider was asked whether it has the message.
    LookedUp(LookupAnswer, Timestamp),
}

/// Returns the pause after a failed attempt to send, or `None` if no further attempt is made.
/// Attempts are counted from 1.
fn pause_after(attempt: i64) -> Option<Span> {
    let doubled = u32::try_from(attempt - 1).unwrap_or(0).min(16);
    let pause = Span::from_micros(AGAIN_AFTER.micros() << doubled).min(AGAIN_AFTER_MAX);
    (attempt < ATTEMPTS_MAX).then_some(pause)
}

/// Decides the result of an attempt to send a message. The parameter `came` is the result of sending the message or of
/// looking it up.
pub(super) fn decide(outgoing: &Outgoing, came: CallResult, now: Timestamp) -> AttemptResult {
    let again = |why: String| match pause_after(outgoing.attempt) {
        Some(pause) => AttemptResult::Again { at: now + pause, why },
        None => AttemptResult::Failed { why },
    };
    match came {
        CallResult::NotBegun => AttemptResult::Again {
            at: now,
            why: "the call to the provider did not begin in time".to_owned(),
        },
        CallResult::Answer(SendAnswer::Accepted { reference }) => {
            AttemptResult::Sent { provider_ref: reference }
        }
        CallResult::Answer(SendAnswer::Unknown { reason }) => {
            AttemptResult::InDoubt { why: reason }
        }
        CallResult::Answer(SendAnswer::NotSent { reason }) => again(reason),
        CallResult::Answer(SendAnswer::Refused { code, later: true }) => again(code),
        CallResult::Answer(SendAnswer::Refused { code, later: false }) => {
            AttemptResult::Failed { why: code }
        }
        CallResult::LookedUp(LookupAnswer::Received { .. }, _)
            if PlantedFault::LookupIgnored.is_active() =>
        {
            again("ignored".to_owned())
        }
        CallResult::LookedUp(LookupAnswer::Received { reference }, _) => {
            AttemptResult::Sent { provider_ref: reference }
        }
        // The provider is asked only after the attempt to send the message has timed out. So enough time
        // has passed since the attempt, and no further pause is needed.
        CallResult::LookedUp(LookupAnswer::NotReceived, _) => {
            let why = "the provider does not have it".to_owned();
            match pause_after(outgoing.attempt) {
                Some(_) => AttemptResult::Again { at: now, why },
                None => AttemptResult::Failed { why },
            }
        }
        CallResult::LookedUp(LookupAnswer::CannotTellYet { reason }, asked_at) => {
            let begun = outgoing.start_by.unwrap_or(asked_at);
            match asked_at < begun + ASKED_FOR {
                true => AttemptResult::AskAgain { at: asked_at + ASK_AGAIN_AFTER },
                false => AttemptResult::Unknown { why: reason },
            }
        }
        CallResult::LookedUp(LookupAnswer::CanNeverTell { reason }, _) => {
            AttemptResult::Unknown { why: reason }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TypedId as _;

    #[test]
    fn pauses_double_up_to_a_quarter_of_an_hour_and_last_for_a_day() {
        let pause = |attempt| pause_after(attempt).map(|pause| pause.micros() / 1_000_000);
        assert_eq!([1, 2, 3, 6].map(pause), [Some(30), Some(60), Some(120), Some(900)]);
        assert_eq!([99, 100, 101].map(pause), [Some(900), None, None]);
        let all: i64 = (1..100).filter_map(pause).sum();
        assert!((23..25).contains(&(all / 3_600)), "{} h", all / 3_600);
    }

    #[test]
    fn a_text_is_asked_after_for_a_day_and_never_repeated_in_doubt() {
        let hour = |h: i64| Timestamp::from_micros(h * 3_600_000_000);
        let outgoing = Outgoing {
            id: crate::base::MessageId::from_uuid(uuid::Uuid::nil()),
            tenant: String::new(),
            kind: String::new(),
            to: String::new(),
            body: String::new(),
            attempt: 1,
            person: None,
            request: None,
            run: None,
            start_by: Some(hour(100)),
        };
        let after = |found: LookupAnswer, at| {
            decide(&outgoing, CallResult::LookedUp(found, hour(at)), hour(500))
        };
        let not_now = || LookupAnswer::CannotTellYet { reason: "busy".to_owned() };
        assert_eq!(
            after(not_now(), 101),
            AttemptResult::AskAgain { at: hour(101) + ASK_AGAIN_AFTER }
        );
        assert_eq!(after(not_now(), 124), AttemptResult::Unknown { why: "busy".to_owned() });
        let never = LookupAnswer::CanNeverTell { reason: "gone".to_owned() };
        assert_eq!(after(never, 101), AttemptResult::Unknown { why: "gone".to_owned() });
        assert!(
            matches!(after(LookupAnswer::NotReceived, 101), AttemptResult::Again { at, .. } if at == hour(500))
        );
    }
}
