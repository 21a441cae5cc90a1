//! The end of an `await` and the step after it.

use abide_engine::store::RunRef;
use serde_json::json;

use super::church::{Church, on_both};
use super::probe::probed;

const NAP: &str = "method: nap
steps:
  - await: { timeout: 1h }
  - { call: echo, args: { value: 1 }, out: one }
";

const TWICE: &str = "method: twice
steps:
  - await: { signal: go, timeout: 1h }
  - await: { signal: go, timeout: 1h }
  - { call: echo, args: { value: 2 }, out: two }
";

/// The number of commits of the only run.
const COMMITS: &str = "SELECT seq FROM run";

on_both!(the_end_of_a_pause_shares_the_commit_of_the_next_step, with probed(&[("nap", NAP)]), async |church: Church| {
    let run = church.start("nap", json!({})).await.expect("started").id;
    let before = church.number(COMMITS).await;
    church.advance("1h").await;
    assert_eq!(church.run(run).await.vars.expect("variables")["one"], 1);
    assert_eq!(church.number(COMMITS).await - before, 1);
    church.assert_consistent().await;
});

on_both!(one_signal_ends_one_of_two_waits, with probed(&[("twice", TWICE)]), async |church: Church| {
    let run = church.start("twice", json!({})).await.expect("started").id;
    for status in ["waiting", "completed"] {
        let target = RunRef { tenant: "default", run };
        church.engine().signal(target, "go", &json!({}), None).await.expect("sent");
        church.engine().tick().await.expect("settled");
        assert_eq!(church.run(run).await.status.as_str(), status);
    }
    assert_eq!(church.run(run).await.vars.expect("variables")["two"], 2);
    church.assert_consistent().await;
});
