//! A method calls another method. The call starts a child run,
//! which uses the text of the called method in the caller's bundle.

use abide_engine::run::Control;
use serde_json::json;

use super::{end, signal, start};
use crate::campaign::church::{Church, Setup, on_both};
use crate::campaign::probe::probed;

const PARENT: &str = "method: m
steps:
  - set: { n: 20 }
  - id: inner
    call: child
    with: { goal: { kind: Inner, n: '{{n + 1}}' }, vars: { extra: 5 } }
    out: done
    timeout: 10h
  - set: { doubled: '{{done.vars.result}}', how: '{{done.outcome}}' }
";

const CHILD: &str = "method: child
inputs: { type: object, required: [n], properties: { kind: { type: string }, n: { type: integer } } }
steps:
  - await: { signal: go, timeout: 20h }
  - call: echo
    args: { value: '{{goal.n * 2 + extra}}' }
    out: result
success_when: not timeout
";

fn family(child: &str) -> Setup {
    // The variable `extra` comes from the caller. The checker reads the method `child` without its
    // caller, so it would reject the name. `len(goal.kind)` has the same value as `extra`: 5.
    let child = child.replace("+ extra", "+ len(goal.kind)");
    probed(&[("m", PARENT), ("child", &child)])
}

async fn parent_link(church: &Church, run: abide_engine::base::RunId) -> abide_engine::base::RunId {
    let runs = church.engine().runs("default", &Default::default()).await.expect("runs");
    runs.items.iter().find(|view| view.parent_id == Some(run)).expect("a child").id
}

on_both!(
    a_method_waits_for_the_method_that_it_calls_and_sees_its_variables,
    with family(CHILD),
    async |mut church: Church| {
        let run = start(&church).await;
        let child = parent_link(&church, run).await;
        church.crash().await;
        assert_eq!(church.run(child).await.goal["n"], json!(21));
        let waits = church.run(run).await.waiting_on.expect("it waits");
        assert_eq!(waits.kind.as_str(), "child");
        signal(&church, child, "go", json!(null)).await;
        assert_eq!(end(&church, run).await, "succeeded");
        assert_eq!(church.var(run, "doubled").await, json!(47));
        assert_eq!(church.var(run, "how").await, json!("succeeded"));
        church.assert_consistent().await;
    }
);

on_both!(
    the_called_method_has_the_text_of_the_callers_start,
    with family(CHILD),
    async |mut church: Church| {
        let before = "method: m\nsteps:\n  - await: { signal: now, timeout: 1h }\n";
        let text = PARENT.replace("method: m\nsteps:\n", before);
        church.reopen_with(|setup| drop(setup.sources.methods.insert("m.yaml".into(), text))).await;
        let run = start(&church).await;
        let edited = "method: child\nsteps: [ { set: { result: wrong } } ]\n";
        church.reopen_with(|setup| drop(setup.sources.methods.insert("child.yaml".into(), edited.into()))).await;
        signal(&church, run, "now", json!(null)).await;
        let child = parent_link(&church, run).await;
        signal(&church, child, "go", json!(null)).await;
        assert_eq!(church.var(run, "doubled").await, json!(47));
        church.assert_consistent().await;
    }
);

on_both!(
    a_called_method_that_takes_too_long_is_cancelled_and_the_step_fails,
    with family(CHILD),
    async |mut church: Church| {
        let run = start(&church).await;
        let child = parent_link(&church, run).await;
        church.advance("9h 59min").await;
        church.crash().await;
        assert_eq!(church.run(run).await.status.as_str(), "waiting");
        church.advance("1min").await;
        assert_eq!(church.run(child).await.status.as_str(), "cancelled");
        assert_eq!(end(&church, run).await, "failed timeout");
        church.assert_consistent().await;
    }
);

on_both!(
    a_failed_child_fails_its_caller_and_is_retried_from_there,
    with family(&CHILD.replace("call: echo", "call: attempt").replace("value: '{{goal.n * 2 + extra}}'", "failures: 1, transient: false")),
    async |church: Church| {
        let run = start(&church).await;
        let child = parent_link(&church, run).await;
        signal(&church, child, "go", json!(null)).await;
        assert_eq!(end(&church, child).await, "failed refused");
        assert_eq!(end(&church, run).await, "failed child_failed");
        church.control(run, Control::Retry).await.expect("retried");
        church.advance("1s").await;
        let again = parent_link(&church, run).await;
        assert_ne!(again, child);
        signal(&church, again, "go", json!(null)).await;
        assert_eq!(end(&church, run).await, "succeeded");
        church.assert_consistent().await;
    }
);

on_both!(
    cancelling_the_caller_cancels_what_it_called_first,
    with family(CHILD),
    async |mut church: Church| {
        let run = start(&church).await;
        let child = parent_link(&church, run).await;
        church.crash().await;
        church.control(run, Control::Cancel).await.expect("cancelled");
        assert_eq!(church.run(child).await.status.as_str(), "cancelled");
        assert_eq!(church.run(run).await.status.as_str(), "cancelled");
        church.assert_consistent().await;
    }
);
