//! A service that moves once people were asked: everything follows it, and everybody is asked once more.

use abide_engine::base::RequestId;
use abide_verbs::api::requests::RequestPatch;
use serde_json::json;

use super::demo_church::{DemoChurch, on_both, on_both_with};

const ELEVEN: &str = "2025-10-05T11:00:00-05:00";
/// Waits for its service, and has a message sent to itself an hour before.
const WAITING: &str = "\
method: waiting
description: Wait until the service.
inputs:
  type: object
  required: [kind, time]
  properties: { kind: { const: Waiting }, time: { type: string, format: date-time } }
steps:
  - call: schedule
    args: { at: '{{goal.time - 1h}}', payload: { soon: true } }
  - await: { until: '{{goal.time - 30m}}', at_most: 20days }
";

async fn move_to(church: &DemoChurch, request: RequestId, time: &str) {
    let version = church.request(request).await.version;
    let patch =
        RequestPatch { service_time: Some(time.to_owned()), version, ..RequestPatch::default() };
    church.change_request(request, patch).await.expect("is moved");
}

#[test]
fn holders_and_invited_people_are_asked_once_whether_they_can_come_then() {
    on_both(|church| async move {
        let run = church.fill("nursery", 3).await;
        let request = run.request_id.expect("a request");
        church.each_says(&["Ana", "Ben"], "yes").await;
        move_to(&church, request, ELEVEN).await;
        let held = church.texts_to("Ana").pop().expect("a text");
        assert!(held.contains("has moved to Sunday 5 October at 11:00 am"), "{held}");
        assert!(held.contains("Can you still help"), "{held}");
        let invited = church.texts_to("Carla").pop().expect("a text");
        assert!(invited.contains("Could you help the nursery team then?"), "{invited}");
        assert_eq!(church.kinds_to("Ana").await, ["invite", "confirmed", "moved~v4"]);

        church.say("Ana", "no, I can't at eleven").await;
        church.each_says(&["Carla", "Dana"], "yes, gladly").await;
        let confirmed = church.texts_to("Carla").pop().expect("a text");
        assert!(confirmed.contains("11:00 am"), "{confirmed}");
        let ended = church.run(run.id).await;
        assert_eq!(ended.outcome.map(|end| end.to_string()).as_deref(), Some("succeeded"));
        assert_eq!(ended.goal["time"], ELEVEN);
        let summary = church.texts_to("Pat").pop().expect("a summary");
        assert!(summary.contains("11:00 am"), "{summary}");
        church.assert_consistent().await;
    });
}

#[test]
fn texts_that_have_not_left_name_the_new_time() {
    on_both(|church| async move {
        church.advance_to("22:00").await;
        let run = church.fill("nursery", 2).await;
        assert!(church.texts_to("Ana").is_empty(), "it is late");
        move_to(&church, run.request_id.expect("a request"), ELEVEN).await;
        church.advance_to("2025-10-01T08:00:00-05:00").await;
        assert_eq!(church.kinds_to("Ana").await, ["invite"]);
        let invited = church.texts_to("Ana").pop().expect("an invitation");
        assert!(invited.contains("11:00 am"), "{invited}");
        church.assert_consistent().await;
    });
}

#[test]
fn whoever_serves_at_the_new_time_already_keeps_that_place() {
    on_both(|church| async move {
        let early = church.fill("nursery", 2).await.request_id.expect("a request");
        church.each_says(&["Ana", "Ben"], "yes").await;
        church.say("Pat", "we need 1 more nursery person on sunday at 11").await;
        church.say("Ana", "yes, the 11 too").await;
        move_to(&church, early, "2025-10-05T11:30:00-05:00").await;
        let told = church.texts_to("Ana").pop().expect("a text");
        assert!(told.contains("already on the nursery team"), "{told}");
        church.assert_consistent().await;
    });
}

#[test]
fn the_timers_of_runs_move_with_the_service() {
    on_both_with(&[("waiting.yaml", WAITING)], |church| async move {
        let request = church.new_request("2025-10-05T09:00:00-05:00", json!({})).await;
        let goal = json!({"kind": "Waiting", "time": request.service_time});
        let run = church.start("waiting", goal).await;
        move_to(&church, request.id, "2025-10-06T09:00:00-05:00").await;
        church.advance_to("2025-10-05T12:00:00-05:00").await;
        assert_eq!(church.run(run.id).await.status.as_str(), "waiting");
        church.advance_to("2025-10-06T08:31:00-05:00").await;
        let ended = church.run(run.id).await;
        assert_eq!(ended.status.as_str(), "completed");
        church.assert_consistent().await;
    });
}
