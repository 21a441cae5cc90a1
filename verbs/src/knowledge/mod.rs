//! The knowledge base: facts, each with its source, its reviewer and the time of the review.

mod search;

use abide_engine::base::{Span, Timestamp};

pub use search::{answer_to, search};

/// Maximum number of facts of one tenant that are not retired. A search reads all these facts:
/// about 2 MB, because a fact has about 2 KB.
pub const FACTS_MAX: usize = 1_000;

/// A fact as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The id of the fact, chosen by the person who wrote it.
    pub id: String,
    /// The subject of the fact, or the question that it answers.
    pub topic: String,
    /// The fact itself, or the answer to the question.
    pub text: String,
    /// Where the fact comes from.
    pub source: String,
    /// The person who confirmed that the fact is true.
    pub reviewer: String,
    /// When the reviewer confirmed the fact.
    pub reviewed_at: Timestamp,
    /// Whether the fact is retired: it stays on record but searches no longer find it.
    pub retired: bool,
    /// Who wrote the fact, as the server knows them; `None` if the fact came with the demo.
    pub written_by: Option<String>,
}

impl Fact {
    /// Returns the number of whole days since the review; 0 for a review in the future.
    #[must_use]
    pub fn age_days(&self, now: Timestamp) -> i64 {
        let age = Span::max(now - self.reviewed_at, Span::ZERO);
        age.micros() / Span::from_secs(86_400).micros()
    }

    /// Whether the review of the fact is older than `max_age`.
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
            written_by: None,
        };
        let day = Span::from_secs(86_400);
        let month = Span::from_secs(30 * 86_400);
        assert_eq!((fact.age_days(reviewed_at), fact.age_days(reviewed_at - day)), (0, 0));
        let last = reviewed_at + month;
        assert_eq!((fact.age_days(last), fact.is_stale(last, month)), (30, false));
        assert!(fact.is_stale(last + Span::from_secs(1), month));
    }
}
