//! A signal is kept until a step waits for it, and is consumed once.
//! A step that waits for any of several signals consumes the first of them that arrives.

use abide_engine::store::RunRef;
use serde_json::json;

use super::{end, method, signal, start};
use crate::campaign::church::{Church, on_both};

const FIRST_OF_TWO: &str = "method: m
steps:
  - await: [ { signal: yes, timeout: 2h, out: yes_data }, { signal: no, out: no_data } ]
  - await: { signal: yes, timeout: 30m, out: second }
    when: not timeout
success_when: not timeout
fallbacks:
  - { if: timeout, then: [ { set: { fell: true } } ] }
";

on_both!(
    the_first_of_several_signals_wins_and_the_others_stay_unset,
    with method(FIRST_OF_TWO),
    async |mut church: Church| {
        let run = start(&church).await;
        let waits = church.run(run).await.waiting_on.expect("it waits");
        assert_eq!(waits.kind.as_str(), "signal");
        assert!(waits.why.contains("`yes` or `no`"), "{}", waits.why);
        church.advance("1h").await;
        church.crash().await;
        signal(&church, run, "no", json!({ "why": "ill" })).await;
        assert_eq!(church.var(run, "no_data").await, json!({ "why": "ill" }));
        assert_eq!(church.var(run, "yes_data").await, json!(null));
        assert_eq!(church.run(run).await.status.as_str(), "waiting");
        signal(&church, run, "yes", json!(7)).await;
        assert_eq!(church.var(run, "second").await, json!(7));
        assert_eq!(end(&church, run).await, "succeeded");
        church.assert_consistent().await;
    }
);

on_both!(
    a_signal_that_comes_before_the_wait_is_kept_for_it,
    with method(
        "method: m
steps:
  - await: { timeout: 1h }
  - await: { signal: early, timeout: 1h, out: first }
  - await: { signal: early, timeout: 1h, out: second }
"
    ),
    async |mut church: Church| {
        let run = start(&church).await;
        signal(&church, run, "early", json!(1)).await;
        signal(&church, run, "early", json!(2)).await;
        church.crash().await;
        church.advance("1h").await;
        assert_eq!(end(&church, run).await, "succeeded");
        assert_eq!(church.var(run, "first").await, json!(1));
        assert_eq!(church.var(run, "second").await, json!(2));
        church.assert_consistent().await;
    }
);

on_both!(
    a_wait_without_a_signal_times_out_at_its_deadline,
    with method(FIRST_OF_TWO),
    async |mut church: Church| {
        let run = start(&church).await;
        church.advance("1h 59min").await;
        church.crash().await;
        assert_eq!(church.run(run).await.status.as_str(), "waiting");
        church.advance("1min").await;
        assert_eq!(end(&church, run).await, "fell_short");
        assert_eq!(church.var(run, "fell").await, json!(true));
        church.assert_consistent().await;
    }
);

on_both!(
    a_signal_at_the_instant_of_the_deadline_counts,
    with method(FIRST_OF_TWO),
    async |church: Church| {
        let run = start(&church).await;
        church.move_clock("2h");
        signal(&church, run, "yes", json!("just in time")).await;
        church.advance("1s").await;
        assert_eq!(church.var(run, "yes_data").await, json!("just in time"));
        church.assert_consistent().await;
    }
);

on_both!(
    a_signal_that_ended_the_run_is_acknowledged_when_it_comes_again,
    with method("method: m\nsteps: [ { await: { signal: go, timeout: 1h } } ]\nsuccess_when: not timeout\n"),
    async |mut church: Church| {
        let run = start(&church).await;
        let send = async |church: &Church, name: &str| {
            church.engine().signal(RunRef { tenant: "default", run }, name, &json!(1), Some("once")).await
        };
        assert!(send(&church, "go").await.expect("sent").is_new);
        church.crash().await;
        assert!(!send(&church, "go").await.expect("known").is_new);
        let other = church.engine().signal(RunRef { tenant: "default", run }, "go", &json!(1), Some("twice")).await;
        assert_eq!(other.expect_err("the run has ended").code, "wrong_state");
        church.assert_consistent().await;
    }
);
