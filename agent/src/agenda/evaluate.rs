//! The evaluation of a turn: stale goals, onboarding, cancellation, intent, trim, journal.

use serde::Serialize;
use serde_json::{Value, json};

use super::STACK_MAX;
use super::goal::{AgendaGoal, GoalSlot, GoalStatus, GoalType, Slots};
use super::heard::{Cancellation, Heard, Wish};
use super::journal::{CloseReason, JournalEventType};
use super::propose::proposed;
use super::said::{Said, learned};
use super::stack::{Agenda, GoalDraft, Upserted};
use super::switches::AgendaSwitches;
use super::turn::AgendaTurn;
use super::wording;

/// Goals from which a goal without an item takes it: "book it" is about what was compared.
const ITEM_FROM: [GoalType; 3] = [GoalType::PriceWatch, GoalType::FoodSearch, GoalType::Upsell];

/// What the evaluation of a turn did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgendaEvalResult {
    /// The goals that the assistant is shown, best first; at most three.
    pub stack: Vec<AgendaGoal>,
    /// The goals that were created, in that sequence.
    pub created_goal_ids: Vec<i64>,
    /// The goals that were reached, best first.
    pub completed_goal_ids: Vec<i64>,
    /// The goals that were given up, best first within each step.
    pub abandoned_goal_ids: Vec<i64>,
    /// What happened, a sentence each, for a person who looks into it.
    pub actions: Vec<String>,
}

/// Evaluates a turn: creates, updates, completes and abandons goals. What the caller has to persist is in
/// [`Agenda::take_changes`] afterwards.
pub fn evaluate(
    agenda: &mut Agenda,
    turn: &AgendaTurn,
    switches: &AgendaSwitches,
) -> AgendaEvalResult {
    let older: Vec<i64> = agenda.goals().iter().map(|goal| goal.id).collect();
    let mut evaluation = Evaluation::new(agenda, turn, switches);
    let heard = Heard::read(turn);
    evaluation.abandon_stale();
    evaluation.onboard();
    match heard.cancellation {
        Some(cancellation) => evaluation.cancel(cancellation),
        None => evaluation.pursue(&heard.wishes),
    }
    evaluation.trim();
    evaluation.record(&older);
    evaluation.result
}

/// Takes up the goals that a model proposes for a turn which has been evaluated: those that the rules accept. What the
/// caller has to persist is in [`Agenda::take_changes`] afterwards.
pub fn take_up_proposals(
    agenda: &mut Agenda,
    turn: &AgendaTurn,
    switches: &AgendaSwitches,
) -> AgendaEvalResult {
    let older: Vec<i64> = agenda.goals().iter().map(|goal| goal.id).collect();
    let mut evaluation = Evaluation::new(agenda, turn, switches);
    if switches.proposals.is_on() {
        evaluation.accept_proposals();
        evaluation.trim();
        evaluation.record(&older);
    }
    evaluation.result
}

/// The evaluation of one turn, as far as it has got.
struct Evaluation<'e> {
    agenda: &'e mut Agenda,
    turn: &'e AgendaTurn,
    switches: &'e AgendaSwitches,
    /// The details that the message names; `None` if no text of a goal uses them.
    said: Option<Said>,
    result: AgendaEvalResult,
}

impl<'e> Evaluation<'e> {
    fn new(agenda: &'e mut Agenda, turn: &'e AgendaTurn, switches: &'e AgendaSwitches) -> Self {
        let uses_slots = switches.own_words.is_on() || switches.next_by_slot.is_on();
        let said = uses_slots.then(|| Said::read(&turn.text, turn.at));
        Self { agenda, turn, switches, said, result: AgendaEvalResult::default() }
    }
}

impl Evaluation<'_> {
    fn abandon_stale(&mut self) {
        let at = self.turn.at;
        self.close_all(|goal| goal.is_stale(at), CloseReason::Stale);
    }

    fn onboard(&mut self) {
        let known = self.turn.profile.slots();
        let is_complete = GoalType::Onboarding.slots().iter().all(|slot| known.contains_key(slot));
        if is_complete {
            let is_onboarding = |goal: &AgendaGoal| goal.goal_type == GoalType::Onboarding;
            self.close_all(is_onboarding, CloseReason::ProfileComplete);
        } else {
            let slots = self.said.as_ref().map_or_else(Slots::new, |_| known);
            self.upsert(GoalType::Onboarding, None, slots);
        }
    }

    fn cancel(&mut self, cancellation: Cancellation) {
        match cancellation {
            Cancellation::Every => self.close_all(|_| true, CloseReason::Cancelled),
            Cancellation::Top => {
                let top = self.agenda.top().map(|goal| goal.id);
                self.close_all(|goal| Some(goal.id) == top, CloseReason::Cancelled);
            }
        }
    }

    fn pursue(&mut self, wishes: &[Wish]) {
        for wish in wishes.iter().filter(|wish| **wish != Wish::Other) {
            self.grant(*wish);
        }
        let accepted = self.switches.proposals.is_on() && self.accept_proposals();
        if wishes.contains(&Wish::Other) && !accepted {
            self.grant(Wish::Other);
        }
    }

    /// Applies the rule of a wish.
    fn grant(&mut self, wish: Wish) {
        let id = self.wanted(wish.goal_type(), None);
        match wish {
            Wish::Prices => {
                self.wanted(GoalType::Recommendation, Some(id));
            }
            Wish::Booking => self.close_all(is_about_prices, CloseReason::Booked),
            Wish::Plan | Wish::Food | Wish::Redirect | Wish::Other => {}
        }
    }

    /// Creates or updates a goal with what the message says about it. Returns the id of the goal.
    fn wanted(&mut self, goal_type: GoalType, parent: Option<i64>) -> i64 {
        let slots = self.slots(goal_type, parent);
        self.upsert(goal_type, parent, slots)
    }

    /// Returns what is known about a goal after this message.
    fn slots(&self, goal_type: GoalType, parent: Option<i64>) -> Slots {
        let Some(said) = &self.said else { return Slots::new() };
        let said = said.slots_for(goal_type);
        let known = self.agenda.same(goal_type, parent).map(|goal| goal.slots.clone());
        let mut slots = learned(&known.unwrap_or_default(), &said);
        if goal_type == GoalType::Recommendation {
            let compared = parent.and_then(|id| self.agenda.get(id)).map(|goal| &goal.slots);
            slots = compared.cloned().unwrap_or(slots);
        }
        if goal_type.slots().contains(&GoalSlot::Item) && !slots.contains_key(&GoalSlot::Item) {
            slots.extend(self.item_from_another(goal_type).map(|item| (GoalSlot::Item, item)));
        }
        slots
    }

    fn item_from_another(&self, goal_type: GoalType) -> Option<String> {
        let others = ITEM_FROM.iter().filter(|other| **other != goal_type);
        let mut goals = others.filter_map(|other| self.agenda.of_type(*other));
        goals.find_map(|goal| goal.slots.get(&GoalSlot::Item)).cloned()
    }

    fn upsert(&mut self, goal_type: GoalType, parent: Option<i64>, slots: Slots) -> i64 {
        let description = if self.switches.own_words.is_on() {
            wording::description(goal_type, &slots)
        } else {
            wording::fixed_description(goal_type).to_owned()
        };
        let next_action = if self.switches.next_by_slot.is_on() {
            wording::next_action(goal_type, &slots)
        } else {
            wording::fixed_next_action(goal_type).to_owned()
        };
        let priority = goal_type.priority(self.turn.classification.pulse);
        self.put(GoalDraft { goal_type, parent, priority, description, next_action, slots })
    }

    fn put(&mut self, draft: GoalDraft) -> i64 {
        let (goal_type, priority) = (draft.goal_type, draft.priority);
        let upserted = self.agenda.upsert(draft, self.turn.at);
        let id = upserted.id();
        let did = match upserted {
            Upserted::Created(_) => {
                self.result.created_goal_ids.push(id);
                "created"
            }
            Upserted::Updated(_) => "updated",
        };
        self.result.actions.push(format!("{did} {goal_type} #{id}, priority {priority}"));
        id
    }

    /// Creates the goals of a model that the rules accept. Whether there are any.
    fn accept_proposals(&mut self) -> bool {
        let checked = proposed(self.agenda, &self.turn.proposals);
        for refused in &checked.refused {
            let line = format!("refused proposal {}: {}", refused.index + 1, refused.fault);
            self.result.actions.push(line);
        }
        let accepted = !checked.accepted.is_empty();
        for goal in checked.accepted {
            let priority = goal.goal_type.priority(self.turn.classification.pulse);
            self.put(GoalDraft {
                goal_type: goal.goal_type,
                parent: goal.parent,
                priority,
                description: goal.description,
                next_action: wording::fixed_next_action(goal.goal_type).to_owned(),
                slots: Slots::new(),
            });
        }
        accepted
    }

    fn trim(&mut self) {
        let excess: Vec<i64> = self.agenda.excess().iter().map(|goal| goal.id).collect();
        self.close_all(|goal| excess.contains(&goal.id), CloseReason::Trimmed);
    }

    /// Ends the goals that are meant, best first.
    fn close_all(&mut self, is_meant: impl Fn(&AgendaGoal) -> bool, reason: CloseReason) {
        let meant: Vec<AgendaGoal> =
            self.agenda.goals().iter().filter(|goal| is_meant(goal)).cloned().collect();
        for goal in meant {
            self.agenda.close(goal.id, reason, self.turn.at);
            let status = reason.status();
            let ids = match status {
                GoalStatus::Completed => &mut self.result.completed_goal_ids,
                _ => &mut self.result.abandoned_goal_ids,
            };
            ids.push(goal.id);
            let line = format!("{status} {} #{}: {reason}", goal.goal_type, goal.id);
            self.result.actions.push(line);
        }
    }

    /// Notes an older goal that rose to the top, and the active goals. `older` are those from before the turn, best
    /// first.
    fn record(&mut self, older: &[i64]) {
        let top = self.agenda.top().map(|goal| goal.id).filter(|id| older.contains(id));
        if let Some(id) = top.filter(|id| older.first() != Some(id)) {
            let payload = json!({ "before": older.first() });
            self.agenda.enter(JournalEventType::Promoted, Some(id), payload);
            self.result.actions.push(format!("promoted #{id} to the top"));
        }
        let active: Vec<Value> = self.agenda.goals().iter().map(listed).collect();
        let payload = json!({
            "active": active,
            "stack": active.len().min(STACK_MAX),
            "actions": self.result.actions,
        });
        self.agenda.enter(JournalEventType::Snapshot, None, payload);
        self.result.stack = self.agenda.stack().to_vec();
    }
}

/// Whether a goal ends with a booking. A recommendation does also without its price goal, which the user may have
/// cancelled.
fn is_about_prices(goal: &AgendaGoal) -> bool {
    matches!(goal.goal_type, GoalType::PriceWatch | GoalType::Recommendation)
}

/// Returns a goal as a snapshot lists it.
fn listed(goal: &AgendaGoal) -> Value {
    json!({ "id": goal.id, "goalType": goal.goal_type, "priority": goal.priority })
}
