//! The journal, and the shape of results.

use serde_json::json;

use super::*;

#[test]
fn each_evaluation_enters_what_happened_and_a_snapshot() {
    let stories: [(&[&str], &str); 5] = [
        (&["hello"], "snapshot"),
        (&["what is the price"], "created created snapshot"),
        (&["what is the price", "the price?"], "updated updated snapshot"),
        (&["dinner", "what is the price", "cancel", "cancel"], "abandoned promoted snapshot"),
        (&["dinner", "the cost?", "book it"], "created completed completed snapshot"),
    ];
    for (texts, expected) in stories {
        let mut agenda = Agenda::new(1);
        let mut last = Vec::new();
        for (minute, text) in texts.iter().enumerate() {
            let turn = said(text, &format!("2026-03-04T11:{minute:02}:00Z"));
            evaluate(&mut agenda, &turn, &AgendaSwitches::default());
            last = agenda.take_changes().journal;
        }
        let events: Vec<&str> = last.iter().map(|entry| entry.event.as_str()).collect();
        assert_eq!(events.join(" "), expected, "{texts:?}");
        assert!(
            last.iter().all(|entry| {
                (entry.event == JournalEventType::Snapshot) == entry.goal.is_none()
            })
        );
    }
}

#[test]
fn an_entry_says_why_a_goal_ended() {
    let mut agenda = Agenda::new(7);
    evaluate(&mut agenda, &said("dinner", "2026-03-04T11:00:00Z"), &AgendaSwitches::default());
    agenda.take_changes();
    evaluate(&mut agenda, &said("stop", "2026-03-04T11:01:00Z"), &AgendaSwitches::default());
    let entry = agenda.take_changes().journal.remove(0);
    assert_eq!(entry.goal, Some(7));
    assert_eq!(entry.payload, json!({ "goalType": "food_search", "reason": "cancelled" }));
    assert_eq!(agenda.take_changes(), AgendaChanges::default(), "changes are taken once");
}

#[test]
fn a_result_has_the_members_of_its_contract() {
    let mut agenda = Agenda::new(1);
    let turn = said("the price of lamps", "2026-03-04T11:00:00Z");
    let result = evaluate(&mut agenda, &turn, &AgendaSwitches::default());
    let found = serde_json::to_value(result).expect("JSON");
    let goal = json!({
        "id": 2,
        "goalType": "recommendation",
        "parentGoalId": 1,
        "status": "active",
        "priority": 7,
        "description": "Convert lamps comparison output into one concrete recommendation",
        "nextAction": "Recommend one option for lamps and say why",
        "slots": { "item": "lamps" },
        "ignoredAnswers": 0,
        "createdAt": "2026-03-04T11:00:00Z",
        "updatedAt": "2026-03-04T11:00:00Z",
    });
    assert_eq!(found["stack"][1], goal);
    assert_eq!(found["createdGoalIds"], json!([1, 2]));
    assert_eq!(found["completedGoalIds"], json!([]));
    assert_eq!(found["abandonedGoalIds"], json!([]));
    assert_eq!(found["actions"][0], json!("created price_watch #1, priority 8"));
    assert_eq!(found.as_object().map(serde_json::Map::len), Some(5));
    let read: AgendaGoal = serde_json::from_value(goal).expect("a goal");
    assert_eq!(&read, &agenda.goals()[1]);
}

#[test]
fn a_restored_agenda_goes_on_where_it_was() {
    let mut agenda = Agenda::new(1);
    evaluate(&mut agenda, &said("dinner", "2026-03-04T11:00:00Z"), &AgendaSwitches::default());
    let stored = agenda.take_changes().goals;
    let mut restored = Agenda::restore(stored, 1);
    evaluate(&mut restored, &said("lunch", "2026-03-04T12:00:00Z"), &AgendaSwitches::default());
    assert_eq!(restored.goals().len(), 1);
    assert_eq!(restored.goals()[0].id, 1);
    assert_eq!(restored.next_id(), 2);
}
