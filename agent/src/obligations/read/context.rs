//! What a reader knows beside the text: the time, the people of the directory, and what was said before.

use std::collections::BTreeSet;

use jiff::Zoned;

use crate::church::RoleWords;
use crate::obligations::memory::{FORGOTTEN, Memory, SAVED};
use crate::obligations::people::{KnownPerson, PEOPLE_MAX};
use crate::obligations::{Obligation, ObligationType};

/// What a reader knows beside the text.
#[derive(Debug, Clone)]
pub struct ReadContext {
    /// The time in the zone of the user; `None` if nobody knows it. Then no time phrase is resolved.
    pub now: Option<Zoned>,
    /// The words of the directory.
    pub directory: DirectoryWords,
    /// What was said before.
    pub dialogue: Dialogue,
}

/// The names, cities and roles that a text can mean.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DirectoryWords {
    /// The names of people.
    pub names: BTreeSet<String>,
    /// The cities where they live.
    pub cities: BTreeSet<String>,
    /// The roles that they have, as they are stored.
    pub roles: BTreeSet<String>,
    /// Further words for roles.
    pub role_words: Vec<RoleWords>,
}

/// The state of a conversation, as far as it decides what the next text means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dialogue {
    /// The facts that the user has told.
    pub memory: Memory,
    /// The field that was told last, which a correction means.
    pub last_field: Option<String>,
    /// What was asked for last, which a bare answer fills.
    pub open: Option<OpenSlot>,
    /// The question that was asked last, which "and in Boise?" takes up.
    pub last_question: Option<Obligation>,
}

/// A slot that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenSlot {
    /// The slot.
    pub slot: String,
    /// The obligation that lacks it.
    pub of: Obligation,
}

impl ReadContext {
    /// Builds a context for a text that was written at a time, without people and earlier texts.
    #[must_use]
    pub fn new(now: Option<Zoned>) -> Self {
        Self { now, directory: DirectoryWords::default(), dialogue: Dialogue::default() }
    }
}

impl DirectoryWords {
    /// Collects the words of a directory. Roles have further words beside their own.
    #[must_use]
    pub fn of(people: &[KnownPerson], role_words: &[RoleWords]) -> Self {
        let mut words = Self { role_words: role_words.to_vec(), ..Self::default() };
        for person in people.iter().take(PEOPLE_MAX) {
            words.names.insert(person.name.clone());
            words.cities.extend(person.city.clone());
            words.roles.extend(person.roles.iter().cloned());
        }
        for known in [&mut words.names, &mut words.cities, &mut words.roles] {
            known.retain(|word| !word.trim().is_empty());
        }
        words
    }
}

impl Dialogue {
    /// Takes up what a text bound the agent to, as it was executed.
    pub fn hear(&mut self, executed: &[Obligation]) {
        self.open = None;
        let mut before: Option<&Obligation> = None;
        for obligation in executed {
            self.memory.apply(obligation);
            match obligation.obligation_type {
                ObligationType::Achieve if matches!(obligation.kind(), SAVED | FORGOTTEN) => {
                    self.last_field = obligation.text("field").map(str::to_owned);
                }
                ObligationType::Report => self.last_question = Some(obligation.clone()),
                ObligationType::Clarify => self.open = open(obligation, before),
                _ => {}
            }
            before = Some(obligation);
        }
    }
}

/// Returns the slot that a `CLARIFY` asks for, with the obligation before it, which lacks the slot.
fn open(clarify: &Obligation, before: Option<&Obligation>) -> Option<OpenSlot> {
    Some(OpenSlot { slot: clarify.text("slot")?.to_owned(), of: before?.clone() })
}
