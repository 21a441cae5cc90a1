//! What a proof knows about the tenant and the run, in addition to the method.

use jiff::tz::TimeZone;

use crate::base::{Span, Timestamp, Value};
use crate::policy::{QuietHours, Settings};

/// The assumptions of a proof. A value that is `None` is unknown.
#[derive(Debug, Clone)]
pub struct Given {
    /// Maximum number of people in the directory.
    pub people: Option<u64>,
    /// Maximum number of people who hold an office such as `staff`.
    pub staff: Option<u64>,
    /// The goal of one run; `None` to compute bounds for all runs of the method.
    pub goal: Option<Value>,
    /// Price of one segment.
    pub price: Option<f64>,
    /// When the run starts, with the time zone and the quiet hours.
    pub start: Option<ProofStart>,
    /// Maximum duration of a run whose method sets no `max_duration`.
    pub run_max_duration: Span,
}

/// When a run starts, with the time zone and the quiet hours that apply to it.
#[derive(Debug, Clone)]
pub struct ProofStart {
    /// Instant of the start.
    pub at: Timestamp,
    /// Time zone in which quiet hours are evaluated.
    pub zone: TimeZone,
    /// Hours in which no unrequested message is sent.
    pub quiet_hours: QuietHours,
}

impl Given {
    /// Creates assumptions from a tenant's settings; everything else is unknown.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        Self {
            people: None,
            staff: None,
            goal: None,
            price: settings.segment_price,
            start: None,
            run_max_duration: settings.run_max_duration,
        }
    }
}
