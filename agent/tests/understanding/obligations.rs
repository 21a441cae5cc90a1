//! Texts that bind the agent to something, and their answers.

use abide_agent::church::ChurchWords;
use abide_agent::obligations::people::KnownPerson;
use abide_agent::obligations::{
    AnsweredObligations, Conversation, DirectoryWords, Obligation, ObligationType, ReadContext,
};
use jiff::Timestamp;
use serde_json::Value;

use super::confusion::Confusion;
use super::{lines, text};

/// The least share of texts whose obligations are read, and of questions that are answered right.
const OBLIGATIONS_AT_LEAST: f64 = 0.90;
const ANSWERS_AT_LEAST: f64 = 0.91;

/// What was understood of one half.
#[derive(Default)]
struct Understood {
    obligations: Confusion,
    answers: Confusion,
    unverified: usize,
}

fn answered(line: &Value, church: &ChurchWords) -> AnsweredObligations {
    let now: Option<Timestamp> = text(line, "now").parse().ok();
    let people: Vec<KnownPerson> =
        serde_json::from_value(line["people"].clone()).unwrap_or_default();
    let directory = DirectoryWords::of(&people, &church.roles);
    let now = now.map(|now| now.to_zoned(church.zone.clone()));
    let context = ReadContext { directory, ..ReadContext::new(now) };
    let mut conversation = Conversation::new(context, people);
    for prior in line["prior"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        conversation.hear(prior);
    }
    conversation.say(text(line, "text"))
}

/// Returns the types and kinds of obligations, as a set.
fn kinds<'v>(pairs: impl Iterator<Item = [&'v str; 2]>) -> String {
    let mut pairs: Vec<String> = pairs.map(|pair| pair.join(" ")).collect();
    pairs.sort();
    pairs.dedup();
    pairs.join(" + ")
}

fn is_right(wanted: &Value, found: Option<&str>) -> bool {
    match wanted {
        Value::Array(any) => any.iter().any(|wanted| wanted.as_str() == found),
        wanted => wanted.as_str() == found,
    }
}

fn understood(half: &str) -> Understood {
    let church = ChurchWords::demo();
    let mut understood = Understood::default();
    for line in lines("obligations", half) {
        let found = answered(&line, &church);
        let wanted = line["obligations"].as_array().into_iter().flatten();
        let wanted = kinds(wanted.map(|wanted| [text(wanted, "type"), text(wanted, "kind")]));
        let read = kinds(found.obligations.iter().map(|o| [o.obligation_type.as_str(), o.kind()]));
        understood.obligations.add(text(&line, "text"), &wanted, &read);
        let is_right = is_right(&line["answer"], found.answer.as_deref());
        let shown = format!("{}: {:?} for {}", text(&line, "text"), found.answer, line["answer"]);
        understood.answers.add(&shown, "right", if is_right { "right" } else { "wrong" });
        let is_verified =
            found.obligations.iter().any(|o: &Obligation| o.is(ObligationType::Verify));
        understood.unverified += usize::from(found.answer.is_some() && !is_verified);
    }
    understood
}

#[test]
fn texts_become_obligations_with_verified_answers() {
    for half in ["seen", "held"] {
        let Understood { obligations, answers, unverified } = understood(half);
        // The predicates would tell what the texts of the other half are.
        if half == "seen" {
            obligations.print("obligations, seen", true);
            answers.print("answers, seen", true);
        } else {
            println!("obligations, {half}: {:.1} %", 100.0 * obligations.share());
            println!("answers, {half}: {:.1} %", 100.0 * answers.share());
        }
        assert_eq!(unverified, 0, "answers left without a check");
        assert!(obligations.share() >= OBLIGATIONS_AT_LEAST && answers.share() >= ANSWERS_AT_LEAST);
    }
}
