//! Folding the events yields the stored rows.
//! The audit reports every row that differs from the folded state.

use abide_engine::domain::Breach;
use abide_engine::run::RunOutcome;
use serde_json::json;

use super::church::{Church, on_both};

async fn breaches(church: &Church) -> Vec<Breach> {
    church.engine().audit().await.expect("audited").breaches
}

on_both!(a_row_changed_without_an_event_is_found, async |mut church: Church| {
    let run = church.fill(3).await.id;
    church.say("AB", "yes").await;
    church.say("C", "sorry, no").await;
    church.advance("1h").await;
    church.assert_consistent().await;
    let cases = [
        (
            "UPDATE offer SET state = 'expired' WHERE state = 'declined'",
            "UPDATE offer SET state = 'declined' WHERE state = 'expired'",
            "offer ofr_",
        ),
        ("UPDATE offer SET wave = 2", "UPDATE offer SET wave = 1", "offer ofr_"),
        (
            "UPDATE assignment SET state = 'cancelled' WHERE state = 'declined'",
            "UPDATE assignment SET state = 'declined' WHERE state = 'cancelled'",
            "for `nursery` is",
        ),
        (
            "UPDATE assignment SET seat = 3 WHERE seat = 1",
            "UPDATE assignment SET seat = 1 WHERE seat = 3",
            "for `nursery` is",
        ),
        (
            "UPDATE request SET status = 'open'",
            "UPDATE request SET status = 'partially_filled'",
            "its events say Some((\"partially_filled\"",
        ),
        (
            "UPDATE run SET status = 'paused'",
            "UPDATE run SET status = 'waiting'",
            "it is `paused`, but its events say Alive",
        ),
    ];
    for (tamper, restore, named) in cases {
        church.execute(tamper).await;
        let found = breaches(&church).await;
        let said =
            |breach: &&Breach| breach.rule == "ledger_differs" && breach.detail.contains(named);
        assert!(found.iter().any(|breach| said(&breach)), "{tamper}: {found:#?}");
        church.execute(restore).await;
        church.assert_consistent().await;
    }
    church.say("D", "yes").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    church.execute("UPDATE run SET outcome = 'fell_short'").await;
    assert!(breaches(&church).await.iter().any(|b| b.rule == "ledger_differs"));
    church.execute("UPDATE run SET outcome = 'succeeded'").await;
    church.assert_consistent().await;
});

on_both!(a_deleted_history_is_found, async |church: Church| {
    let run = church.fill(2).await.id;
    church.execute("DELETE FROM ledger").await;
    let found = breaches(&church).await;
    let missed = |b: &&Breach| b.rule == "head_without_events" && b.detail == run.to_string();
    assert!(found.iter().any(|breach| missed(&breach)), "{found:#?}");
});

on_both!(an_event_with_more_offers_than_it_names_is_folded, async |church: Church| {
    church.add_people(450, "choir").await;
    let goal = json!({ "kind": "FillRole", "role": "choir", "count": 400, "time": super::church::SERVICE });
    let run = church.start("fill_roles", goal).await.expect("started").id;
    let asked = "SELECT COUNT(*) FROM offer WHERE state = 'pending'";
    assert!(church.number(asked).await > 200, "{:?}", church.run(run).await);
    church.assert_consistent().await;
    church.control(run, abide_engine::run::Control::Cancel).await.expect("cancelled");
    assert_eq!(church.number(asked).await, 0);
    church.assert_consistent().await;
});
