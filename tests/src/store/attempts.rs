//! Results of attempts to send messages are recorded together, and each as it is.

use abide_engine::base::MessageId;
use abide_engine::store::{AttemptResult, MessageQuery, MessageState, SendAttempt, TriedSend};

use super::outbox::OutboxFixture;
use super::support::{START, minutes};
use crate::postgres::databases;

/// What a result does to a message: its state, the reason, and the minute of its next release.
type Expected = (MessageState, Option<&'static str>, i64);

#[tokio::test]
async fn results_that_arrive_together_are_recorded_each_as_it_is() {
    let why = || "busy".to_owned();
    let later = START + minutes(90);
    let cases: [(AttemptResult, Expected); 6] = [
        (AttemptResult::Sent { provider_ref: "SM1".to_owned() }, (MessageState::Sent, None, 0)),
        (AttemptResult::InDoubt { why: why() }, (MessageState::Sending, Some("busy"), 0)),
        (AttemptResult::AskAgain { at: later }, (MessageState::Sending, None, 0)),
        (AttemptResult::Again { at: later, why: why() }, (MessageState::Queued, Some("busy"), 90)),
        (AttemptResult::Failed { why: why() }, (MessageState::Failed, Some("busy"), 0)),
        (AttemptResult::Unknown { why: why() }, (MessageState::Unknown, Some("busy"), 0)),
    ];
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let mut ids: Vec<MessageId> = Vec::new();
        for nth in 0..=cases.len() {
            ids.push(outbox.queue_one(&format!("k{nth}"), 0).await);
        }
        assert_eq!(outbox.release(START).await.len(), ids.len(), "{database}");
        let tried = |nth: usize, attempt, result: &AttemptResult| TriedSend {
            attempt: SendAttempt { message: ids[nth], attempt },
            result: result.clone(),
        };
        // The last message is being sent for the first time: a result of another attempt changes nothing.
        let other = tried(cases.len(), 2, &cases[0].0);
        let results = cases.iter().enumerate().map(|(nth, (result, _))| tried(nth, 1, result));
        let changed = outbox.record(results.rev().chain([other]).collect()).await;
        assert_eq!(changed, ids[..cases.len()].iter().copied().collect(), "{database}");
        let page = outbox.page(MessageQuery::default()).await;
        let state = |id: MessageId| {
            let row = page.iter().find(|row| row.id == id).expect("a message");
            (row.state, row.error.clone(), row.not_before, row.sent_at.is_some())
        };
        for (id, (result, (is, error, minute))) in ids.iter().zip(&cases) {
            let is_sent = *is == MessageState::Sent;
            let expected = (*is, error.map(str::to_owned), START + minutes(*minute), is_sent);
            assert_eq!(state(*id), expected, "{database}: {result:?}");
        }
        assert_eq!(state(ids[cases.len()]).0, MessageState::Sending, "{database}");
    }
}
