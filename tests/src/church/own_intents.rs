//! What staff can ask for because a home has a file for it.

use abide_engine::library::Sources;
use serde_json::json;

use super::demo_church::on_both_of;

const INTENT: &str = "\
intent: book_cleaning
risk: T2
description: the cleaners come
method: cleaning
slots:
  room: { values: { kitchen: [galley], hall: [] }, ask: Which room is it? }
  day: { type: date }
  hours: { type: count, required: false }
examples:
- get the kitchen cleaned on Friday
- the hall needs a proper clean before Saturday
- please have someone scrub the kitchen tomorrow
- book the cleaners for the hall on Monday
- the kitchen is filthy, send in the cleaning crew
- can you arrange a deep clean of the hall
";
const FILL: &str = "\
intent: crew_up
goal: FillRole
slots: { role: required, count: required, time: required }
examples:
- crew up the nursery for sunday at 9 with 3
- crew up ushers with 2 at the 11am
- crew up greeters, 4 of them, first service
- crew up parking
";
const CLEANING: &str = "\
method: cleaning
description: Note that the cleaners come.
inputs:
  type: object
  required: [kind, room, day]
  properties:
    kind: { const: BookCleaning }
    room: { type: string }
    day: { type: string }
    hours: { type: integer }
steps:
  - set: { booked: '{{goal.room}}' }
";

fn home() -> Sources {
    let mut sources = Sources::builtin();
    sources.methods.insert("cleaning.yaml".to_owned(), CLEANING.to_owned());
    sources.intents.insert("book_cleaning.yaml".to_owned(), INTENT.to_owned());
    sources.intents.insert("crew_up.yaml".to_owned(), FILL.to_owned());
    sources
}

#[test]
fn an_intent_of_a_home_asks_for_what_is_missing_then_for_a_yes() {
    on_both_of(home(), |church| async move {
        let handled = church.say("Pat", "could you get the galley cleaned please").await;
        assert_eq!(handled, "staff_request");
        let question = church.texts_to("Pat").pop().expect("a question");
        assert!(question.contains("Which day?"), "{question}");
        assert_eq!(church.say("Pat", "friday").await, "clarification_answer");
        let check = church.texts_to("Pat").pop().expect("a question");
        assert!(check.contains("room: kitchen") && check.contains("Shall I"), "{check}");
        assert!(church.runs().await.is_empty());
        assert_eq!(church.say("Pat", "yes please").await, "clarification_answer");
        let runs = church.runs().await;
        assert_eq!(runs.len(), 1);
        let goal = json!({"kind": "BookCleaning", "room": "kitchen", "day": "2025-10-03"});
        assert_eq!((runs[0].method.as_str(), &runs[0].goal), ("cleaning", &goal));
        let told = church.texts_to("Pat").pop().expect("an answer");
        assert!(told.contains("it has begun: the cleaners come"), "{told}");
        church.assert_consistent().await;
    });
}

#[test]
fn a_no_starts_nothing_and_volunteers_cannot_ask() {
    on_both_of(home(), |church| async move {
        church.say("Pat", "book the cleaners for the hall tomorrow").await;
        assert_eq!(church.say("Pat", "no, leave it").await, "clarification_answer");
        assert_eq!(church.say("Ana", "book the cleaners for the hall tomorrow").await, "unmatched");
        assert!(church.runs().await.is_empty());
        church.assert_consistent().await;
    });
}

#[test]
fn a_goal_of_the_program_may_follow_from_an_intent_of_a_home() {
    on_both_of(home(), |church| async move {
        church.say("Pat", "crew up nursery with 2 for the 9am").await;
        let told = church.texts_to("Pat").pop().expect("an answer");
        assert!(told.contains("12 people") && told.contains("2 nursery"), "{told}");
        assert_eq!(church.kinds_to("Ana").await, ["invite"]);
        church.assert_consistent().await;
    });
}
