//! The kill switch: while it is on, nothing is sent, no timer fires, and nothing is lost.

mod job;

use abide_engine::driver::DriveMode;
use abide_engine::run::RunOutcome;
use serde_json::json;

use super::church::{Church, PAT, Setup, on_both};
use super::probe::probed;

const INVITED: &str = "SELECT COUNT(*) FROM offer WHERE state = 'pending'";
const WELL: &str = "method: well\nsteps: [ { call: echo, args: { value: 1 } } ]\n";

/// Builds a setup that drives runs in tasks. A process then drives a run as soon as it has started the run.
fn tasks_setup() -> Setup {
    Setup { drive_mode: DriveMode::Tasks(4), ..probed(&[("well", WELL)]) }
}

on_both!(a_run_started_while_the_switch_is_on_is_not_driven, with tasks_setup(), async |church: Church| {
    let first = church.start("well", json!({})).await.expect("started").id;
    church.engine().tick().await.expect("settled");
    assert_eq!(church.run(first).await.status.as_str(), "completed", "later starts are driven by their starter");
    church.engine().set_tenant_paused("default", true).await.expect("paused");
    let run = church.start("well", json!({})).await.expect("started").id;
    church.engine().tick().await.expect("settled");
    assert_eq!(church.run(run).await.status.as_str(), "pending");
    assert_eq!(church.number("SELECT COUNT(owner) FROM turn").await, 0, "no process owns it");
    church.engine().set_tenant_paused("default", false).await.expect("resumed");
    church.engine().tick().await.expect("settled");
    assert_eq!(church.run(run).await.status.as_str(), "completed");
    church.assert_consistent().await;
});

on_both!(a_run_started_while_the_switch_is_on_begins_when_it_is_off, async |mut church: Church| {
    church.engine().set_tenant_paused("default", true).await.expect("paused");
    let run = church.fill(5).await.id;
    church.advance("9h").await;
    church.crash().await;
    assert_eq!(church.provider.sent(), []);
    church.engine().set_tenant_paused("default", false).await.expect("resumed");
    assert_eq!(church.provider.sent().len(), 12);
    church.advance("1h").await;
    church.say("ABCDE", "yes").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    church.assert_consistent().await;
});

on_both!(replies_and_stops_are_processed_while_the_switch_is_on, async |mut church: Church| {
    let run = church.fill(5).await.id;
    church.advance("1h").await;
    church.engine().set_tenant_paused("default", true).await.expect("paused");
    let before = church.provider.sent().len();
    church.say("A", "yes").await;
    assert_eq!(church.text(&Church::phone('B'), "STOP").await.handled_as.as_str(), "opt_out");
    church.advance("7h").await;
    church.crash().await;
    assert_eq!(church.provider.sent().len(), before, "nothing is sent, no timer fires");
    let waiting = church.run(run).await;
    assert_eq!(waiting.status.as_str(), "waiting", "{waiting:?}");
    assert_eq!(waiting.waiting_on.expect("a wait").have, Some(1), "the yes counts");
    church.engine().set_tenant_paused("default", false).await.expect("resumed");
    church.engine().set_tenant_paused("default", false).await.expect("is off already");
    for (letter, kind, times) in
        [('A', "confirmed", 1), ('A', "last_call", 0), ('B', "last_call", 0), ('C', "last_call", 1)]
    {
        assert_eq!(church.sent(&Church::phone(letter), kind).await, times, "{kind} to {letter}");
    }
    church.say("CDEF", "yes").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    assert_eq!(church.sent(PAT, "summary").await, 1);
    church.assert_consistent().await;
});
on_both!(waits_and_offers_count_from_the_send_that_the_switch_held, async |mut church: Church| {
    church.advance("11h 40min").await;
    let run = church.fill(5).await.id;
    church.engine().set_tenant_paused("default", true).await.expect("paused");
    church.advance("14h 20min").await;
    assert_eq!(church.provider.sent(), [], "it is noon, but the switch is on");
    church.engine().set_tenant_paused("default", false).await.expect("resumed");
    assert_eq!(
        church.provider.sent().len(),
        12,
        "{:#?}",
        church.messages(&Church::phone('A')).await
    );
    church.advance("5h 59min").await;
    assert_eq!(church.sent(&Church::phone('A'), "last_call").await, 0);
    church.advance("1min").await;
    assert_eq!(church.sent(&Church::phone('A'), "last_call").await, 1, "six hours after the send");
    church.crash().await;
    church.advance("17h 59min").await;
    assert_eq!(church.number(INVITED).await, 12);
    church.advance("1min").await;
    assert_eq!(church.number(INVITED).await, 0, "a day after the send");
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::FellShort));
    church.assert_consistent().await;
});
