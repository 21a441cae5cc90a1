//! What is live, open or still needed stays.

use abide_engine::archive::MemoryArchives;
use abide_engine::run::Control;

use super::{archive, archived, attach, counts, next_campaign, old_campaign, stored};
use crate::campaign::church::{Church, on_both};

on_both!(a_live_run_keeps_its_request_and_its_messages, async |mut church: Church| {
    let files = MemoryArchives::default();
    attach(church.engine(), &files);
    let run = church.fill(2).await.id;
    church.say("A", "yes").await;
    church.move_clock("30d");
    let before = stored(&church).await;
    archive(&church).await.expect("archived");
    let after = stored(&church).await;
    for table in ["run", "var", "request", "offer", "assignment", "outbox", "inbound", "tally"] {
        assert_eq!(before[table], after[table], "{table}: {:?}", counts(&files));
    }
    church.control(run, Control::Cancel).await.expect("cancelled");
    church.assert_consistent().await;
});

on_both!(a_request_stays_while_one_of_its_runs_does, async |mut church: Church| {
    let files = MemoryArchives::default();
    attach(church.engine(), &files);
    old_campaign(&mut church).await;
    // The run looks as if somebody had just asked for another attempt.
    church
        .execute(
            "INSERT INTO turn (run_id, tenant, held, epoch, wake, claims, due_at)
             SELECT id, tenant, 0, seq + 1, 0, 0, NULL FROM run",
        )
        .await;
    archive(&church).await.expect("archived");
    let after = stored(&church).await;
    assert_eq!((after["run"], after["request"]), (1, 1));
    church.execute("DELETE FROM turn").await;
    archive(&church).await.expect("archived");
    let after = stored(&church).await;
    assert_eq!((after["run"], after["request"]), (0, 0));
    church.assert_consistent().await;
});

on_both!(an_open_entry_of_the_inbox_keeps_its_message, async |mut church: Church| {
    let files = MemoryArchives::default();
    attach(church.engine(), &files);
    old_campaign(&mut church).await;
    church.text("+15125559999", "is anybody there?").await;
    church.advance("1d").await;
    let open = church.number("SELECT COUNT(*) FROM inbox WHERE state = 'open'").await;
    assert!(open > 0);
    archive(&church).await.expect("archived");
    let kept = "SELECT COUNT(*) FROM inbound m JOIN inbox b ON b.message = m.id JOIN pii p ON p.id = m.body";
    assert_eq!(church.number(kept).await, open);
    church.execute("UPDATE inbox SET state = 'closed'").await;
    archive(&church).await.expect("archived");
    assert_eq!(church.number("SELECT COUNT(*) FROM inbox").await, 0);
    assert_eq!(church.number("SELECT COUNT(*) FROM inbound").await, 0);
    church.assert_consistent().await;
});

on_both!(an_opt_out_and_the_numbers_stay, async |mut church: Church| {
    let files = MemoryArchives::default();
    attach(church.engine(), &files);
    church.fill(1).await;
    church.say("A", "STOP").await;
    church.say("B", "yes").await;
    church.advance("15d").await;
    let contacts =
        "SELECT COUNT(*) FROM contact c JOIN pii p ON p.id = c.phone WHERE p.value IS NOT NULL";
    let before = church.number(contacts).await;
    archive(&church).await.expect("archived");
    assert_eq!(church.number(contacts).await, before);
    assert_eq!(church.number("SELECT COUNT(*) FROM contact WHERE suppressed = 1").await, 1);
    assert!(!archived(&files).contains_key("contact"));
    next_campaign(&mut church, "").await;
    church.advance("15d").await;
    assert_eq!(
        church.sent(&Church::phone('A'), "invite").await,
        0,
        "who has opted out gets nothing"
    );
    church.assert_consistent().await;
});

on_both!(
    a_message_of_a_failed_run_stays_while_the_run_can_be_retried,
    async |mut church: Church| {
        let files = MemoryArchives::default();
        attach(church.engine(), &files);
        old_campaign(&mut church).await;
        let messages = church.number("SELECT COUNT(*) FROM outbox WHERE run_id IS NOT NULL").await;
        assert!(messages > 0);
        church
            .execute("UPDATE run SET status = 'failed', ended_at = ended_at + 8640000000000000")
            .await;
        archive(&church).await.expect("archived");
        assert_eq!(
            church.number("SELECT COUNT(*) FROM outbox WHERE run_id IS NOT NULL").await,
            messages
        );
    }
);
