//! What a caller asks for when it starts a run, and what the domain makes of it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::base::{RequestId, RunId, Value};
use crate::run::{OutsideCall, PlanOrigin, ScheduledStart, StartConsent};

/// What a caller asks for when it starts a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StartRun {
    /// Name of the method. If it is empty, the method is chosen that serves the goal.
    pub method: String,
    /// Goal of the run.
    pub goal: Value,
    /// Request that the run works on, if the caller knows it.
    pub request: Option<RequestId>,
    /// Initial variables.
    #[serde(default)]
    pub vars: serde_json::Map<String, Value>,
    /// Whether the run is a shadow run, which only reports what it would do.
    #[serde(default)]
    pub dry_run: bool,
    /// Idempotency key: a second start with the same key returns the run that the first one started.
    pub key: Option<String>,
    /// Schedule that starts the run, with the scheduled time; `None` if no schedule starts it.
    #[serde(default)]
    pub scheduled: Option<ScheduledStart>,
    /// What happens if a live run already does the same work.
    #[serde(default)]
    pub on_conflict: OnConflict,
    /// The call from outside that the run carries out; `None` for a run of a written method.
    #[serde(default)]
    pub outside_call: Option<OutsideCall>,
    /// The text of the method, if the run carries out a plan of calls from outside. `method` is then empty.
    #[serde(default)]
    pub outside_plan: Option<String>,
    /// Whether somebody who may has consented to the run's calls of risk T2, or to a plan from outside.
    #[serde(default)]
    pub consent: StartConsent,
    /// How the method was found.
    #[serde(default)]
    pub plan_origin: PlanOrigin,
}

impl StartRun {
    /// Whether the run carries out calls for a caller from outside, and no written method.
    #[must_use]
    pub const fn is_from_outside(&self) -> bool {
        self.outside_call.is_some() || self.outside_plan.is_some()
    }
}

/// How to handle a start if a live run already does the same work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnConflict {
    /// Refuse the request to start a run, with an error that names the live run.
    #[default]
    Reject,
    /// Return the live run instead of starting one.
    Join,
    /// Cancel the live run; the new run begins when the cancelled run has ended.
    Replace,
}

/// What happens to a live run that already does the work of the requested run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictingRun {
    /// The live run is returned; no run is started.
    Joined(RunId),
    /// The live run is to be cancelled.
    Replaced(RunId),
}

/// The values that the domain supplies for a request to start a run.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedStart {
    /// Request that the run works on.
    pub request: Option<RequestId>,
    /// Goal of the run, with the members that the domain has filled in.
    pub goal: Value,
    /// Value of the variable `ctx`.
    pub ctx: Value,
    /// Live run that already does the same work, if there is one.
    pub conflict: Option<ConflictingRun>,
}

/// A start for whose goal several methods apply.
#[derive(Debug, Clone)]
pub struct MethodChoice<'a> {
    /// The start, without a method.
    pub wanted: &'a StartRun,
    /// The names of the methods.
    pub methods: Vec<&'a str>,
}

/// A run that starts because of a message.
#[derive(Debug, Clone, Copy)]
pub struct TextedStart<'a> {
    /// What the message asks for.
    pub wanted: &'a StartRun,
    /// The number of the start among those of the message, from 0.
    pub nth: usize,
}
