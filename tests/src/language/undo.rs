//! Compensation: when a run fails or is cancelled, its calls are undone in reverse order.

use abide_engine::run::Control;
use serde_json::{Value, json};

use super::{end, method, signal, start};
use crate::campaign::church::{Church, on_both};

const BOOKED: &str = "method: m
steps:
  - set: { n: 1 }
  - call: echo
    args: { value: first }
    out: got
    compensate: { call: echo, args: { value: '{{got + str(n)}}' } }
  - set: { n: 2 }
  - call: echo
    foreach: item in [a, b]
    args: { value: '{{item}}' }
    compensate: { call: echo, args: { value: 'undo {{item}}' } }
  - parallel:
      - [ { call: echo, args: { value: p }, compensate: { call: echo, args: { value: undo p } } } ]
      - [ { call: echo, args: { value: q }, compensate: { call: attempt, args: { failures: 9, transient: false } } } ]
  - await: { signal: go, timeout: 5h }
  - call: attempt
    args: { failures: 9, transient: false }
on_cancel:
  - call: echo
    args: { value: told }
";

fn booked() -> crate::campaign::church::Setup {
    method(&BOOKED.replace("[a, b]", "['a', 'b']"))
}

/// Returns the argument `value` of each call of a run, in the sequence of the calls.
async fn done(church: &Church, run: abide_engine::base::RunId) -> Vec<Value> {
    let receipts = church.receipts(run).await;
    receipts.into_iter().map(|receipt| receipt["input"]["value"].clone()).collect()
}

on_both!(
    a_run_that_fails_undoes_its_calls_in_reverse_order,
    with booked(),
    async |mut church: Church| {
        let run = start(&church).await;
        church.crash().await;
        signal(&church, run, "go", json!(null)).await;
        assert_eq!(end(&church, run).await, "failed refused");
        let done = done(&church, run).await;
        let undone: Vec<&Value> = done.iter().skip(done.len() - 5).collect();
        // The first item is the failed compensation. That call has no argument `value`: the item is null.
        let expected = [Value::Null, json!("undo p"), json!("undo b"), json!("undo a"), json!("first1")];
        assert_eq!(undone, expected.iter().collect::<Vec<_>>());
        assert_eq!(church.number("SELECT COUNT(*) FROM undo WHERE state = 'failed'").await, 1);
        assert_eq!(church.number("SELECT COUNT(*) FROM undo WHERE state = 'done'").await, 4);
        let refused = church.control(run, Control::Retry).await.expect_err("an undone run cannot be retried");
        assert_eq!(refused.code, "wrong_state");
        church.assert_consistent().await;
    }
);

on_both!(
    a_cancelled_run_undoes_its_calls_and_then_runs_on_cancel,
    with booked(),
    async |mut church: Church| {
        let run = start(&church).await;
        church.crash().await;
        church.control(run, Control::Cancel).await.expect("cancelled");
        church.advance("1s").await;
        assert_eq!(church.run(run).await.status.as_str(), "cancelled");
        let done = done(&church, run).await;
        assert_eq!(done.last(), Some(&json!("told")));
        assert_eq!(done[done.len() - 2], json!("first1"), "calls are undone before `on_cancel`");
        church.assert_consistent().await;
    }
);

on_both!(
    a_run_that_succeeds_undoes_nothing,
    with method(
        "method: m
steps:
  - call: echo
    args: { value: 1 }
    compensate: { call: attempt, args: { failures: 0 } }
"
    ),
    async |church: Church| {
        let run = start(&church).await;
        assert_eq!(end(&church, run).await, "succeeded");
        assert_eq!(church.receipts(run).await.len(), 1);
        church.assert_consistent().await;
    }
);

const RIVALS: &str = "method: m
steps:
  - parallel:
      - - await: { timeout: 1h }
        - set: { p: 1 }
        - { call: echo, args: { value: p }, compensate: { call: echo, args: { value: undo p } } }
      - - await: { timeout: 1h }
        - set: { q: 1 }
        - { call: echo, args: { value: q }, compensate: { call: echo, args: { value: undo q } } }
    join: any
";

on_both!(
    of_two_branches_that_end_at_once_the_losing_one_is_undone,
    with method(RIVALS),
    async |church: Church| {
        let run = start(&church).await;
        church.advance("1h").await;
        assert_eq!(end(&church, run).await, "succeeded");
        let done = done(&church, run).await;
        let did = |what: &str| done.contains(&json!(what));
        for (branch, other) in [("p", "q"), ("q", "p")] {
            let kept = did(branch) && !did(&format!("undo {branch}"));
            assert_eq!(kept, !did(other) || did(&format!("undo {other}")), "{done:?}");
            let left = church.var(run, branch).await;
            assert_eq!(left, if kept { json!(1) } else { Value::Null }, "{done:?}");
        }
        assert_eq!(church.number("SELECT COUNT(*) FROM run WHERE status = 'cancelled'").await, 1);
        church.assert_consistent().await;
    }
);
