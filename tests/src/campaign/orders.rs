//! A run obeys the orders `cancel`, `pause`, `resume` and `retry`.
//! The orders are given in every state of a run, while a timer is due, and while replies arrive.

use abide_engine::base::RunId;
use abide_engine::driver::DriveMode;
use abide_engine::run::Control::{self, Cancel, Pause, Resume, Retry};
use abide_engine::run::RunOutcome;
use serde_json::json;

use super::church::{Church, PAT, Setup, on_both};
use super::probe::probed;

const PATIENT: &str = r#"
method: patient
steps:
  - id: knock
    call: attempt
    args: { failures: 1000, transient: "{{goal.transient}}" }
    retry: { attempts: 100, backoff: fixed, first: 1h, max: 1h, on: [transient] }
"#;

const WELL: &str = "method: well\nsteps: [ { call: echo, args: { value: 1 } } ]\n";

/// Starts a run and brings it into the state that `state` names.
async fn run_in(church: &Church, state: &str) -> RunId {
    let (method, goal) = match state {
        "completed" => ("well", json!({})),
        "failed" => ("patient", json!({ "transient": false })),
        _ => ("patient", json!({ "transient": true })),
    };
    let run = church.start(method, goal).await.expect("started").id;
    match state {
        "paused" => drop(church.control(run, Pause).await.expect("paused")),
        "cancelled" => drop(church.control(run, Cancel).await.expect("cancelled")),
        _ => {}
    }
    assert_eq!(church.run(run).await.status.as_str(), state);
    run
}

on_both!(
    the_state_of_a_run_decides_whether_an_order_is_obeyed,
    with probed(&[("patient", PATIENT), ("well", WELL)]),
    async |church: Church| {
        let table: [(&str, Control, Option<&str>); 20] = [
            ("waiting", Cancel, Some("cancelled")),
            ("waiting", Pause, Some("paused")),
            ("waiting", Resume, None),
            ("waiting", Retry, None),
            ("paused", Cancel, Some("cancelled")),
            ("paused", Pause, Some("paused")),
            ("paused", Resume, Some("waiting")),
            ("paused", Retry, None),
            ("failed", Cancel, None),
            ("failed", Pause, None),
            ("failed", Resume, None),
            ("failed", Retry, Some("failed")),
            ("completed", Cancel, None),
            ("completed", Pause, None),
            ("completed", Resume, None),
            ("completed", Retry, None),
            ("cancelled", Cancel, Some("cancelled")),
            ("cancelled", Pause, None),
            ("cancelled", Resume, None),
            ("cancelled", Retry, None),
        ];
        for (state, order, expected) in table {
            let run = run_in(&church, state).await;
            match (church.control(run, order).await, expected) {
                (Ok(view), Some(expected)) => assert_eq!(view.status.as_str(), expected, "{state} {order:?}"),
                (Err(refused), None) => {
                    assert_eq!(refused.code, "wrong_state", "{state} {order:?}");
                    assert!(refused.hint.is_some(), "{refused}");
                    assert_eq!(church.run(run).await.status.as_str(), state, "{order:?} changed nothing");
                }
                (found, expected) => panic!("{state} {order:?}: {found:?}, not {expected:?}"),
            }
        }
        church.assert_consistent().await;
    }
);

/// Builds a setup whose engine works only when the test calls `tick`. Until that call, orders stay pending.
fn undriven() -> Setup {
    Setup { drive_mode: DriveMode::Tasks(4), ..probed(&[("patient", PATIENT)]) }
}

on_both!(
    an_order_is_judged_after_the_orders_before_it,
    with undriven(),
    async |church: Church| {
        for (orders, refused, becomes) in [
            (&[Pause, Resume][..], None, "waiting"),
            (&[Pause, Resume, Pause], None, "paused"),
            (&[Pause, Pause, Resume], None, "waiting"),
            (&[Cancel, Cancel], None, "cancelled"),
            (&[Cancel, Resume], Some("the run is cancelled and cannot be asked to resume"), "cancelled"),
            (&[Resume, Pause], Some("the run is waiting and cannot be asked to resume"), "paused"),
        ] {
            let run = church.start("patient", json!({ "transient": true })).await.expect("started").id;
            church.engine().tick().await.expect("settled");
            let mut why = None;
            for order in orders {
                why = why.or(church.control(run, *order).await.err().map(|problem| problem.to_string()));
                assert_eq!(church.run(run).await.status.as_str(), "waiting", "{order:?} is not obeyed yet");
            }
            assert_eq!(why.as_deref(), refused, "{orders:?}");
            church.engine().tick().await.expect("obeyed");
            assert_eq!(church.run(run).await.status.as_str(), becomes, "{orders:?}");
        }
        church.assert_consistent().await;
    }
);

on_both!(
    a_cancelled_campaign_withdraws_its_offers_and_its_timer_does_nothing,
    async |mut church: Church| {
        let run = church.fill(5).await.id;
        church.say("ABC", "yes").await;
        church.advance("2h").await;
        church.control(run, Cancel).await.expect("cancelled");
        church.crash().await;
        church.control(run, Cancel).await.expect("it is cancelled already");
        church.advance("23h").await;
        for (letter, told) in [('A', 0), ('C', 0), ('D', 1), ('L', 1)] {
            assert_eq!(church.sent(&Church::phone(letter), "cancelled").await, told, "{letter}");
            assert_eq!(church.sent(&Church::phone(letter), "last_call").await, 0, "{letter}");
        }
        assert_eq!(church.sent(PAT, "summary").await, 0);
        let again = church.fill(5).await.id;
        assert_eq!(
            church.sent(&Church::phone('D'), "invite").await,
            2,
            "the second invitation is not suppressed"
        );
        assert_eq!(church.sent(&Church::phone('A'), "invite").await, 1, "she has a place already");
        church.say("DE", "yes").await;
        assert_eq!(church.run(again).await.outcome, Some(RunOutcome::Succeeded));
        church.assert_consistent().await;
    }
);

on_both!(a_cancel_beats_a_timer_that_is_due, async |church: Church| {
    let run = church.fill(5).await.id;
    church.move_clock("6h");
    church.control(run, Cancel).await.expect("cancelled");
    assert_eq!(church.run(run).await.status.as_str(), "cancelled");
    church.advance("1h").await;
    assert_eq!(church.sent(&Church::phone('A'), "last_call").await, 0);
    church.assert_consistent().await;
});

on_both!(a_paused_run_ignores_its_timer_until_it_is_resumed, async |mut church: Church| {
    let run = church.fill(5).await.id;
    church.advance("1h").await;
    church.say("A", "yes").await;
    church.control(run, Pause).await.expect("paused");
    church.crash().await;
    church.advance("7h").await;
    let view = church.run(run).await;
    assert_eq!(
        (view.status.as_str(), view.waiting_on.expect("a reason").kind.as_str()),
        ("paused", "pause")
    );
    church.say("B", "yes").await;
    assert_eq!(
        church.sent(&Church::phone('B'), "confirmed").await,
        1,
        "replies count during a pause"
    );
    assert_eq!(church.sent(&Church::phone('C'), "last_call").await, 0);
    church.control(run, Resume).await.expect("resumed");
    for (letter, calls) in [('A', 0), ('B', 0), ('C', 1)] {
        assert_eq!(church.sent(&Church::phone(letter), "last_call").await, calls, "{letter}");
    }
    church.say("CDE", "yes").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    church.assert_consistent().await;
});

on_both!(a_paused_run_can_be_filled_by_replies, async |mut church: Church| {
    let run = church.fill(1).await.id;
    church.control(run, Pause).await.expect("paused");
    church.say("A", "yes").await;
    assert_eq!(
        church.run(run).await.status.as_str(),
        "paused",
        "a reply does not move a paused run"
    );
    church.control(run, Resume).await.expect("resumed");
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    church.assert_consistent().await;
});
