//! What the tests of all readers use, and texts of several requests.

use abide_language::contract::Schema;
use serde_json::{Value, json};

use crate::church::ChurchWords;
use crate::obligations::people::KnownPerson;
use crate::obligations::read::{DirectoryWords, ReadContext, read};
use crate::obligations::{Conversation, Obligation, Obligations, SCHEMA};

/// Compares what each text shows with what it should show.
#[track_caller]
pub(super) fn check(show: impl Fn(&str) -> String, cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let found = show(text);
        if found != *expected {
            wrong.push(format!("{text}\n  found    {found}\n  expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn context(people: &[KnownPerson]) -> ReadContext {
    let now = "2025-09-30T14:20:00-05:00[America/Chicago]".parse().ok();
    let directory = DirectoryWords::of(people, &ChurchWords::demo().roles);
    ReadContext { directory, ..ReadContext::new(now) }
}

/// Shows what a text is read as.
pub(super) fn show(text: &str) -> String {
    shown(&read(text, &context(&[])))
}

/// Shows what a text about the people of a church is read as.
pub(super) fn show_of_church(text: &str) -> String {
    let person = |name: &str, city: &str, roles: Value| json!({ "name": name, "city": city, "roles": roles });
    let people = json!([
        person("Tom", "Salem", json!(["usher"])),
        person("Wes", "Boise", json!(["parking", "usher"])),
        person("Xena", "Reno", json!(["nursery"])),
        person("Zoë", "St. Paul", json!(["worship"])),
        person("Pia", "Seattle", json!(["security", "sound"])),
        person("Joy", "New York", json!(["greeter", "cafe"])),
        person("Mia", "Salem", json!([])),
    ]);
    let people: Vec<KnownPerson> = serde_json::from_value(people).expect("people");
    shown(&read(text, &context(&people)))
}

/// Shows what a text is read as after others.
pub(super) fn show_after(texts: &[&str], text: &str) -> String {
    let mut conversation = Conversation::new(context(&[]), Vec::new());
    for text in texts {
        conversation.hear(text);
    }
    shown(&read(text, conversation.context()))
}

/// Writes obligations with their members in the order of the alphabet. All of them are in the schema.
fn shown(obligations: &[Obligation]) -> String {
    let document = Obligations { obligations: obligations.to_vec() };
    let document = serde_json::to_value(document).expect("JSON");
    let schema = Schema::compile(serde_json::from_str(SCHEMA).expect("JSON")).expect("a schema");
    assert_eq!(schema.check(&document), Ok(()), "{document}");
    let show = |obligation: &Obligation| {
        let mut words = vec![obligation.obligation_type.to_string(), obligation.kind().to_owned()];
        let mut members: Vec<String> = obligation
            .payload
            .iter()
            .filter(|(name, _)| *name != "kind")
            .map(|(name, value)| match value {
                Value::String(text) => format!("{name}={text}"),
                other => format!("{name}={other}"),
            })
            .collect();
        members.sort();
        words.extend(members);
        words.join(" ")
    };
    obligations.iter().map(show).collect::<Vec<_>>().join(" + ")
}

#[test]
fn a_text_can_hold_several_requests() {
    check(
        show,
        &[
            (
                "my name is Sam. what's 6 times 7?",
                "ACHIEVE memory.saved field=name value=Sam + REPORT math expr=6*7",
            ),
            (
                "I just moved to Reno. What city do I live in?",
                "ACHIEVE memory.saved field=city value=Reno + REPORT status field=city",
            ),
            (
                "turn off the hall light. also whats 40 + 2",
                "ACHIEVE hall_light.off args={} pred=hall_light.off + REPORT math expr=40+2",
            ),
            (
                "who are my friends in Austin and how many e's are in Tennessee",
                r#"REPORT query.people filters=[{"is_friend":"user"},{"city":"Austin"}] + REPORT count letter=e text=Tennessee"#,
            ),
            ("what's 2+2 and what's 3*3", "REPORT math expr=2+2 + REPORT math expr=3*3"),
            ("hey, it's late, what's 2+2?", "REPORT math expr=2+2"),
        ],
    );
}

#[test]
fn what_nobody_understands_is_asked_back() {
    for text in [
        "",
        "???",
        "hi there",
        "how's it going",
        "can you do the thing",
        "asdf qwer",
        "thanks!",
        "👍",
        "512-555-0144",
        "7",
    ] {
        assert_eq!(show(text), "CLARIFY slot slot=request", "{text}");
    }
}

#[test]
fn a_conversation_explains_short_texts() {
    check(
        |text| show_after(&["what time is it in London"], text),
        &[
            ("and in Tokyo?", "REPORT time city=Tokyo"),
            ("what about Sydney", "REPORT time city=Sydney"),
        ],
    );
    check(
        |text| show_after(&["how many r's in strawberry"], text),
        &[
            ("and in raspberry?", "REPORT count letter=r text=raspberry"),
            ("what about the letter s", "REPORT count letter=s text=strawberry"),
        ],
    );
    check(
        |text| show_after(&["what's 2+2"], text),
        &[("now multiply that by 3", "REPORT math expr=(2+2)*3")],
    );
    check(
        |text| show_after(&["what's your name?"], text),
        &[("Sam", "ACHIEVE memory.saved field=name value=Sam")],
    );
    check(
        |text| show_after(&["remind me to call mom"], text),
        &[("at 5pm", "SCHEDULE schedule event=call mom time=2025-09-30T17:00:00-05:00")],
    );
}

#[test]
fn any_text_is_read_in_bounded_time() {
    let long = "how many r's in strawberry and what's 2+2, then ".repeat(500);
    let texts = [
        long,
        "(".repeat(5_000),
        "half of ".repeat(2_000),
        "and ".repeat(3_000),
        "\"".repeat(3_000),
        "1 + ".repeat(2_000),
        "not ".repeat(2_000),
    ];
    for text in texts {
        assert!(!read(&text, &context(&[])).is_empty());
    }
}
