//! Law: a conversation has at most six active goals, of which three are shown. Its journal is complete: it says of each
//! goal how it began, and of each that has ended how.

use std::collections::BTreeMap;

use abide_agent::agenda::{ACTIVE_MAX, GoalStatus, JournalEventType, STACK_MAX};
use abide_judgement::data::agenda::SessionKey;
use abide_judgement::data::audit::StoredEntry;

use crate::play::TenantEvidence;

/// What the journal says about a goal.
#[derive(Default)]
struct Noted {
    begun: usize,
    completed: usize,
    abandoned: usize,
}

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let stored = &evidence.judgement.stored;
    let mut broken = Vec::new();
    let mut noted: BTreeMap<(&SessionKey, i64), Noted> = BTreeMap::new();
    for entry in &stored.journal {
        match JournalEventType::parse(&entry.entry.event) {
            Some(JournalEventType::Snapshot) => broken.extend(too_many(entry)),
            Some(event) => {
                let Some(goal) = entry.entry.goal else { continue };
                let of_goal = noted.entry((&entry.key, goal)).or_default();
                match event {
                    JournalEventType::Created | JournalEventType::Seeded => of_goal.begun += 1,
                    JournalEventType::Completed => of_goal.completed += 1,
                    JournalEventType::Abandoned => of_goal.abandoned += 1,
                    _ => {}
                }
            }
            None => broken.push(format!("{} notes `{}`", entry.key.session, entry.entry.event)),
        }
    }
    let mut active: BTreeMap<&SessionKey, usize> = BTreeMap::new();
    for one in &stored.goals {
        let known = noted.remove(&(&one.key, one.goal.id)).unwrap_or_default();
        let ends = match one.goal.status {
            GoalStatus::Active => (0, 0),
            GoalStatus::Completed => (1, 0),
            GoalStatus::Abandoned => (0, 1),
        };
        if known.begun != 1 || (known.completed, known.abandoned) != ends {
            broken.push(format!(
                "goal {} of {} is `{}`, and the journal notes {} begins, {} completions and {} ends",
                one.goal.id, one.key.session, one.goal.status, known.begun, known.completed, known.abandoned
            ));
        }
        *active.entry(&one.key).or_default() += usize::from(one.goal.status == GoalStatus::Active);
    }
    let unknown = noted.into_keys();
    broken
        .extend(unknown.map(|(key, goal)| format!("goal {goal} of {} is not stored", key.session)));
    let over = active.into_iter().filter(|(_, goals)| *goals > ACTIVE_MAX);
    broken.extend(over.map(|(key, goals)| format!("{} has {goals} active goals", key.session)));
    broken
}

/// Returns a breach if a snapshot shows too many goals.
fn too_many(entry: &StoredEntry) -> Option<String> {
    let active = entry.entry.payload["active"].as_array().map_or(0, Vec::len);
    let shown = entry.entry.payload["stack"].as_u64().unwrap_or(u64::MAX);
    let is_over = active > ACTIVE_MAX || shown > STACK_MAX as u64;
    is_over.then(|| format!("{} has {active} active goals and shows {shown}", entry.key.session))
}
