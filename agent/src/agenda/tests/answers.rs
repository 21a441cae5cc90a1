//! Answers that ignore the top goal.

use super::*;

/// An agenda whose top goal comes from a text.
fn agenda(text: &str, known: &str) -> Agenda {
    let mut agenda = Agenda::new(1);
    let turn = AgendaTurn { profile: profile(known), ..said(text, "2026-03-04T11:00:00Z") };
    evaluate(&mut agenda, &turn, &AgendaSwitches::default());
    agenda.take_changes();
    agenda
}

#[test]
fn two_answers_in_a_row_that_ignore_the_goal_phrase_it_into_the_next() {
    let switches = AgendaSwitches::default();
    let mut agenda = agenda("hello", "nothing");
    assert_eq!(note_answer(&mut agenda, "It is sunny today.", &switches), None);
    assert_eq!(agenda.take_changes().goals[0].ignored_answers, 1);
    let phrase = note_answer(&mut agenda, "Tomorrow it rains.", &switches).expect("a phrase");
    assert_eq!(phrase.goal_type, GoalType::Onboarding);
    assert_eq!(phrase.text, "By the way, what may I call you, and which city do you live in?");
    let changes = agenda.take_changes();
    assert_eq!(changes.goals[0].ignored_answers, 0, "the count begins again");
    assert_eq!(changes.journal[0].event, JournalEventType::Updated);
    assert_eq!(changes.journal[0].payload["ignoredAnswers"], 2);
    assert_eq!(note_answer(&mut agenda, "It is sunny today.", &switches), None);
}

#[test]
fn an_answer_that_addresses_the_goal_begins_the_count_again() {
    let switches = AgendaSwitches::default();
    let mut agenda = agenda("compare lamps", "both");
    let answers = ["Hm.", "Two lamps are on sale.", "Hm.", "Here are the prices.", "Hm."];
    for answer in answers {
        assert_eq!(note_answer(&mut agenda, answer, &switches), None, "{answer}");
    }
    let phrase = note_answer(&mut agenda, "Well.", &switches).expect("a phrase");
    assert_eq!(phrase.text, "Where shall I look for lamps?");
}

#[test]
fn a_goal_must_be_ignored_twice_while_it_is_at_the_top() {
    let switches = AgendaSwitches::default();
    let mut agenda = agenda("Where is lunch?", "both");
    assert_eq!(note_answer(&mut agenda, "It is sunny.", &switches), None);
    evaluate(&mut agenda, &said("book a car", "2026-03-04T11:01:00Z"), &switches);
    assert_eq!(note_answer(&mut agenda, "It is sunny.", &switches), None);
    evaluate(&mut agenda, &said("stop", "2026-03-04T11:02:00Z"), &switches);
    assert_eq!(note_answer(&mut agenda, "It is sunny.", &switches), None);
    assert!(note_answer(&mut agenda, "It is sunny.", &switches).is_some());
}

#[test]
fn answers_that_address_a_goal() {
    let cases = [
        ("hello", "nothing", "What is your name?", true),
        ("hello", "nothing", "What shall I call you?", true),
        ("hello", "nothing", "Nice to meet you!", false),
        ("the price of lamps", "both", "The cheapest one is 30", true),
        ("the price of lamps", "both", "A lamp! Which lamps do you like?", true),
        ("the price of lamps", "both", "The sky is blue", false),
        ("book a table", "both", "Your table is confirmed", true),
        ("book a table", "both", "Done!", false),
        ("I want biryani", "both", "Try the dosa instead", true),
        ("I want biryani", "both", "It rains", false),
    ];
    for (text, known, answer, addresses) in cases {
        let mut agenda = agenda(text, known);
        note_answer(&mut agenda, answer, &AgendaSwitches::default());
        let ignored = agenda.goals()[0].ignored_answers;
        assert_eq!(ignored == 0, addresses, "{text}: {answer}");
    }
}

#[test]
fn every_goal_can_be_phrased() {
    let texts =
        ["price", "price of lamps", "book", "book a car", "book a car tomorrow", "dinner", "pizza"];
    for text in texts {
        let mut agenda = agenda(text, "both");
        let mut note = || note_answer(&mut agenda, "Hm.", &AgendaSwitches::default());
        assert_eq!(note(), None);
        let phrase = note().expect("a phrase");
        assert!(phrase.text.ends_with('?') && !phrase.text.contains("  "), "{}", phrase.text);
    }
}

#[test]
fn without_goals_or_with_the_switch_off_nothing_is_phrased() {
    let off = AgendaSwitches { follow_through: AgendaSwitch::Off, ..AgendaSwitches::default() };
    let mut with_goal = agenda("hello", "nothing");
    let mut empty = agenda("hello", "both");
    for _ in 0..3 {
        assert_eq!(note_answer(&mut with_goal, "Hm.", &off), None);
        assert_eq!(note_answer(&mut empty, "Hm.", &AgendaSwitches::default()), None);
    }
    assert_eq!(with_goal.take_changes(), AgendaChanges::default());
}
