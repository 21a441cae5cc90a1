//! What a user has told about themselves: a value for each field, the latest one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::wire::{Obligation, ObligationType, Payload};

/// The kind of an `ACHIEVE` that a fact is remembered.
pub const SAVED: &str = "memory.saved";
/// The kind of an `ACHIEVE` that a fact is forgotten.
pub const FORGOTTEN: &str = "memory.forgotten";
/// Maximum number of fields that are remembered of one user in a conversation.
const FIELDS_MAX: usize = 1_000;

/// The payload of a `REPORT` of what is known of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusQuestion {
    /// The field, such as `name` or `favourite_colour`.
    pub field: String,
}

impl Payload for StatusQuestion {
    const KIND: &'static str = "status";
}

/// The facts that a user has told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    facts: BTreeMap<String, String>,
}

impl Memory {
    /// Remembers a fact in place of an earlier one of the same field.
    pub fn save(&mut self, field: &str, value: &str) {
        if self.facts.len() < FIELDS_MAX || self.facts.contains_key(field) {
            self.facts.insert(field.to_owned(), value.to_owned());
        }
    }

    /// Forgets a fact.
    pub fn forget(&mut self, field: &str) {
        self.facts.remove(field);
    }

    /// Returns the value of a field; `None` if it was never told.
    #[must_use]
    pub fn recall(&self, field: &str) -> Option<&str> {
        self.facts.get(field).map(String::as_str)
    }

    /// Does what an obligation asks of the memory. Returns whether it asks anything of it.
    pub fn apply(&mut self, obligation: &Obligation) -> bool {
        let field = obligation.text("field").filter(|_| obligation.is(ObligationType::Achieve));
        let Some(field) = field else { return false };
        match (obligation.kind(), obligation.text("value")) {
            (SAVED, Some(value)) => self.save(field, value),
            (FORGOTTEN, _) => self.forget(field),
            _ => return false,
        }
        true
    }
}

impl Obligation {
    /// Builds an `ACHIEVE` that a fact is remembered.
    #[must_use]
    pub fn save(field: &str, value: &str) -> Self {
        let members = serde_json::json!({ "field": field, "value": value });
        Self::new(ObligationType::Achieve, SAVED, members)
    }

    /// Builds an `ACHIEVE` that a fact is forgotten.
    #[must_use]
    pub fn forget(field: &str) -> Self {
        let members = serde_json::json!({ "field": field });
        Self::new(ObligationType::Achieve, FORGOTTEN, members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_fact_counts_until_it_is_forgotten() {
        let mut memory = Memory::default();
        assert_eq!(memory.recall("name"), None);
        assert!(memory.apply(&Obligation::save("name", "Samm")));
        assert!(memory.apply(&Obligation::save("name", "Sam")));
        assert!(!memory.apply(&Obligation::verify()));
        assert_eq!(memory.recall("name"), Some("Sam"));
        assert!(memory.apply(&Obligation::forget("name")));
        assert_eq!(memory.recall("name"), None);
    }

    #[test]
    fn the_memory_does_not_grow_without_end() {
        let mut memory = Memory::default();
        for number in 0..=FIELDS_MAX {
            memory.save(&format!("field_{number}"), "1");
        }
        assert_eq!(memory.recall(&format!("field_{FIELDS_MAX}")), None);
        memory.save("field_7", "2");
        assert_eq!(memory.recall("field_7"), Some("2"));
    }
}
