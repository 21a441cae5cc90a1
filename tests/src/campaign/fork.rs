//! Forks: a new run that begins at a step of an old run.

use abide_engine::base::{Problem, RunId, Value};
use abide_engine::facade::{ForkRun, RunView};
use serde_json::json;

use super::church::{Church, PAT, goal, on_both};
use super::probe::probed;

const FOUR: &str = r#"
method: four
steps:
  - id: one
    call: echo
    args: { value: "{{goal.n}}" }
    out: a
  - id: two
    set: { b: "{{a + 1}}" }
  - id: three
    call: attempt
    args: { failures: "{{goal.failures}}", transient: false }
    out: c
  - id: four
    call: echo
    args: { value: "{{b * 10}}" }
    out: d
"#;

const AGAIN: &str = r#"
method: again
steps:
  - set: { x: 1 }
  - id: middle
    set: { y: "{{x}}" }
  - set: { x: 2 }
  - parallel:
      - - id: inner
          await: { signal: go, timeout: 1h }
      - - await: { timeout: 1h }
"#;

const TOLD: &str = r#"
method: told
limits: { max_messages: 5 }
steps:
  - id: tell
    call: notify
    args: { targets: [staff], template: filled_n_of_m, vars: { n: 1, m: 2 } }
  - id: fail
    call: attempt
    args: { failures: 1, transient: false }
"#;

async fn fork(
    church: &Church,
    run: RunId,
    from: &str,
    goal: Option<Value>,
) -> Result<RunView, Problem> {
    let wanted = ForkRun { run, from: from.to_owned(), goal, key: None };
    church.engine().fork("default", wanted).await
}

on_both!(
    a_fork_continues_with_the_variables_of_its_step,
    with probed(&[("four", FOUR)]),
    async |mut church: Church| {
        let old = church.start("four", json!({ "n": 4, "failures": 1000 })).await.expect("started").id;
        assert_eq!(church.run(old).await.status.as_str(), "failed");
        church.crash().await;
        let fixed = json!({ "n": 9, "failures": 0 });
        let new = fork(&church, old, "three", Some(fixed.clone())).await.expect("forked");
        assert_eq!((new.status.as_str(), new.forked_from), ("completed", Some(old)));
        let vars = new.vars.expect("variables");
        assert_eq!((&vars["a"], &vars["b"], &vars["d"]), (&json!(4), &json!(5), &json!(50)));
        let done: Vec<Value> =
            church.receipts(new.id).await.into_iter().map(|r| r["step_id"].clone()).collect();
        assert_eq!(done, ["three", "four"]);
        assert_eq!(church.run(old).await.status.as_str(), "failed", "the old run is unchanged");

        let whole = fork(&church, old, "one", Some(fixed)).await.expect("forked");
        assert_eq!(whole.vars.expect("variables")["d"], json!(100), "from the first step");
        let same = fork(&church, old, "two", None).await.expect("forked");
        assert_eq!((same.status.as_str(), &same.goal["n"]), ("failed", &json!(4)), "the old goal");
        church.assert_consistent().await;
    }
);

on_both!(
    a_fork_that_cannot_begin_is_refused_with_the_reason,
    with probed(&[("four", FOUR), ("again", AGAIN)]),
    async |church: Church| {
        let four = church.start("four", json!({ "n": 1, "failures": 1000 })).await.expect("started").id;
        let again = church.start("again", json!({})).await.expect("started").id;
        let cases = [
            (four, "thre", "unknown_step", "has no step `thre`"),
            (four, "four", "cannot_fork", "not reached `four` yet"),
            (again, "inner", "cannot_fork", "inside another step"),
            (again, "middle", "cannot_fork", "half done"),
        ];
        for (run, from, code, words) in cases {
            let problem = fork(&church, run, from, None).await.expect_err(from);
            assert_eq!(problem.code, code, "{from}: {problem}");
            assert!(problem.message.contains(words) && problem.hint.is_some(), "{problem:?}");
        }
        church.advance("2h").await;
        assert_eq!(church.run(again).await.status.as_str(), "completed");
        let problem = fork(&church, again, "middle", None).await.expect_err("x is 2 by now");
        assert!(problem.message.contains("`x` was bound before `middle`"), "{problem}");
        church.assert_consistent().await;
    }
);

on_both!(
    a_fork_belongs_to_its_campaign_and_repeats_no_message,
    with probed(&[("told", TOLD)]),
    async |church: Church| {
        let old = church.start("told", goal(2)).await.expect("started");
        assert_eq!(old.status.as_str(), "failed");
        let new = fork(&church, old.id, "tell", None).await.expect("forked");
        assert_eq!((new.status.as_str(), new.request_id), ("completed", old.request_id));
        assert_eq!(church.sent(PAT, "filled_n_of_m").await, 1);
        let fresh = church.start("told", goal(2)).await.expect("started");
        assert_eq!(fresh.status.as_str(), "completed");
        assert_eq!(church.messages(PAT).await.len(), 2, "a campaign of its own");
        church.assert_consistent().await;
    }
);
