//! Plays dialogues by the basic rules, with all switches off.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::evaluate::evaluate;
use super::goal::{AgendaGoal, GoalType};
use super::stack::Agenda;
use super::switches::AgendaSwitches;
use super::turn::{AgendaTurn, Classification, Profile};

/// A dialogue: what users wrote, in the sequence of time.
#[derive(Debug, Clone, Deserialize)]
pub struct AgendaDialogue {
    /// What is known about each user at the beginning.
    #[serde(default)]
    profile: Option<Profile>,
    turns: Vec<DialogueTurn>,
}

/// A message of a dialogue. Messages without a user or a session are of one user and session.
#[derive(Debug, Clone, Deserialize)]
struct DialogueTurn {
    at: Timestamp,
    text: String,
    classifier: Classification,
    /// What is known about the user from now on.
    #[serde(default)]
    profile: Option<Profile>,
    #[serde(default)]
    user: Option<String>,
    #[serde(default)]
    session: Option<String>,
}

/// What the turns of a dialogue did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgendaDialogueResult {
    /// A result for each turn.
    pub turns: Vec<AgendaTurnResult>,
}

/// What a turn did to the goals of its user and session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgendaTurnResult {
    /// The types of the active goals, best first.
    pub active: Vec<GoalType>,
    /// The types of the goals that the assistant is shown, best first.
    pub stack: Vec<GoalType>,
    /// The types of the goals that were created.
    pub created: Vec<GoalType>,
    /// The types of the goals that were reached.
    pub completed: Vec<GoalType>,
    /// The types of the goals that were given up.
    pub abandoned: Vec<GoalType>,
}

/// The owner of an agenda.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Owner {
    user: Option<String>,
    session: Option<String>,
}

/// Plays a dialogue. Each user and session has an agenda; the profile is that of the dialogue.
#[must_use]
pub fn play(dialogue: AgendaDialogue) -> AgendaDialogueResult {
    let mut agendas: BTreeMap<Owner, Agenda> = BTreeMap::new();
    let mut profile = dialogue.profile.unwrap_or_default();
    let mut turns = Vec::new();
    for turn in dialogue.turns {
        if let Some(newer) = turn.profile {
            profile = newer;
        }
        let owner = Owner { user: turn.user, session: turn.session };
        let agenda = agendas.entry(owner).or_insert_with(|| Agenda::new(1));
        let turn = AgendaTurn {
            at: turn.at,
            text: turn.text,
            classification: turn.classifier,
            profile: profile.clone(),
            proposals: Vec::new(),
        };
        turns.push(evaluated(agenda, &turn));
    }
    AgendaDialogueResult { turns }
}

fn evaluated(agenda: &mut Agenda, turn: &AgendaTurn) -> AgendaTurnResult {
    let result = evaluate(agenda, turn, &AgendaSwitches::seed());
    let changed = agenda.take_changes().goals;
    let named = |ids: &[i64]| -> Vec<GoalType> {
        let goal = |id: &i64| changed.iter().find(|goal| goal.id == *id);
        ids.iter().filter_map(goal).map(|goal| goal.goal_type).collect()
    };
    AgendaTurnResult {
        active: types(agenda.goals()),
        stack: types(&result.stack),
        created: named(&result.created_goal_ids),
        completed: named(&result.completed_goal_ids),
        abandoned: named(&result.abandoned_goal_ids),
    }
}

fn types(goals: &[AgendaGoal]) -> Vec<GoalType> {
    goals.iter().map(|goal| goal.goal_type).collect()
}
