//! The weekly services of a church, and what people call them in texts.

use abide_engine::facade::EventFilter;
use abide_verbs::api::requests::RequestQuery;
use serde_json::json;

use super::demo_church::{DemoChurch, on_both};

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
