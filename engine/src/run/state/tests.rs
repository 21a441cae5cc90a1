//! Tests of the stored form of the state.

use serde_json::json;

use super::*;
use crate::base::TypedId as _;

#[test]
fn stored_keys_stay_the_same() {
    let call = CallState {
        id: CallId::from_uuid(uuid::Uuid::nil()),
        attempt: 1,
        started_at: Timestamp::EPOCH,
        args: Digest::ZERO,
        cursor: None,
        so_far: Some((2, 3)),
        retry_at: None,
        waiting_for: Some(WaitingFor::Children(FanOut { first_failed: Some(1), ..FanOut::of(4) })),
        approval: None,
    };
    let frame = Frame {
        foreach: Some(ForeachProgress { index: 1, len: 3 }),
        inside: Some(NestedList::OnError),
        call: Some(call),
        ..Frame::default()
    };
    let state = RunState {
        phase: Phase::Fallback(0),
        frames: vec![frame],
        early_end: Some(EarlyEnd::Failing),
        ..RunState::default()
    };
    let stored = serde_json::to_value(&state).expect("JSON");
    let call = &stored["frames"][0]["call"];
    assert_eq!(stored["phase"], json!({ "fallback": 0 }));
    assert_eq!(stored["closing"], json!("failing"));
    assert_eq!(stored["frames"][0]["each"], json!({ "index": 1, "len": 3 }));
    assert_eq!(stored["frames"][0]["inside"], json!("on_error"));
    assert_eq!(call["so_far"], json!([2, 3]));
    let children = json!({
        "total": 4, "need": 4, "abreast": 4, "started": 0, "low": 0, "ok": 0, "first_bad": 1,
    });
    assert_eq!(call["on"], json!({ "children": children }));
    assert_eq!(serde_json::from_value::<RunState>(stored).expect("a state"), state);
}
