//! Changes that staff make are logged as events. The events do not contain the text of facts.

use abide_engine::base::TypedId as _;
use abide_engine::facade::{EventFilter, MessageFilter};
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

#[test]
fn one_id_finds_a_campaign_from_the_first_text_to_the_last() {
    on_both(|church| async move {
        church.say("Pat", "Fill 1 nursery spot for the 9am service").await;
        church.say("Ana", "yes").await;
        church.db.wait_until_log_is_readable().await;
        let filter = MessageFilter { limit: 100, ..MessageFilter::default() };
        let messages = church.engine.messages("default", &filter).await.expect("messages").items;
        let first = messages.last().expect("Pat's text");
        let story = first.correlation_id.expect("a correlation");
        assert_eq!(story.uuid(), first.id.uuid(), "it begins with the first text");
        let alone: Vec<_> = messages.iter().filter(|it| it.correlation_id != Some(story)).collect();
        assert!(alone.is_empty(), "{alone:?}");

        let about = |correlation| EventFilter { correlation, limit: 500, ..EventFilter::default() };
        let all = church.engine.event_log("default", about(None)).await.expect("events").items;
        let found = church.engine.event_log("default", about(Some(story))).await.expect("events");
        let missing: Vec<String> = all
            .iter()
            .filter(|event| !found.items.contains(event))
            .map(|event| event.kind.to_string())
            .collect();
        assert!(missing.iter().all(|kind| kind.starts_with("service.")), "{missing:?}");
        let reply = messages.iter().find(|it| it.body == "yes").expect("Ana's text");
        let of_reply = church.engine.correlation_of("default", reply.id).await.expect("known");
        assert_eq!(of_reply, story, "the answer belongs to the campaign that asked");
    });
}
