//! Texts that show what each stage of the reader does.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Intents, read};
use crate::church::ChurchWords;

/// Reads a text as JSON, without its confidences.
fn reading(text: &str) -> Value {
    let church = ChurchWords::demo();
    let now: Timestamp = "2025-09-30T14:20:00-05:00".parse().expect("an instant");
    let read = read(text, &now.to_zoned(church.zone.clone()), &church, Intents::builtin());
    let mut reading = serde_json::to_value(read).expect("JSON");
    forget_confidence(&mut reading);
    reading
}

fn forget_confidence(reading: &mut Value) {
    if let Some(members) = reading.as_object_mut() {
        members.remove("confidence");
    }
    if let Some(further) = reading.get_mut("also").and_then(Value::as_array_mut) {
        further.iter_mut().for_each(forget_confidence);
    }
}

const FIRST: &str = "2025-10-05T09:00:00-05:00";
const SECOND: &str = "2025-10-05T11:00:00-05:00";

fn fill(role: &str, count: i64, time: &str) -> Value {
    json!({ "intent": "fill_role", "role": role, "count": count, "time": time })
}

#[test]
fn what_is_taken_back_does_not_count() {
    assert_eq!(reading("5 no wait 6 greeters for the 9"), fill("greeters", 6, FIRST));
    assert_eq!(reading("3 greeters—I mean ushers—for 11am"), fill("ushers", 3, SECOND));
    assert_eq!(reading("need 2 for slides at 9, sorry, 11"), fill("slides", 2, SECOND));
    assert_eq!(reading("we need 3 uh 4 ushers at 9"), fill("ushers", 4, FIRST));
}

#[test]
fn each_request_has_its_own_slots() {
    let cases = [
        ("3 in nursery and 2 in kids church for the 9am", "nursery", FIRST, ("children", FIRST)),
        ("3 ushers at 9 and 2 at 11", "ushers", FIRST, ("ushers", SECOND)),
        ("nursery at 9 needs 3, kids church at 11 needs 2", "nursery", FIRST, ("children", SECOND)),
    ];
    for (text, role, time, (other, later)) in cases {
        let mut expected = fill(role, 3, time);
        expected["also"] = json!([fill(other, 2, later)]);
        assert_eq!(reading(text), expected, "{text}");
    }
    let expected = json!({
        "intent": "cancel_event", "role": "ushers", "time": SECOND,
        "also": [fill("greeters", 4, FIRST)],
    });
    assert_eq!(reading("cancel the ushers for 11 and get me 4 greeters at 9"), expected);
}

#[test]
fn chatter_before_a_request_has_no_part_in_it() {
    let text = "thanks for the greeters! now find 2 ushers for 11";
    assert_eq!(reading(text), fill("ushers", 2, SECOND));
}

#[test]
fn wishes_about_people_are_read() {
    let mut expected = fill("ushers", 4, FIRST);
    expected["exclude"] = json!(["Gus", "Ivan"]);
    assert_eq!(reading("4 ushers 9am but leave out Gus and Ivan"), expected);
    let mut expected = fill("ushers", 4, SECOND);
    expected["prefer"] = json!(["Marcus", "Lee"]);
    assert_eq!(reading("4 ushers at 11, Marcus and Lee preferred"), expected);
    let mut expected = fill("slides", 2, SECOND);
    expected["skill"] = json!("propresenter");
    assert_eq!(reading("find a couple people who know propresenter for second service"), expected);
    let mut expected = fill("nursery", 6, FIRST);
    expected["minimum"] = json!(4);
    expected["deadline"] = json!("2025-10-03T12:00:00-05:00");
    assert_eq!(reading("6 in nursery at 9, at least 4, by Friday noon"), expected);
}

#[test]
fn what_is_only_thought_of_changes_nothing() {
    for text in
        ["if it snows we'll cancel sunday", "should we cancel rehearsal?", "we had 6 ushers"]
    {
        assert_eq!(reading(text), json!({ "intent": "unrelated" }), "{text}");
    }
    for text in ["", " ", "...", "\n"] {
        assert_eq!(reading(text), json!({ "intent": "clarify" }), "{text:?}");
    }
}

#[test]
fn very_many_people_need_an_approval() {
    let mut expected = fill("setup", 30, FIRST);
    expected["requires_approval"] = json!(true);
    assert_eq!(reading("get 30 people for setup sunday 9am"), expected);
    expected["count"] = json!(25);
    expected.as_object_mut().expect("an object").remove("requires_approval");
    assert_eq!(reading("get 25 people for setup sunday 9am"), expected);
}
