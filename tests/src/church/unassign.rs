//! Unassigning people from their places, and promoting others from the waitlist.

use abide_engine::run::RunOutcome;
use abide_verbs::api::requests::RequestPatch;
use serde_json::{Value, json};

use super::demo_church::{DemoChurch, NINE_AM, on_both_with};

/// A method that unassigns the people above the target. The people who accepted last are unassigned first.
const MAKE_ROOM: &str = "
method: make_room
applicable_if: goal.kind == 'MakeRoom'
steps:
  - call: search_people
    args: { filter: { assigned_to: { role: nursery, time: '{{req.service_time}}' } } }
    out: holders
  - call: unassign
    foreach: person in {{latest(holders, overfill('nursery', req.targets))}}
    args: { person: '{{person}}', role: nursery, time: '{{req.service_time}}', reason: rebalance }
    out: moved
success_when: ['targets_satisfied(req.targets, time=req.service_time)', len(moved) == goal.expected]
";

/// A method that unassigns the one person that its goal names.
const TAKE_BACK: &str = "
method: take_back
applicable_if: goal.kind == 'TakeBack'
inputs:
  type: object
  required: [kind, person, reason, time]
  properties:
    kind: { const: TakeBack }
    person: { type: string }
    reason: { type: string }
    time: { type: string, format: date-time }
steps:
  - call: unassign
    args: { person: '{{goal.person}}', role: nursery, time: '{{goal.time}}', reason: '{{goal.reason}}' }
    out: who
success_when: [who == goal.person]
";

const METHODS: &[(&str, &str)] = &[("make_room.yaml", MAKE_ROOM), ("take_back.yaml", TAKE_BACK)];

async fn take_back(church: &DemoChurch, name: &str, reason: &str) -> Value {
    let person = church.id_of(name).await;
    let goal = json!({"kind": "TakeBack", "person": person, "reason": reason, "time": NINE_AM});
    let run = church.start("take_back", goal).await;
    church.results(run.id, "unassign").await.remove(0)
}

#[test]
fn the_latest_are_unassigned_and_waitlisted_in_order() {
    on_both_with(METHODS, |church| async move {
        let run = church.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        church.each_says(&["Ana", "Ben", "Carla", "Dana", "Eli"], "yes").await;
        let lower = RequestPatch {
            targets: Some(json!({"nursery": 3})),
            version: church.request(request).await.version,
            ..RequestPatch::default()
        };
        church.change_request(request, lower).await.expect("is changed");
        let goal = json!({"kind": "MakeRoom", "expected": 2, "time": NINE_AM});
        let made = church.start("make_room", goal.clone()).await;
        assert_eq!(made.outcome, Some(RunOutcome::Succeeded));
        let moved = church.results(made.id, "unassign").await;
        let people: Vec<_> = moved.iter().map(|result| result["person"].clone()).collect();
        assert_eq!(people, [church.id_of("Eli").await, church.id_of("Dana").await], "latest first");
        assert_eq!(moved[0]["state"], "waitlisted");
        assert_eq!(
            church.counts(request, "nursery").await,
            "accepted 3, cancelled 7, waitlisted 2"
        );
        assert_eq!(church.request(request).await.status.as_str(), "filled");
        assert_eq!(church.kinds_to("Eli").await, ["invite", "confirmed"], "nothing was withdrawn");

        // Dana accepted before Eli. So she is promoted first, and gets a second confirmation.
        let freed = take_back(&church, "Ben", "is away").await;
        assert_eq!(freed["promoted"], json!([church.id_of("Dana").await]));
        assert_eq!(church.kinds_to("Dana").await.len(), 3);
        assert_eq!(
            church.counts(request, "nursery").await,
            "accepted 3, cancelled 8, waitlisted 1"
        );
        church.assert_consistent().await;
    });
}

#[test]
fn an_unassigned_person_is_not_promoted_again_at_once() {
    on_both_with(METHODS, |church| async move {
        let run = church.fill("nursery", 2).await;
        let request = run.request_id.expect("a request");
        church.each_says(&["Ana", "Ben"], "yes").await;
        let moved = take_back(&church, "Ana", "rebalance").await;
        assert_eq!((&moved["state"], &moved["promoted"]), (&json!("waitlisted"), &json!([])));
        assert_eq!(church.request(request).await.status.as_str(), "partially_filled");
        assert_eq!(
            church.counts(request, "nursery").await,
            "accepted 1, cancelled 10, waitlisted 1"
        );
        church.assert_consistent().await;
    });
}

#[test]
fn unassigning_again_changes_nothing_and_says_so() {
    on_both_with(METHODS, |church| async move {
        let run = church.fill("nursery", 2).await;
        let request = run.request_id.expect("a request");
        church.each_says(&["Ana", "Ben"], "yes").await;
        assert_eq!(take_back(&church, "Ben", "is away").await["changed"], true);
        let version = church.request(request).await.version;
        for (name, state) in [("Ben", "cancelled"), ("Pat", "none"), ("Lee", "cancelled")] {
            let again = take_back(&church, name, "is away").await;
            assert_eq!((&again["state"], &again["changed"]), (&json!(state), &json!(false)));
        }
        assert_eq!(church.request(request).await.version, version);
        let stranger = json!({
            "kind": "TakeBack", "reason": "is away", "time": NINE_AM,
            "person": "per_00000000000070008000000000000001",
        });
        let failed = church.start("take_back", stranger).await;
        assert_eq!(church.results(failed.id, "unassign").await, [json!("person_unknown")]);
        church.assert_consistent().await;
    });
}
