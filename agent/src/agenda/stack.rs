//! The active goals of a user in a session, and what changed about them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::goal::{AgendaGoal, GoalStatus, GoalType, Slots};
use super::journal::{CloseReason, JournalEntry, JournalEventType};
use super::{ACTIVE_MAX, STACK_MAX};

/// The active goals of a user in a session, and what the caller has yet to persist.
#[derive(Debug, Clone, Default)]
pub struct Agenda {
    /// The active goals, best first.
    goals: Vec<AgendaGoal>,
    next_id: i64,
    changed: BTreeMap<i64, AgendaGoal>,
    journal: Vec<JournalEntry>,
}

/// What a caller persists after an evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgendaChanges {
    /// The goals to insert or to replace, each as it is now, in the sequence of their ids.
    pub goals: Vec<AgendaGoal>,
    /// The entries to append to the journal.
    pub journal: Vec<JournalEntry>,
}

/// What a rule wants to be a goal.
pub(super) struct GoalDraft {
    pub(super) goal_type: GoalType,
    pub(super) parent: Option<i64>,
    pub(super) priority: i64,
    pub(super) description: String,
    pub(super) next_action: String,
    pub(super) slots: Slots,
}

/// What a draft became.
pub(super) enum Upserted {
    /// A new goal with this id.
    Created(i64),
    /// The goal with this id, which was active already.
    Updated(i64),
}

impl Upserted {
    pub(super) const fn id(&self) -> i64 {
        match self {
            Self::Created(id) | Self::Updated(id) => *id,
        }
    }
}

impl Agenda {
    /// Returns an agenda without goals. New goals get ids from `next_id` on.
    #[must_use]
    pub const fn new(next_id: i64) -> Self {
        Self { goals: Vec::new(), next_id, changed: BTreeMap::new(), journal: Vec::new() }
    }

    /// Returns an agenda with the active ones of these goals. New goals get ids from `next_id` on, or from the id
    /// after the highest of these goals.
    #[must_use]
    pub fn restore(goals: Vec<AgendaGoal>, next_id: i64) -> Self {
        let after = goals.iter().map(|goal| goal.id + 1).max().unwrap_or(next_id);
        let mut agenda = Self::new(next_id.max(after));
        agenda.goals = goals;
        agenda.goals.retain(|goal| goal.status == GoalStatus::Active);
        agenda.sort();
        agenda
    }

    /// Returns the active goals, best first.
    #[must_use]
    pub fn goals(&self) -> &[AgendaGoal] {
        &self.goals
    }

    /// Returns the goals that the assistant is shown, best first.
    #[must_use]
    pub fn stack(&self) -> &[AgendaGoal] {
        &self.goals[..self.goals.len().min(STACK_MAX)]
    }

    /// Returns the id that the next new goal gets.
    #[must_use]
    pub const fn next_id(&self) -> i64 {
        self.next_id
    }

    /// Takes what changed since the last call, to be persisted.
    pub fn take_changes(&mut self) -> AgendaChanges {
        AgendaChanges {
            goals: std::mem::take(&mut self.changed).into_values().collect(),
            journal: std::mem::take(&mut self.journal),
        }
    }

    pub(super) fn top(&self) -> Option<&AgendaGoal> {
        self.goals.first()
    }

    pub(super) fn get(&self, id: i64) -> Option<&AgendaGoal> {
        self.goals.iter().find(|goal| goal.id == id)
    }

    /// Returns the best active goal of a type.
    pub(super) fn of_type(&self, goal_type: GoalType) -> Option<&AgendaGoal> {
        self.goals.iter().find(|goal| goal.goal_type == goal_type)
    }

    /// Returns the active goal that a draft of this type and parent would update.
    pub(super) fn same(&self, goal_type: GoalType, parent: Option<i64>) -> Option<&AgendaGoal> {
        self.goals.iter().find(|goal| goal.goal_type == goal_type && goal.parent == parent)
    }

    /// Returns the goals beyond the maximum, best first.
    pub(super) fn excess(&self) -> &[AgendaGoal] {
        &self.goals[self.goals.len().min(ACTIVE_MAX)..]
    }

    /// Updates the active goal of the draft's type and parent, or creates it.
    pub(super) fn upsert(&mut self, draft: GoalDraft, at: Timestamp) -> Upserted {
        let existing = self.same(draft.goal_type, draft.parent).cloned();
        let upserted = existing
            .as_ref()
            .map_or(Upserted::Created(self.next_id), |goal| Upserted::Updated(goal.id));
        let goal = AgendaGoal {
            id: upserted.id(),
            goal_type: draft.goal_type,
            parent: draft.parent,
            status: GoalStatus::Active,
            priority: draft.priority,
            description: draft.description,
            next_action: draft.next_action,
            slots: draft.slots,
            ignored_answers: existing.as_ref().map_or(0, |goal| goal.ignored_answers),
            created_at: existing.as_ref().map_or(at, |goal| goal.created_at),
            updated_at: at,
        };
        let (event, payload) = match existing {
            Some(before) => (JournalEventType::Updated, update(&before, &goal)),
            None => (JournalEventType::Created, shown(&goal)),
        };
        self.put(goal);
        self.enter(event, Some(upserted.id()), payload);
        upserted
    }

    /// Adds a goal of an earlier session under an id of this one. Returns that id.
    pub(super) fn adopt(&mut self, goal: AgendaGoal, parent: Option<i64>) -> i64 {
        let id = self.next_id;
        let mut payload = shown(&goal);
        payload["from"] = goal.id.into();
        self.put(AgendaGoal { id, parent, ignored_answers: 0, ..goal });
        self.enter(JournalEventType::Seeded, Some(id), payload);
        id
    }

    /// Ends a goal that is active. Does nothing if it is not.
    pub(super) fn close(&mut self, id: i64, reason: CloseReason, at: Timestamp) {
        let Some(place) = self.goals.iter().position(|goal| goal.id == id) else { return };
        let mut goal = self.goals.remove(place);
        (goal.status, goal.updated_at) = (reason.status(), at);
        let event = match reason.status() {
            GoalStatus::Completed => JournalEventType::Completed,
            _ => JournalEventType::Abandoned,
        };
        let payload = json!({ "goalType": goal.goal_type, "reason": reason });
        self.changed.insert(id, goal);
        self.enter(event, Some(id), payload);
    }

    /// Puts an active goal in the place of the one with its id, or adds it.
    pub(super) fn put(&mut self, goal: AgendaGoal) {
        self.next_id = self.next_id.max(goal.id + 1);
        self.changed.insert(goal.id, goal.clone());
        match self.goals.iter_mut().find(|known| known.id == goal.id) {
            Some(known) => *known = goal,
            None => self.goals.push(goal),
        }
        self.sort();
    }

    pub(super) fn enter(&mut self, event: JournalEventType, goal: Option<i64>, payload: Value) {
        self.journal.push(JournalEntry { event, goal, payload });
    }

    fn sort(&mut self) {
        self.goals.sort_by(AgendaGoal::compare);
    }
}

/// Returns a goal as the journal shows it.
fn shown(goal: &AgendaGoal) -> Value {
    json!({
        "goalType": goal.goal_type,
        "priority": goal.priority,
        "description": goal.description,
        "nextAction": goal.next_action,
    })
}

/// Returns a touched goal as the journal shows it: its priority, and of its texts those that changed.
fn update(before: &AgendaGoal, goal: &AgendaGoal) -> Value {
    let mut payload = json!({
        "goalType": goal.goal_type,
        "priority": { "from": before.priority, "to": goal.priority },
    });
    if before.description != goal.description {
        payload["description"] = goal.description.as_str().into();
    }
    if before.next_action != goal.next_action {
        payload["nextAction"] = goal.next_action.as_str().into();
    }
    payload
}
