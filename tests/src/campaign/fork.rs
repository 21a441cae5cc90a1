//! A new run from a step of an old one.

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
    (run, from): (RunId, &str),
    goal: Option<Value>,
) -> Result<RunView, Problem> {
    let wanted = ForkRun { run, from: from.to_owned(), goal, key: None };
    church.engine().fork("default", wanted).await
}

on_both!(
    a_fork_goes_on_with_the_variables_that_stood_there,
    with probed(&[("four", FOUR)]),
    async |mut church: Church| {
        let old = church.start("four", json!({ "n": 4, "failures": 1000 })).await.expect("started").id;
        assert_eq!(church.run(old).await.status, "failed");
        church.crash().await;
        let mended = json!({ "n": 9, "failures": 0 });
        let new = fork(&church, (old, "three"), Some(mended.clone())).await.expect("forked");
        assert_eq!((new.status.as_str(), new.forked_from), ("completed", Some(old)));
        let vars = new.vars.expect("variables");
        assert_eq!((&vars["a"], &vars["b"], &vars["d"]), (&json!(4), &json!(5), &json!(50)));
        let done: Vec<Value> =
            church.receipts(new.id).await.into_iter().map(|r| r["step_id"].clone()).collect();
        assert_eq!(done, ["three", "four"]);
        assert_eq!(church.run(old).await.status, "failed", "it is left as it is");

        let anew = fork(&church, (old, "one"), Some(mended)).await.expect("forked");
        assert_eq!(anew.vars.expect("variables")["d"], json!(100), "from the beginning");
        let same = fork(&church, (old, "two"), None).await.expect("forked");
        assert_eq!((same.status.as_str(), &same.goal["n"]), ("failed", &json!(4)), "the old goal");
        church.assert_sound().await;
    }
);

on_both!(
    where_no_run_can_begin_it_is_said_why,
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
            let problem = fork(&church, (run, from), None).await.expect_err(from);
            assert_eq!(problem.code, code, "{from}: {problem}");
            assert!(problem.message.contains(words) && problem.hint.is_some(), "{problem:?}");
        }
        church.pass("2h").await;
        assert_eq!(church.run(again).await.status, "completed");
        let problem = fork(&church, (again, "middle"), None).await.expect_err("x is 2 by now");
        assert!(problem.message.contains("`x` was bound before `middle`"), "{problem}");
        church.assert_sound().await;
    }
);

on_both!(
    a_fork_belongs_to_its_campaign_and_says_nothing_twice,
    with probed(&[("told", TOLD)]),
    async |church: Church| {
        let old = church.start("told", goal(2)).await.expect("started");
        assert_eq!(old.status, "failed");
        let new = fork(&church, (old.id, "tell"), None).await.expect("forked");
        assert_eq!((new.status.as_str(), new.request_id), ("completed", old.request_id));
        assert_eq!(church.sent(PAT, "filled_n_of_m").await, 1);
        let fresh = church.start("told", goal(2)).await.expect("started");
        assert_eq!(fresh.status, "completed");
        assert_eq!(church.messages(PAT).await.len(), 2, "a campaign of its own");
        church.assert_sound().await;
    }
);
