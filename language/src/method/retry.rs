//! How often and how fast a failed call is tried again.

use serde::{Deserialize, Serialize};

use crate::base::Span;

/// How often and how fast a failed call is tried again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// Tries in all, the first included; at least 1.
    pub attempts: u32,
    /// How the pause grows.
    pub backoff: Backoff,
    /// The pause before the second attempt.
    pub first: Span,
    /// The longest pause.
    pub max: Span,
    /// The failures that are tried again: `transient`, or codes of problems.
    pub on: Vec<String>,
}

/// How the pause between attempts grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backoff {
    /// Always the first pause.
    Fixed,
    /// Twice as long each time, up to the longest.
    Exponential,
}

impl Default for Retry {
    /// What a step without `retry:` gets: a busy database is no reason to fail a campaign.
    fn default() -> Self {
        Self {
            attempts: 5,
            backoff: Backoff::Exponential,
            first: Span::from_secs(2),
            max: Span::from_secs(300),
            on: vec!["transient".into()],
        }
    }
}

impl Retry {
    /// The pause after `attempt` (from 1) has failed, before any jitter; none if it was the last.
    #[must_use]
    pub fn pause_after(&self, attempt: u32) -> Option<Span> {
        if attempt >= self.attempts {
            return None;
        }
        let doublings = match self.backoff {
            Backoff::Fixed => 0,
            Backoff::Exponential => attempt.saturating_sub(1).min(40),
        };
        let micros = self.first.micros().saturating_mul(1_i64 << doublings);
        Some(Span::from_micros(micros.min(self.max.micros())))
    }
}
