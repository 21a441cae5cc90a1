//! Changes that staff make are logged as events. The events do not contain the text of facts.

use abide_engine::facade::EventFilter;
use abide_verbs::api::kb::NewFact;
use serde_json::{Value, json};

use super::demo_church::{DemoChurch, on_both};

/// Returns the kinds and bodies of the events about facts and capacities.
async fn logged_events(church: &DemoChurch) -> Vec<(String, Value)> {
    church.db.wait_until_log_is_readable().await;
    let filter = EventFilter { limit: 500, ..EventFilter::default() };
    let events = church.engine.event_log("default", filter).await.expect("events").items;
    let about = |kind: &str| kind.starts_with("fact.") || kind.starts_with("capacity.");
    events
        .into_iter()
        .filter(|e| about(e.kind.as_str()))
        .map(|e| (e.kind.to_string(), e.body))
        .collect()
}

fn keys(text: &str) -> NewFact {
    NewFact {
        topic: "Where are the spare keys?".to_owned(),
        text: text.to_owned(),
        source: "Pat".to_owned(),
        reviewer: Some("Ruth".to_owned()),
        reviewed_at: Some("2025-09-01T10:00:00-05:00".to_owned()),
    }
}

#[test]
fn every_change_of_a_fact_or_a_capacity_is_one_event() {
    on_both(|church| async move {
        for text in ["With Pat.", "With Pat.", "With Ruth."] {
            church.put_fact("spare-keys", keys(text)).await;
        }
        church.retire_fact("spare-keys").await;
        church.retire_fact("spare-keys").await;
        church.put_fact("spare-keys", keys("With Ruth.")).await;
        for total in [8, 8, 5] {
            church.set_capacity("van seats", total).await;
        }
        let written = |added: bool| {
            let body = json!({"fact": "spare-keys", "added": added,
                "reviewed_at": "2025-09-01T15:00:00+00:00", "by": "operator"});
            ("fact.written".to_owned(), body)
        };
        let set = |was: Value, total: i64| {
            ("capacity.set".to_owned(), json!({"key": "van seats", "was": was, "total": total}))
        };
        let retired = ("fact.retired".to_owned(), json!({"fact": "spare-keys", "by": "operator"}));
        let expected = [
            written(true),
            written(false),
            retired,
            written(true),
            set(Value::Null, 8),
            set(json!(8), 5),
        ];
        assert_eq!(logged_events(&church).await, expected, "a change of nothing is not an event");
        church.assert_consistent().await;
    });
}
