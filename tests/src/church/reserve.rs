//! Limited capacity: reserved, refused, returned.

use abide_engine::run::Control;
use serde_json::{Value, json};

use super::world::{NINE, World, on_both_with};

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
    json!({"kind": "Take", "amount": amount, "time": NINE, "wait": wait})
}

/// Runs a reservation of `amount`. Returns how much is free afterwards, or the code of its failure.
async fn take(world: &World, amount: i64) -> Value {
    let run = world.start("take", goal(amount, false)).await;
    let result = world.results(run.id, "reserve").await.remove(0);
    result.get("free").cloned().unwrap_or(result)
}

#[test]
fn no_more_than_the_capacity_is_reserved() {
    on_both_with(METHODS, |world| async move {
        world.new_request(NINE, json!({"nursery": 2})).await;
        assert_eq!(take(&world, 1).await, "capacity_unknown");
        world.set_capacity("van seats", 8).await;
        assert_eq!(take(&world, 5).await, 3);
        assert_eq!(take(&world, 4).await, "capacity_exceeded");
        assert_eq!(take(&world, 3).await, 0);
        assert_eq!(take(&world, -9).await, "not_reserved");
        assert_eq!(take(&world, 0).await, "invalid_args");
        assert_eq!(take(&world, -6).await, 6, "returned from the reservations of two runs");
        world.set_capacity("van seats", 1).await;
        assert_eq!(take(&world, 1).await, "capacity_exceeded", "two are still reserved");
        assert_eq!(take(&world, -2).await, 1);
        world.is_sound().await;
    });
}

#[test]
fn a_cancelled_run_returns_its_reservation() {
    on_both_with(METHODS, |world| async move {
        world.fill("nursery", 2).await;
        world.set_capacity("van seats", 8).await;
        assert_eq!(take(&world, 2).await, 6);
        let run = world.start("take", goal(5, true)).await;
        assert_eq!(run.status.as_str(), "waiting");
        assert_eq!(take(&world, 2).await, "capacity_exceeded");
        world.engine.control("default", run.id, Control::Cancel).await.expect("is cancelled");
        world.engine.tick().await.expect("ticks");
        assert_eq!(world.run(run.id).await.status.as_str(), "cancelled");
        assert_eq!(take(&world, 6).await, 0);
        world.is_sound().await;
    });
}
