//! The stream of events: what has happened, then what happens, and on from the last event.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::Request;
use futures_util::StreamExt as _;
use serde_json::Value;
use tower::ServiceExt as _;

use super::{fill, id};
use crate::http::SameProcess;
use crate::http::testing::{TestApi, TestClock};

/// Longest time that a test waits for an event.
const PATIENCE: Duration = Duration::from_secs(20);

/// An open stream of events.
struct Events {
    body: BodyDataStream,
    unread: String,
}

impl Events {
    async fn open(api: &TestApi, path: &str, last: Option<&str>) -> Self {
        let mut request = Request::builder().method("GET").uri(path);
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let mut request = request.body(Body::empty()).expect("a request");
        request.extensions_mut().insert(SameProcess);
        let response = api.routes.clone().oneshot(request).await.expect("an answer");
        assert_eq!(response.status(), 200);
        let kind = response.headers().get("content-type").expect("a type");
        assert_eq!(kind, "text/event-stream");
        Self { body: response.into_body().into_data_stream(), unread: String::new() }
    }

    /// Returns the next event, with its id.
    async fn next(&mut self) -> Value {
        loop {
            if let Some((frame, rest)) = self.unread.split_once("\n\n") {
                let line = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
                let event = line("data: ").map(|data| serde_json::from_str(data).expect("JSON"));
                let named = line("id: ").map(str::to_owned);
                let rest = rest.to_owned();
                self.unread = rest;
                if let Some(event) = event {
                    let event: Value = event;
                    assert_eq!(event["id"].as_str(), named.as_deref());
                    return event;
                }
                continue;
            }
            let chunk = tokio::time::timeout(PATIENCE, self.body.next()).await;
            let chunk = chunk.expect("an event in time").expect("more").expect("bytes");
            self.unread.push_str(&String::from_utf8_lossy(&chunk));
        }
    }
}

#[tokio::test]
async fn a_stream_goes_on_after_the_last_event_that_its_client_got() {
    let api = TestApi::seeded().await;
    let (_, run) = api.post("/v1/runs", &fill(2)).await;
    let path = format!("/v1/events/stream?run_id={}", id(&run));
    let mut events = Events::open(&api, &path, None).await;
    let first = events.next().await;
    assert_eq!(first["kind"], "run.started");
    let second = events.next().await;
    drop(events);
    let mut again = Events::open(&api, &path, first["id"].as_str()).await;
    assert_eq!(again.next().await["id"], second["id"], "nothing is missed and nothing repeated");
}

#[tokio::test]
async fn a_stream_of_everything_begins_with_the_next_event() {
    let api = TestApi::seeded().await;
    api.post("/v1/runs", &fill(2)).await;
    let mut events = Events::open(&api, "/v1/events/stream", None).await;
    let (_, before) = api.get("/v1/events?limit=500").await;
    let known: Vec<Value> = before["items"].as_array().expect("items").clone();
    let body = r#"{"id":"x1","from":"+15125550100","to":"+15125550199","body":"status"}"#;
    api.post("/v1/messages/inbound", body).await;
    let next = events.next().await;
    assert!(known.iter().all(|event| event["id"] != next["id"]), "{next}");
}

#[tokio::test]
async fn an_unknown_place_in_the_log_is_a_problem() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let path = "/v1/events/stream?after=evt_00000000000000000000000000000009";
    assert_eq!(api.get(path).await.1["code"], "invalid_cursor");
}
