//! Goals that a user takes along into a new session.

use super::*;

/// The goals of an earlier session, after these texts, a minute apart.
fn earlier(texts: &[&str]) -> Vec<AgendaGoal> {
    let mut agenda = Agenda::new(1);
    for (minute, text) in texts.iter().enumerate() {
        let turn = said(text, &format!("2026-03-02T09:{minute:02}:00Z"));
        evaluate(&mut agenda, &turn, &AgendaSwitches::default());
    }
    agenda.take_changes().goals
}

#[test]
fn fresh_goals_are_carried_over() {
    let cases: [(&[&str], &str, &str); 5] = [
        (&["dinner"], "5 09:00", "food_search"),
        (&["dinner"], "5 09:00:01", ""),
        (&["dinner", "cancel"], "2 10:00", ""),
        (&["the price of lamps", "dinner"], "3 09:00", "price_watch recommendation food_search"),
        (&["what is the price", "cancel"], "2 10:00", ""),
    ];
    for (texts, now, expected) in cases {
        assert_eq!(types(&carried_over(&earlier(texts), at(now))), expected, "{texts:?}");
    }
}

#[test]
fn of_several_sessions_the_best_goal_of_each_type_is_carried_over() {
    let mut goals = earlier(&["dinner"]);
    goals.extend(goals.clone().into_iter().map(|goal| AgendaGoal { id: 9, priority: 7, ..goal }));
    let carried = carried_over(&goals, at("3 09:00"));
    assert_eq!(carried.len(), 1);
    assert_eq!(carried[0].id, 9);
}

#[test]
fn a_new_session_begins_with_them_under_ids_of_its_own() {
    let previous = earlier(&["the price of lamps", "dinner"]);
    let mut agenda = Agenda::new(100);
    let ids = begin_session(&mut agenda, &previous, at("3 09:00"), &AgendaSwitches::default());
    assert_eq!(types(agenda.goals()), "price_watch recommendation food_search");
    assert_eq!(agenda.goals()[1].parent, Some(ids[0]));
    assert!(ids.iter().all(|id| *id >= 100));
    let changes = agenda.take_changes();
    assert!(changes.journal.iter().all(|entry| entry.event == JournalEventType::Seeded));
    assert_eq!(changes.journal.len(), 3);
    assert_eq!(changes.journal[0].payload["from"], previous[0].id);

    let turn = said("what was the price again?", "2026-03-03T09:01:00Z");
    let result = evaluate(&mut agenda, &turn, &AgendaSwitches::default());
    assert!(result.created_goal_ids.is_empty(), "{:?}", result.actions);
    assert!(agenda.goals()[0].description.contains("lamps"));
}

#[test]
fn nothing_is_seeded_twice_or_with_the_switch_off() {
    let previous = earlier(&["dinner"]);
    let mut agenda = Agenda::new(10);
    let off = AgendaSwitches { carry_over: AgendaSwitch::Off, ..AgendaSwitches::default() };
    assert!(begin_session(&mut agenda, &previous, at("3 09:00"), &off).is_empty());
    assert_eq!(
        begin_session(&mut agenda, &previous, at("3 09:00"), &AgendaSwitches::default()),
        [10]
    );
    assert!(
        begin_session(&mut agenda, &previous, at("3 09:00"), &AgendaSwitches::default()).is_empty()
    );
}

#[test]
fn dialogues_of_several_users_do_not_mix() {
    let line = r#"{"profile":{"displayName":"Ana","homeLocation":"Delft"},"turns":[
        {"at":"2026-03-10T10:00:00Z","text":"dinner","user":"a","classifier":{"complexity":"simple","goal":"chat","pulse":"ENGAGED"}},
        {"at":"2026-03-10T10:01:00Z","text":"hi","user":"b","profile":{"displayName":null},"classifier":{"complexity":"simple","pulse":"PASSIVE"}},
        {"at":"2026-03-10T10:02:00Z","text":"cancel all","user":"a","session":"2","classifier":{"complexity":"simple","pulse":"PASSIVE"}},
        {"at":"2026-03-10T10:03:00Z","text":"cancel all","user":"a","classifier":{"complexity":"simple","pulse":"PASSIVE","activeTool":null}}]}"#;
    let dialogue: AgendaDialogue = serde_json::from_str(line).expect("a dialogue");
    let active: Vec<Vec<GoalType>> =
        play(dialogue).turns.into_iter().map(|turn| turn.active).collect();
    assert_eq!(active, [vec![GoalType::FoodSearch], vec![GoalType::Onboarding], vec![], vec![]]);
}
