//! What is known besides the method: the church, the clock and the settings.

use jiff::tz::TimeZone;

use crate::base::{Span, Timestamp, Value};
use crate::policy::{QuietHours, Settings};

/// What a proof may take for known.
#[derive(Debug, Clone)]
pub struct Given {
    /// So many people are in the directory at most.
    pub people: Option<u64>,
    /// So many people stand behind an office such as `staff` at most.
    pub staff: Option<u64>,
    /// The goal, where one run is meant and not every run.
    pub goal: Option<Value>,
    /// What one segment costs.
    pub price: Option<f64>,
    /// When it is started.
    pub start: Option<Start>,
    /// How long a run may take whose method does not say.
    pub run_max_duration: Span,
}

/// When and where a run is started.
#[derive(Debug, Clone)]
pub struct Start {
    /// The instant.
    pub at: Timestamp,
    /// Whose evenings count.
    pub zone: TimeZone,
    /// When nobody is texted.
    pub quiet_hours: QuietHours,
}

impl Given {
    /// Nothing but the settings.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        Self {
            people: None,
            staff: None,
            goal: None,
            price: None,
            start: None,
            run_max_duration: settings.run_max_duration,
        }
    }
}
