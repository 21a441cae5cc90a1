//! Retry rules: how often a failed call is retried, and after which delays.

use serde::{Deserialize, Serialize};

use crate::base::Span;

/// The retry rule of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// Maximum number of attempts, including the first; at least 1.
    pub attempts: u32,
    /// How the delays between attempts grow.
    pub backoff: Backoff,
    /// Delay before the second attempt.
    pub first: Span,
    /// Maximum delay between attempts.
    pub max: Span,
    /// Failures that are retried: `transient`, or problem codes.
    pub on: Vec<String>,
}

/// How the delay between attempts grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backoff {
    /// Every delay is as long as the first delay.
    Fixed,
    /// Each delay is twice as long as the previous delay, up to the maximum.
    Exponential,
}

impl Default for Retry {
    /// Returns the rule of a step without `retry:`.
    /// The rule retries, because a run must not fail only because the database is busy.
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
    /// Returns the delay after an attempt has failed, without jitter. The parameter
    /// `attempt` is the number of this attempt, counted from 1.
    ///
    /// Returns `None` if this was the last attempt.
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
