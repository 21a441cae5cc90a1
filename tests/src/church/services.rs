//! The weekly services of a church, and what people call them in texts.

use abide_engine::facade::EventFilter;
use abide_verbs::api::requests::{RequestPatch, RequestQuery};
use serde_json::json;

use super::demo_church::{DemoChurch, ELEVEN_AM, NINE_AM, on_both, on_both_with};

/// Returns the bodies of the events about services, without the client that caused them.
async fn logged(church: &DemoChurch) -> Vec<String> {
    church.db.wait_until_log_is_readable().await;
    let filter = EventFilter { limit: 500, ..EventFilter::default() };
    let events = church.engine.event_log("default", filter).await.expect("events").items;
    let about = events.iter().filter(|event| event.kind.as_str().starts_with("service."));
    about.map(|event| format!("{} {}", event.kind, event.body)).collect()
}

#[test]
fn staff_name_a_service_by_its_alias() {
    on_both(|church| async move {
        let dawn = json!({"name": "dawn", "weekday": "saturday", "time": "06:45",
            "aliases": ["sunrise gathering"]});
        church.put_service(dawn.clone()).await;
        church.put_service(dawn).await;
        church.say("Pat", "Fill 2 nursery spots for the sunrise gathering").await;
        let requests = church.find_requests(RequestQuery::default()).await;
        let times: Vec<&str> =
            requests.iter().map(|request| request.service_time.as_str()).collect();
        assert_eq!(times, ["2025-10-04T06:45:00-05:00"]);
        let removed = church.remove_service("dawn").await.expect("is removed");
        assert_eq!(removed.items.len(), 1);
        let unknown = church.remove_service("dawn").await.expect_err("is unknown");
        assert_eq!(unknown.code, "service_unknown");
        let body = |added: &str| {
            format!(
                r#"{{{added}"by":"operator","service":"dawn","time":"06:45","weekday":"saturday"}}"#
            )
        };
        let expected = [
            format!("service.written {}", body(r#""added":true,"#)),
            format!("service.removed {}", body("")),
        ];
        assert_eq!(logged(&church).await, expected, "a change of nothing is not an event");
        church.assert_consistent().await;
    });
}

/// A service that begins before the one at nine is over.
const TEN_AM: &str = "2025-10-05T10:00:00-05:00";

/// Puts a person on the team of the request's role.
const PUT_ON_TEAM: &str = r#"
method: put_on_team
applicable_if: goal.kind == 'PutOnTeam'
steps:
  - call: assign
    args: { person: "{{goal.person}}", role: "{{goal.role}}", time: "{{goal.time}}" }
"#;

async fn with_family_service(church: &DemoChurch) {
    church.put_service(json!({"name": "family", "weekday": "sunday", "time": "10:00"})).await;
}

#[test]
fn nobody_is_asked_for_two_services_that_overlap() {
    on_both(|church| async move {
        with_family_service(&church).await;
        church.fill("nursery", 1).await;
        church.say("Ana", "yes").await;
        let before = church.texts_to("Ana").len();
        church.try_fill("nursery", TEN_AM, 2).await.expect("starts");
        assert_eq!(church.texts_to("Ana").len(), before, "nine is not over at ten");
        assert!(church.texts_to("Ben").last().is_some_and(|text| text.contains("10:00 am")));
        church.say("Ben", "yes").await;
        church.try_fill("nursery", ELEVEN_AM, 1).await.expect("starts");
        assert!(church.texts_to("Ana").last().is_some_and(|text| text.contains("11:00 am")));
        assert!(!church.texts_to("Ben").last().is_some_and(|text| text.contains("11:00 am")));
        church.assert_consistent().await;
    });
}

#[test]
fn a_late_yes_gives_no_place_in_a_service_that_overlaps() {
    on_both_with(&[("put_on_team.yaml", PUT_ON_TEAM)], |church| async move {
        with_family_service(&church).await;
        church.fill("nursery", 2).await;
        church.advance_to("2025-10-02T10:00:00-05:00").await;
        church.try_fill("nursery", TEN_AM, 2).await.expect("starts");
        church.say("Ana", "yes").await;
        church.say("Ana", "yes for the 9am service").await;
        let last = church.texts_to("Ana").pop().expect("an answer");
        assert!(
            last.contains("You're already on the nursery team for Sunday 5 October at 10:00"),
            "{last}"
        );
        let seats = "SELECT COUNT(*) FROM assignment WHERE state = 'accepted'";
        assert_eq!(church.db.number(seats).await, 1);

        let requests = church.find_requests(RequestQuery::default()).await;
        let (id, version) = (requests[0].id, requests[0].version);
        let targets = Some(json!({"children": 1}));
        let patch = RequestPatch { targets, service_time: None, status: None, version };
        church.change_request(id, patch).await.expect("is changed");
        let goal = json!({"kind": "PutOnTeam", "person": church.id_of("Ana").await,
            "role": "children", "time": NINE_AM});
        let run = church.start("put_on_team", goal).await;
        let failed = church.run(run.id).await.error.expect("has failed");
        assert_eq!(failed.code, "has_place");
        church.assert_consistent().await;
    });
}
