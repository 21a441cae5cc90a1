//! A run can reserve units of a limited capacity if they are free, and can give the units back.

use abide_engine::run::Control;
use serde_json::{Value, json};

use super::demo_church::{DemoChurch, NINE_AM, on_both_with};

const TAKE: &str = "
method: take
inputs:
  type: object
  required: [kind, amount, time]
  properties:
    kind: { const: Take }
    amount: { type: integer }
    time: { type: string, format: date-time }
    wait: { type: boolean }
steps:
  - call: reserve
    args: { key: van seats, amount: '{{goal.amount}}' }
    out: seats
  - call: wait_for_replies
    when: goal.wait
    args:
      offers: pending_for('nursery', goal.time)
      timeout: 1h
success_when: [seats.amount == goal.amount]
fallbacks: [{ if: timeout, then: [{ call: search_people, args: { filter: { roles: [nursery] } }, out: nobody }] }]
";

const METHODS: &[(&str, &str)] = &[("take.yaml", TAKE)];

fn goal(amount: i64, wait: bool) -> Value {
    json!({"kind": "Take", "amount": amount, "time": NINE_AM, "wait": wait})
}

/// Starts a run that reserves `amount` units.
/// Returns how many units are free afterwards, or the code of the error.
async fn take(church: &DemoChurch, amount: i64) -> Value {
    let run = church.start("take", goal(amount, false)).await;
    let result = church.results(run.id, "reserve").await.remove(0);
    result.get("free").cloned().unwrap_or(result)
}

#[test]
fn no_more_than_the_capacity_is_reserved() {
    on_both_with(METHODS, |church| async move {
        church.new_request(NINE_AM, json!({"nursery": 2})).await;
        assert_eq!(take(&church, 1).await, "capacity_unknown");
        church.set_capacity("van seats", 8).await;
        assert_eq!(take(&church, 5).await, 3);
        assert_eq!(take(&church, 4).await, "capacity_exceeded");
        assert_eq!(take(&church, 3).await, 0);
        assert_eq!(take(&church, -9).await, "not_reserved");
        assert_eq!(take(&church, 0).await, "invalid_args");
        assert_eq!(take(&church, -6).await, 6, "returned from the reservations of two runs");
        church.set_capacity("van seats", 1).await;
        assert_eq!(take(&church, 1).await, "capacity_exceeded", "two are still reserved");
        assert_eq!(take(&church, -2).await, 1);
        church.assert_consistent().await;
    });
}

#[test]
fn a_cancelled_run_returns_its_reservation() {
    on_both_with(METHODS, |church| async move {
        church.fill("nursery", 2).await;
        church.set_capacity("van seats", 8).await;
        assert_eq!(take(&church, 2).await, 6);
        let run = church.start("take", goal(5, true)).await;
        assert_eq!(run.status.as_str(), "waiting");
        assert_eq!(take(&church, 2).await, "capacity_exceeded");
        church.engine.control("default", run.id, Control::Cancel).await.expect("is cancelled");
        church.engine.tick().await.expect("ticks");
        assert_eq!(church.run(run.id).await.status.as_str(), "cancelled");
        assert_eq!(take(&church, 6).await, 0);
        church.assert_consistent().await;
    });
}
