//! Goals that a user takes along into a new session.

use jiff::Timestamp;

use super::ACTIVE_MAX;
use super::goal::{AgendaGoal, GoalStatus, GoalType};
use super::stack::Agenda;
use super::switches::AgendaSwitches;

/// Returns the goals of earlier sessions that a new session begins with: those that are active and not stale, best
/// first, one of each type, and at most six. A recommendation comes along only with its price goal.
#[must_use]
pub fn carried_over(previous: &[AgendaGoal], now: Timestamp) -> Vec<AgendaGoal> {
    let mut fresh: Vec<&AgendaGoal> = previous
        .iter()
        .filter(|goal| goal.status == GoalStatus::Active && !goal.is_stale(now))
        .collect();
    fresh.sort_by(|one, other| one.compare(other));
    let mut carried: Vec<AgendaGoal> = Vec::new();
    for is_child in [false, true] {
        for goal in &fresh {
            let known = carried.iter().any(|other| other.goal_type == goal.goal_type);
            let has_parent =
                goal.parent.is_some_and(|id| carried.iter().any(|other| other.id == id));
            let needs_parent = goal.goal_type == GoalType::Recommendation;
            if needs_parent == is_child && !known && (has_parent || !needs_parent) {
                carried.push((*goal).clone());
            }
        }
    }
    carried.sort_by(AgendaGoal::compare);
    carried.truncate(ACTIVE_MAX);
    carried.retain({
        let kept: Vec<i64> = carried.iter().map(|goal| goal.id).collect();
        move |goal| goal.parent.is_none_or(|id| kept.contains(&id))
    });
    carried
}

/// Begins the agenda of a new session with the fresh goals of the user's earlier sessions, under ids of their own.
/// Does nothing if the switch is off, or if the agenda has goals already. Returns the new ids, best goal first.
pub fn begin_session(
    agenda: &mut Agenda,
    previous: &[AgendaGoal],
    now: Timestamp,
    switches: &AgendaSwitches,
) -> Vec<i64> {
    if !switches.carry_over.is_on() || !agenda.goals().is_empty() {
        return Vec::new();
    }
    let mut carried = carried_over(previous, now);
    carried.sort_by_key(|goal| goal.parent.is_some());
    let mut adopted: Vec<Adopted> = Vec::new();
    for goal in carried {
        let parent = adopted.iter().find(|other| Some(other.old) == goal.parent);
        let (old, parent) = (goal.id, parent.map(|parent| parent.new));
        adopted.push(Adopted { old, new: agenda.adopt(goal, parent) });
    }
    agenda.goals().iter().map(|goal| goal.id).collect()
}

/// The ids of a goal in its earlier session and in this one.
struct Adopted {
    old: i64,
    new: i64,
}
