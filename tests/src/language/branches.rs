//! Parallel branches and concurrent rounds are child runs. The parent run joins the child runs and gets
//! their variables.

use abide_engine::run::Control;
use abide_engine::store::RunFilter;
use serde_json::json;

use super::{end, method, signal, start};
use crate::campaign::church::{Church, on_both};

const THREE: &str = "method: m
steps:
  - set: { base: 10 }
  - parallel:
      - - await: { signal: a, timeout: 5h, out: from_a }
        - call: echo
          args: { value: '{{base + 1}}' }
          out: one
      - - await: { signal: b, timeout: 5h }
        - set: { two: '{{base + 2}}' }
      - - await: { signal: c, timeout: 5h }
        - set: { three: 3 }
    join: JOIN
success_when: true
";

/// Changes the turn of one branch as if several processes had crashed while they worked on the branch.
const CLAIMED_IN_VAIN: &str = "UPDATE turn SET claims = 9, due_at = 0 WHERE run_id = \
    (SELECT id FROM run WHERE branch = 1 AND ordinal = 1)";

fn three(join: &str) -> crate::campaign::church::Setup {
    method(&THREE.replace("JOIN", join))
}

on_both!(
    all_branches_are_awaited_and_return_their_variables,
    with three("all"),
    async |mut church: Church| {
        let run = start(&church).await;
        let waits = church.run(run).await.waiting_on.expect("it waits");
        assert_eq!((waits.kind.as_str(), waits.need, waits.have), ("child", Some(3), Some(0)));
        signal(&church, run, "c", json!(null)).await;
        church.crash().await;
        signal(&church, run, "a", json!("hello")).await;
        assert_eq!(church.var(run, "one").await, json!(11), "an ended branch returns its variables");
        church.crash().await;
        assert_eq!(church.run(run).await.status.as_str(), "waiting");
        signal(&church, run, "b", json!(null)).await;
        assert_eq!(end(&church, run).await, "succeeded");
        assert_eq!(church.var(run, "from_a").await, json!("hello"));
        assert_eq!(church.var(run, "two").await, json!(12));
        assert_eq!(church.var(run, "three").await, json!(3));
        assert_eq!(church.engine().runs("default", &Default::default()).await.expect("runs").items.len(), 1);
        assert_eq!(church.receipts(run).await.len(), 1, "the calls of its branches belong to the run");
        church.assert_consistent().await;
    }
);

on_both!(
    a_run_with_a_quarantined_branch_is_listed_as_stuck,
    with three("all"),
    async |mut church: Church| {
        let run = start(&church).await;
        let stuck = RunFilter { stuck: true, ..RunFilter::default() };
        assert_eq!(church.engine().runs("default", &stuck).await.expect("runs").items.len(), 0);
        church.stop_process();
        church.execute(CLAIMED_IN_VAIN).await;
        church.crash().await;
        church.advance("1min").await;
        let listed = church.engine().runs("default", &stuck).await.expect("runs").items;
        assert_eq!(listed.iter().map(|run| run.id).collect::<Vec<_>>(), [run]);
        let why = listed[0].stuck.clone().expect("why");
        assert!(why.cause.starts_with("its branch run_"), "{why:?}");
        assert!(why.cause.contains("it crashed the process that worked on it"), "{why:?}");
        let (_, branch) = why.must_act.split_once("abide run resume ").expect("what to do");
        let branch = branch.split('`').next().and_then(|id| id.parse().ok()).expect("the branch");
        assert_eq!(church.run(run).await.stuck, Some(why));

        church.control(branch, Control::Resume).await.expect("resumed");
        assert_eq!(church.engine().runs("default", &stuck).await.expect("runs").items.len(), 0);
        for name in ["a", "b", "c"] {
            signal(&church, run, name, json!(null)).await;
        }
        assert_eq!(end(&church, run).await, "succeeded");
        church.assert_consistent().await;
    }
);

on_both!(
    the_first_branch_wins_and_the_others_are_cancelled,
    with three("any"),
    async |mut church: Church| {
        let run = start(&church).await;
        church.crash().await;
        signal(&church, run, "b", json!(null)).await;
        assert_eq!(end(&church, run).await, "succeeded");
        assert_eq!(church.var(run, "two").await, json!(12));
        assert_eq!(church.var(run, "one").await, json!(null));
        let cancelled = church.number("SELECT COUNT(*) FROM run WHERE status = 'cancelled'").await;
        assert_eq!(cancelled, 2);
        church.assert_consistent().await;
    }
);

on_both!(
    two_of_three_are_enough,
    with three("2"),
    async |church: Church| {
        let run = start(&church).await;
        signal(&church, run, "c", json!(null)).await;
        assert_eq!(church.run(run).await.status.as_str(), "waiting");
        signal(&church, run, "a", json!(1)).await;
        assert_eq!(end(&church, run).await, "succeeded");
        assert_eq!(church.var(run, "two").await, json!(null));
        church.assert_consistent().await;
    }
);

on_both!(
    a_branch_that_fails_stops_the_others_and_its_failure_can_be_caught,
    with method(
        "method: m
steps:
  - parallel:
      - [ { await: { signal: go, timeout: 5h } } ]
      - [ { await: { timeout: 1h } }, { call: attempt, args: { failures: 9, transient: false } } ]
    on_error: [ { set: { caught: '{{error.code}}' } } ]
"
    ),
    async |mut church: Church| {
        let run = start(&church).await;
        church.advance("59min").await;
        church.crash().await;
        church.advance("1min").await;
        assert_eq!(end(&church, run).await, "succeeded");
        assert_eq!(church.var(run, "caught").await, json!("refused"));
        church.assert_consistent().await;
    }
);

on_both!(
    orders_reach_the_branches,
    with three("all"),
    async |mut church: Church| {
        let run = start(&church).await;
        church.control(run, Control::Pause).await.expect("paused");
        signal(&church, run, "a", json!(1)).await;
        church.advance("9h").await;
        let waiting = church.number("SELECT COUNT(*) FROM run WHERE status = 'paused'").await;
        assert_eq!(waiting, 4, "all branches of a paused run are paused");
        church.crash().await;
        church.control(run, Control::Resume).await.expect("resumed");
        church.advance("1s").await;
        assert_eq!(end(&church, run).await, "succeeded");
        assert_eq!(church.var(run, "from_a").await, json!(1));

        let other = start(&church).await;
        church.control(other, Control::Cancel).await.expect("cancelled");
        assert_eq!(church.run(other).await.status.as_str(), "cancelled");
        assert_eq!(church.number("SELECT COUNT(*) FROM run WHERE ended_at IS NULL").await, 0);
        assert_eq!(church.number("SELECT COUNT(*) FROM turn").await, 0);
        church.assert_consistent().await;
    }
);

on_both!(
    concurrent_rounds_are_limited_and_their_results_keep_the_order,
    with method(
        "method: m
steps:
  - set: { all: [1, 2, 3, 4, 5, 6, 7] }
  - foreach: n in all
    concurrency: 3
    steps:
      - await: { timeout: 1h }
      - call: echo
        args: { value: '{{n}}' }
  - call: echo
    foreach: n in all
    concurrency: 2
    when: n != 4
    args: { value: '{{n * n}}' }
    out: squares
"
    ),
    async |mut church: Church| {
        let run = start(&church).await;
        assert_eq!(church.number("SELECT COUNT(*) FROM run WHERE ended_at IS NULL").await, 4);
        church.advance("1h").await;
        assert_eq!(church.number("SELECT COUNT(*) FROM run WHERE ended_at IS NULL").await, 4);
        church.crash().await;
        church.advance("1h").await;
        assert_eq!(church.number("SELECT COUNT(*) FROM run WHERE ended_at IS NULL").await, 2);
        church.advance("1h").await;
        assert_eq!(end(&church, run).await, "succeeded");
        assert_eq!(church.var(run, "squares").await, json!([1, 4, 9, null, 25, 36, 49]));
        church.assert_consistent().await;
    }
);

on_both!(
    each_sequential_round_sees_what_the_one_before_it_set,
    with method(
        "method: m
steps:
  - set: { done: [] }
  - foreach: n in goal.order
    steps:
      - await: { timeout: 10m }
      - set: { done: '{{done + [n]}}' }
on_cancel: [ { call: echo, args: { value: told } } ]
"
    ),
    async |mut church: Church| {
        let goal = json!({ "kind": "Test", "order": (0..20).collect::<Vec<i32>>() });
        let run = church.start("m", goal).await.expect("started").id;
        church.advance("100min").await;
        church.crash().await;
        assert_eq!(church.var(run, "done").await.as_array().map(Vec::len), Some(10));
        church.control(run, Control::Cancel).await.expect("cancelled");
        church.advance("1s").await;
        assert_eq!(church.run(run).await.status.as_str(), "cancelled");
        assert_eq!(church.receipts(run).await.len(), 1, "only the run itself runs `on_cancel`");
        church.assert_consistent().await;
    }
);

on_both!(
    the_first_failure_of_a_branch_is_reported_even_if_it_was_long_ago,
    with method(
        "method: m
steps:
  - parallel:
      - [ { call: attempt, args: { failures: 9, transient: false } } ]
      - [ { await: { signal: b, timeout: 5h } }, { call: echo, args: { value: '{{1 / 0}}' } } ]
    join: 1
"
    ),
    async |church: Church| {
        let run = start(&church).await;
        assert_eq!(church.run(run).await.status.as_str(), "waiting", "one failed, the other may still succeed");
        signal(&church, run, "b", json!(null)).await;
        assert_eq!(end(&church, run).await, "failed refused", "the first failure is the reason");
        church.assert_consistent().await;
    }
);
