//! A deadline waits for replies that were stored before the deadline but are not applied yet.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use abide_engine::run::RunOutcome;
use abide_engine::store::{
    CommitPart, CommitParts, CommitPoint, FaultAction, FaultHooks, StatementHooks,
};

use super::church::{Church, Setup};
use crate::postgres::databases;

/// A fault that can be switched on. It then rejects every commit that applies a message and queues an
/// answer.
#[derive(Default)]
struct RefuseApplying(AtomicBool);

impl StatementHooks for RefuseApplying {}

impl FaultHooks for RefuseApplying {
    fn at_commit(&self, point: CommitPoint, parts: CommitParts) -> FaultAction {
        let on = self.0.load(Ordering::SeqCst);
        let applies = parts.has(CommitPart::Applied) && parts.has(CommitPart::Outbox);
        match on && point == CommitPoint::Before && applies {
            true => FaultAction::Refuse,
            false => FaultAction::Go,
        }
    }
}

/// Runs a test on each database. The test gets the switch that keeps messages from being applied.
async fn on_both(story: impl AsyncFn(Church, &RefuseApplying)) {
    for database in databases() {
        let refuses = Arc::new(RefuseApplying::default());
        let setup = Setup { faults: refuses.clone(), ..Setup::default() };
        story(Church::with(database, setup).await, &refuses).await;
    }
}

const EXPIRED: &str = "SELECT COUNT(*) FROM offer WHERE state = 'expired'";
const ACCEPTED: &str = "SELECT COUNT(*) FROM assignment WHERE state = 'accepted'";
const BARRED: &str = "SELECT COUNT(*) FROM barred";

/// Moves the clock forward, and then does everything that is due at the new time.
async fn advance_clock_then_work(church: &Church, span: &str) {
    church.move_clock(span);
    church.engine().tick().await.expect("settled");
}

#[tokio::test]
async fn a_wait_times_out_only_after_earlier_replies_are_applied() {
    on_both(async |mut church, refuses| {
        let run = church.fill(5).await.id;
        church.advance("5h 59m 50s").await;
        refuses.0.store(true, Ordering::SeqCst);
        church.say("ABCDE", "yes, gladly").await;
        advance_clock_then_work(&church, "1min").await;
        assert_eq!(church.run(run).await.status.as_str(), "waiting");
        assert_eq!(church.number(BARRED).await, 1, "the run waits for them");
        assert_eq!(church.sent(&Church::phone('F'), "last_call").await, 0, "no fallback yet");
        refuses.0.store(false, Ordering::SeqCst);
        advance_clock_then_work(&church, "2s").await;
        assert_eq!(church.number(ACCEPTED).await, 5);
        assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
        assert_eq!(church.number(BARRED).await, 0);
        church.assert_consistent().await;
    })
    .await;
}

#[tokio::test]
async fn no_invitation_expires_before_a_timely_yes_is_applied() {
    on_both(async |mut church, refuses| {
        let run = church.fill(5).await.id;
        let expiry = church.number("SELECT MIN(expires_at) - MIN(created_at) FROM offer").await;
        let short_of_it = format!("{}s", expiry / 1_000_000 - 10);
        church.advance(&short_of_it).await;
        let open = church.number("SELECT COUNT(*) FROM offer WHERE state = 'pending'").await;
        assert!(open > 5, "they are still open");
        refuses.0.store(true, Ordering::SeqCst);
        church.say("ABC", "yes").await;
        advance_clock_then_work(&church, "1min").await;
        assert_eq!(church.number(EXPIRED).await, 0, "none before the three are applied");
        refuses.0.store(false, Ordering::SeqCst);
        advance_clock_then_work(&church, "2s").await;
        assert_eq!(church.number(ACCEPTED).await, 3);
        let theirs = "SELECT COUNT(*) FROM offer WHERE state = 'accepted'";
        assert_eq!(church.number(theirs).await, 3, "the invitations that they had are accepted");
        assert_eq!(church.number(EXPIRED).await, open - 3, "the others have expired");
        assert!(church.run(run).await.error.is_none());
        church.assert_consistent().await;
    })
    .await;
}

#[tokio::test]
async fn a_reply_that_cannot_be_applied_goes_to_staff_and_time_goes_on() {
    on_both(async |mut church, refuses| {
        let run = church.fill(5).await.id;
        refuses.0.store(true, Ordering::SeqCst);
        church.say("A", "yes").await;
        for _ in 0..40 {
            advance_clock_then_work(&church, "1s").await;
        }
        let aside = "SELECT COUNT(*) FROM inbox WHERE reason = 'not_applied' AND state = 'open'";
        assert_eq!(church.number(aside).await, 1);
        assert_eq!(church.number("SELECT COUNT(*) FROM inbound WHERE applied_at IS NULL").await, 0);
        church.advance("9h").await;
        assert_eq!(church.run(run).await.outcome, Some(RunOutcome::FellShort));
        church.assert_consistent().await;
    })
    .await;
}
