//! Runs methods that contain `set`, `switch`, `repeat`, `steps`, `on_error` or nested `foreach`,
//! or that limit the time of a step.

use serde_json::json;

use super::{end, method, start};
use crate::campaign::church::{Church, on_both};

on_both!(
    variables_are_set_in_order_and_a_switch_takes_the_first_case_that_holds,
    with method(
        "method: m
steps:
  - set: { a: 2, b: '{{a * 3}}' }
  - switch:
      - { if: b > 10, then: [ { set: { size: large } } ] }
      - { if: b > 5, then: [ { call: echo, args: { value: medium }, out: size } ] }
      - { if: b > 1, then: [ { set: { size: small } } ] }
      - { else: [ { set: { size: none } } ] }
  - switch:
      - { if: a > 100, then: [ { set: { size: wrong } } ] }
  - switch:
      - { if: a > 100, then: [ { set: { size: wrong } } ] }
      - { else: [ { set: { rest: true } } ] }
"
    ),
    async |church: Church| {
        let run = start(&church).await;
        assert_eq!(end(&church, run).await, "succeeded");
        assert_eq!(church.var(run, "b").await, json!(6));
        assert_eq!(church.var(run, "size").await, json!("medium"));
        assert_eq!(church.var(run, "rest").await, json!(true));
        church.assert_consistent().await;
    }
);

on_both!(
    a_loop_ends_at_its_condition_or_at_its_limit,
    with method(
        "method: m
steps:
  - set: { n: 0, all: [], k: 0 }
  - repeat:
      until: n >= 3
      max: 10
      steps:
        - call: echo
          args: { value: '{{n + 1}}' }
          out: n
        - set: { all: '{{all + [n]}}' }
  - repeat: { max: 4, steps: [ { repeat: { max: 300, steps: [ { set: { k: '{{k + 1}}' } } ] } } ] }
success_when: n == 3 and k == 1200
"
    ),
    async |church: Church| {
        let run = start(&church).await;
        assert_eq!(end(&church, run).await, "succeeded");
        assert_eq!(church.var(run, "all").await, json!([1, 2, 3]));
        assert_eq!(church.receipts(run).await.len(), 3);
        church.assert_consistent().await;
    }
);

on_both!(
    nested_rounds_see_both_items_and_nothing_of_the_previous_round,
    with method(
        "method: m
steps:
  - set: { seen: [] }
  - foreach: row in [[1, 2], [3], []]
    steps:
      - call: echo
        foreach: cell in row
        when: cell != 2
        args: { value: '{{cell * 10}}' }
        out: cells
      - set: { seen: '{{seen + [cells]}}' }
"
    ),
    async |church: Church| {
        let run = start(&church).await;
        assert_eq!(end(&church, run).await, "succeeded");
        assert_eq!(church.var(run, "seen").await, json!([[10, null], [30], []]));
        church.assert_consistent().await;
    }
);

on_both!(
    a_failure_is_caught_by_the_nearest_on_error,
    with method(
        "method: m
steps:
  - set: { log: [] }
  - steps:
      - call: attempt
        args: { failures: 100, transient: false }
        on_error:
          - set: { log: \"{{log + ['inner ' + error.code]}}\" }
          - call: misbehave
            args: { how: panic }
      - set: { log: \"{{log + ['never']}}\" }
    on_error:
      - set: { log: \"{{log + ['outer ' + error.step_id]}}\" }
  - call: attempt
    foreach: n in [1, 2]
    args: { failures: 100, transient: false }
    on_error:
      - set: { log: \"{{log + ['round']}}\" }
  - set: { log: \"{{log + ['after']}}\" }
"
    ),
    async |church: Church| {
        let run = start(&church).await;
        assert_eq!(end(&church, run).await, "succeeded");
        let expected = json!(["inner refused", "outer misbehave", "round", "round", "after"]);
        assert_eq!(church.var(run, "log").await, expected);
        let failed = church.receipts(run).await.into_iter().filter(|r| r["status"] == "failed");
        assert_eq!(failed.count(), 4, "a caught call has a receipt too");
        church.assert_consistent().await;
    }
);

on_both!(
    an_uncaught_failure_ends_the_run_where_it_happened,
    with method(
        "method: m
steps:
  - repeat:
      max: 3
      steps:
        - { id: bad, call: attempt, args: { failures: 1, transient: false } }
success_when: true
"
    ),
    async |church: Church| {
        let run = start(&church).await;
        assert_eq!(end(&church, run).await, "failed refused");
        let view = church.run(run).await;
        assert_eq!(view.position.expect("a position").step_id, "bad");
        church.control(run, abide_engine::run::Control::Retry).await.expect("retried");
        church.advance("1s").await;
        assert_eq!(end(&church, run).await, "succeeded", "the failed step was tried again, and the loop went on");
        church.assert_consistent().await;
    }
);

on_both!(
    a_step_may_not_exceed_its_own_limits,
    with method(
        "method: m
limits: { max_duration: 2days }
steps:
  - steps: [ { await: { signal: never, timeout: 9h } }, { set: { wrong: true } } ]
    limits: { max_duration: 1h }
    on_error: [ { set: { caught: '{{error.code}}' } } ]
  - await: { timeout: 1h }
"
    ),
    async |mut church: Church| {
        let run = start(&church).await;
        church.advance("59min").await;
        church.crash().await;
        assert_eq!(church.var(run, "caught").await, json!(null));
        church.advance("1min").await;
        assert_eq!(church.var(run, "caught").await, json!("max_duration"));
        let waits = church.run(run).await.waiting_on.expect("it pauses");
        assert_eq!(waits.kind.as_str(), "timer");
        church.advance("1h").await;
        assert_eq!(end(&church, run).await, "succeeded");
        assert_eq!(church.var(run, "wrong").await, json!(null));
        church.assert_consistent().await;
    }
);
