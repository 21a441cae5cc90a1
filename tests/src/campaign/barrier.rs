//! Replies that are stored and cannot be applied when a deadline comes: it waits for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use abide_engine::store::{CommitPoint, Faults, Holding, Part, Verdict};

use super::church::{Church, Setup};
use crate::postgres::databases;

/// While it is on, the database refuses every commit by which a message is applied and answered.
#[derive(Default)]
struct NothingApplied(AtomicBool);

impl Faults for NothingApplied {
    fn at_commit(&self, point: CommitPoint, holding: Holding) -> Verdict {
        let on = self.0.load(Ordering::SeqCst);
        let applies = holding.has(Part::Applied) && holding.has(Part::Outbox);
        match on && point == CommitPoint::Before && applies {
            true => Verdict::Refuse,
            false => Verdict::Go,
        }
    }
}

/// A story on each database, with the switch by which nothing is applied.
async fn on_both(story: impl AsyncFn(Church, &NothingApplied)) {
    for database in databases() {
        let refuses = Arc::new(NothingApplied::default());
        let setup = Setup { faults: refuses.clone(), ..Setup::default() };
        story(Church::with(database, setup).await, &refuses).await;
    }
}

const EXPIRED: &str = "SELECT COUNT(*) FROM offer WHERE state = 'expired'";
const ACCEPTED: &str = "SELECT COUNT(*) FROM assignment WHERE state = 'accepted'";
const BARRED: &str = "SELECT COUNT(*) FROM barred";

/// Some seconds later everything due is done.
async fn later(church: &Church, span: &str) {
    church.skip(span);
    church.engine().tick().await.expect("settled");
}

#[tokio::test]
async fn a_wait_that_is_over_waits_for_what_came_before_its_end() {
    on_both(async |mut church, refuses| {
        let run = church.fill(5).await.id;
        church.pass("5h 59m 50s").await;
        refuses.0.store(true, Ordering::SeqCst);
        church.say("ABCDE", "yes, gladly").await;
        later(&church, "1min").await;
        assert_eq!(church.run(run).await.status, "waiting");
        assert_eq!(church.number(BARRED).await, 1, "the run waits for them");
        assert_eq!(church.sent(&Church::phone('F'), "last_call").await, 0, "no fallback yet");
        refuses.0.store(false, Ordering::SeqCst);
        later(&church, "2s").await;
        assert_eq!(church.number(ACCEPTED).await, 5);
        assert_eq!(church.run(run).await.outcome.as_deref(), Some("succeeded"));
        assert_eq!(church.number(BARRED).await, 0);
        church.assert_sound().await;
    })
    .await;
}

#[tokio::test]
async fn no_invitation_expires_over_a_yes_that_came_in_time() {
    on_both(async |mut church, refuses| {
        let run = church.fill(5).await.id;
        let expiry = church.number("SELECT MIN(expires_at) - MIN(created_at) FROM offer").await;
        let short_of_it = format!("{}s", expiry / 1_000_000 - 10);
        church.pass(&short_of_it).await;
        let open = church.number("SELECT COUNT(*) FROM offer WHERE state = 'pending'").await;
        assert!(open > 5, "they are still open");
        refuses.0.store(true, Ordering::SeqCst);
        church.say("ABC", "yes").await;
        later(&church, "1min").await;
        assert_eq!(church.number(EXPIRED).await, 0, "none before the three are applied");
        refuses.0.store(false, Ordering::SeqCst);
        later(&church, "2s").await;
        assert_eq!(church.number(ACCEPTED).await, 3);
        let theirs = "SELECT COUNT(*) FROM offer WHERE state = 'accepted'";
        assert_eq!(church.number(theirs).await, 3, "by the invitations that they had");
        assert_eq!(church.number(EXPIRED).await, open - 3, "the others are over now");
        assert!(church.run(run).await.error.is_none());
        church.assert_sound().await;
    })
    .await;
}

#[tokio::test]
async fn what_can_never_be_applied_is_put_before_staff_and_time_goes_on() {
    on_both(async |mut church, refuses| {
        let run = church.fill(5).await.id;
        refuses.0.store(true, Ordering::SeqCst);
        church.say("A", "yes").await;
        for _ in 0..40 {
            later(&church, "1s").await;
        }
        let aside = "SELECT COUNT(*) FROM inbox WHERE reason = 'not_applied' AND state = 'open'";
        assert_eq!(church.number(aside).await, 1);
        assert_eq!(church.number("SELECT COUNT(*) FROM inbound WHERE applied_at IS NULL").await, 0);
        church.pass("9h").await;
        assert_eq!(church.run(run).await.outcome.as_deref(), Some("fell_short"));
        church.assert_sound().await;
    })
    .await;
}
