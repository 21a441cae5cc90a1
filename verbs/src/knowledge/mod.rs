//! The knowledge base: what the church holds to be true, where it is from, and who reviewed it when.

mod search;

use abide_engine::base::{Span, Timestamp};

pub use search::search;

/// Facts of one tenant that are not retired. A search reads them all: at 2 KB each, 2 MB.
pub const FACTS_MAX: usize = 1_000;

/// A fact as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// A word that people chose.
    pub id: String,
    /// What it is about, or the question that it answers.
    pub topic: String,
    /// The answer.
    pub text: String,
    /// Where it is from.
    pub source: String,
    /// Who says that it still holds.
    pub reviewer: String,
    /// When they said so.
    pub reviewed_at: Timestamp,
    /// Kept, and found no more.
    pub retired: bool,
}

impl Fact {
    /// Whole days since it was reviewed.
    #[must_use]
    pub fn age_days(&self, now: Timestamp) -> i64 {
        let age = Span::max(now - self.reviewed_at, Span::ZERO);
        age.micros() / Span::from_secs(86_400).micros()
    }

    /// True where its review lies longer back than `max_age`.
    #[must_use]
    pub fn is_stale(&self, now: Timestamp, max_age: Span) -> bool {
        now - self.reviewed_at > max_age
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_grows_old_with_the_day_after_its_last() {
        let reviewed_at: Timestamp = "2025-09-01T10:00:00Z".parse().expect("an instant");
        let fact = Fact {
            id: "parking".to_owned(),
            topic: String::new(),
            text: String::new(),
            source: String::new(),
            reviewer: String::new(),
            reviewed_at,
            retired: false,
        };
        let day = Span::from_secs(86_400);
        let month = Span::from_secs(30 * 86_400);
        assert_eq!((fact.age_days(reviewed_at), fact.age_days(reviewed_at - day)), (0, 0));
        let last = reviewed_at + month;
        assert_eq!((fact.age_days(last), fact.is_stale(last, month)), (30, false));
        assert!(fact.is_stale(last + Span::from_secs(1), month));
    }
}
