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

fn moved(role: Option<&str>, time: Option<&str>) -> Value {
    let mut moved = json!({ "intent": "rebalance" });
    for (slot, value) in [("role", role), ("time", time)] {
        if let Some(value) = value {
            moved[slot] = json!(value);
        }
    }
    moved
}

#[test]
fn times_are_read_in_whatever_way_they_are_said() {
    let cases = [
        ("nursery sun 9 three", FIRST),
        ("NURSERY SUNDAY 9 NEED 3", FIRST),
        ("3 people nine oclock sunday nursery", FIRST),
        ("3 in nursery for the first one", FIRST),
        ("3 nursery early svc", FIRST),
        ("nursery/3/9am sunday", FIRST),
        ("3 for the nursery table 9", FIRST),
        ("sun. oct. 5, 9 a.m., nursery, 3", FIRST),
        ("12th first service nursery needs 3", "2025-10-12T09:00:00-05:00"),
        ("nursery needs 3 sunday the 26th second service", "2025-10-26T11:00:00-05:00"),
        ("3 nursery 10-12 9am", "2025-10-12T09:00:00-05:00"),
        ("3 en guarderia el 12 de octubre a las 9", "2025-10-12T09:00:00-05:00"),
        ("3 nursery nxt wk 9am", "2025-10-12T09:00:00-05:00"),
        ("3 for nursery at 9, not this sunday but next", "2025-10-12T09:00:00-05:00"),
    ];
    for (text, time) in cases {
        assert_eq!(reading(text), fill("nursery", 3, time), "{text}");
    }
}

#[test]
fn a_day_that_is_not_read_is_asked_for() {
    for text in [
        "3 ushers at 9 every sunday",
        "the week after this one, 3 ushers at 9",
        "3 ushers at 9, 10.12",
        "3 ushers thanksgiving week wednesday",
    ] {
        let read = reading(text);
        assert_eq!(read["intent"], "clarify", "{text}");
        assert_eq!(read["missing"], json!(["time"]), "{text}");
    }
}

#[test]
fn the_number_of_those_who_go_is_no_total() {
    for (text, delta) in [
        ("we have 2 too many ushers at 9", -2),
        ("sobran dos ujieres a las 9", -2),
        ("send two of the ushers home at 9", -2),
        ("tell one of the ushers they're off the hook for 9", -1),
        ("take a person off the ushers at 9", -1),
        ("uno menos en ujieres a las 9", -1),
        ("cancel 2 ushers at 9", -2),
    ] {
        let expected =
            json!({ "intent": "reduce_target", "role": "ushers", "delta": delta, "time": FIRST });
        assert_eq!(reading(text), expected, "{text}");
    }
    let expected =
        json!({ "intent": "reduce_target", "role": "ushers", "count": 3, "time": SECOND });
    assert_eq!(reading("lets not do 5 ushers, 3 works for 11"), expected);
}

#[test]
fn people_who_move_are_no_new_total() {
    let nine = Some(FIRST);
    for (text, role, time) in [
        ("move 2 ushers from 9 to 11", Some("ushers"), None),
        ("move one of the 9am ushers to 11", Some("ushers"), None),
        ("shift 2 greeters over to second service", Some("greeters"), Some(SECOND)),
        ("give nursery one of the ushers at 9", None, nine),
        ("convert two ushers to greeters at 9", None, nine),
        ("take two off ushers and give them to kids at 9", None, nine),
        ("one less usher one more greeter at 9", None, nine),
        ("move somebody from ushers to parking at 9", None, nine),
    ] {
        assert_eq!(reading(text), moved(role, time), "{text}");
    }
}

#[test]
fn what_is_told_or_asked_is_no_request() {
    for text in [
        "we have 4 ushers at 9 already",
        "got my 4 ushers for 9, thanks!",
        "my son is 4 and in nursery at 9",
        "3 ushers called me about sunday 9",
        "let me ask pastor",
        "yes but only text the nursery team",
        "yes if kim says ok",
        "fine but who's gonna do it",
    ] {
        assert_eq!(reading(text), json!({ "intent": "unrelated" }), "{text}");
    }
    for text in ["do we need 4 ushers at 9?", "do you think 4 ushers is enough at 9"] {
        assert_eq!(reading(text)["intent"], "status", "{text}");
    }
}

#[test]
fn a_pause_may_be_of_one_role() {
    for (text, intent) in [("put nursery on hold", "pause"), ("take nursery off hold", "resume")] {
        assert_eq!(reading(text), json!({ "intent": intent, "role": "nursery" }), "{text}");
    }
}

#[test]
fn both_roles_are_not_both_services() {
    let up = |role: &str| json!({ "intent": "increase_target", "role": role, "delta": 1, "time": FIRST });
    let mut expected = up("nursery");
    expected["also"] = json!([up("children")]);
    assert_eq!(reading("increase both nursery and kids by 1 at 9"), expected);
    let expected = json!({
        "intent": "pause", "role": "nursery", "also": [{ "intent": "pause", "role": "children" }],
    });
    assert_eq!(reading("pause nursery and kids"), expected);
}

#[test]
fn one_person_needs_no_number() {
    assert_eq!(reading("slides person for sunday 9am pls"), fill("slides", 1, FIRST));
    assert_eq!(reading("need a person for slides at 9"), fill("slides", 1, FIRST));
    assert_eq!(reading("who can usher at 9? I need 3")["count"], json!(3));
    let asked = reading("need a few ushers for the 9");
    assert_eq!((&asked["intent"], &asked["missing"]), (&json!("clarify"), &json!(["count"])));
}

#[test]
fn what_is_there_or_was_is_not_what_is_wanted() {
    for (text, count) in [
        ("3 ushers so far, need 5 total for 9", 5),
        ("we've 2 ushers, want 4 for 9", 4),
        ("ushers are down 2 at 9", 2),
        ("3 of the ushers for 9 cancelled, find 3", 3),
        ("2 more, sorry, just 2 ushers total for 9", 2),
    ] {
        assert_eq!(reading(text), fill("ushers", count, FIRST), "{text}");
    }
    let mut expected = json!({ "intent": "increase_target", "role": "ushers", "time": SECOND });
    expected["delta"] = json!(1);
    assert_eq!(reading("need an extra usher at 11"), expected);
    let read = reading("whoever you can get for nursery at 9");
    assert_eq!(read["missing"], json!(["count"]), "{read}");
}

#[test]
fn what_is_beside_the_request_says_nothing_about_it() {
    for text in [
        "we're good at 11 but need 3 ushers at 9",
        "3 ushers for 9, the 11 is fine",
        "11 is covered, 9 needs 3 ushers",
        "not the 11, the 9 needs 3 ushers",
        "two more weeks till the move, anyway need 3 ushers at 9 sunday",
        "its 2 weeks to christmas, 3 ushers for sunday 9",
        "3 ushers for sunday 9 and my birthday is thursday",
    ] {
        assert_eq!(reading(text), fill("ushers", 3, FIRST), "{text}");
    }
}
