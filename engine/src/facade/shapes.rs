//! Shapes of answers whose members the engine keeps as texts or JSON: the description of the HTTP API
//! names them, and a test of the server holds the answers to them.

use serde::Serialize;
use utoipa::ToSchema;

use crate::base::PersonId;

/// What a run does before it ends, if it ends before its steps do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunPhase {
    /// It undoes finished steps.
    Compensating,
    /// It was cancelled and runs `on_cancel`.
    Cancelling,
}

/// What kind of event a run waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitKind {
    /// Replies to offers.
    Replies,
    /// The answer to a question.
    Answer,
    /// A signal from outside.
    Signal,
    /// An instant.
    Timer,
    /// The end of runs that it started.
    Child,
    /// The next attempt of a failed step.
    Retry,
    /// A person, who paused it.
    Pause,
    /// A person, because several processes crashed while they ran it.
    Quarantine,
    /// A process that has its verbs.
    CapableNode,
}

/// A person who has not answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Unanswered {
    /// The person's id.
    pub person_id: PersonId,
    /// The person's name.
    pub name: String,
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RunError {
    /// Stable error code.
    pub code: String,
    /// What went wrong, in one sentence.
    pub message: String,
    /// The remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The step that failed.
    pub step_id: String,
}

/// Why a schedule started no run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ScheduleError {
    /// Stable error code.
    pub code: String,
    /// What went wrong, in one sentence.
    pub message: String,
    /// The remedy.
    #[schema(required = true)]
    pub hint: Option<String>,
}

/// Where the active version of a method comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MethodOrigin {
    /// Shipped with the program.
    BuiltIn,
    /// A file of the home folder.
    Home,
    /// Published over the API or the command line.
    Published,
}

/// Whether a run can move to another version of its method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// It can move as it is.
    Safe,
    /// It can move once the caller maps its step to one of the new version.
    NeedsMapping,
    /// It cannot move.
    Cannot,
}

/// Which way a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From a person to the tenant.
    Inbound,
    /// From the tenant to a person.
    Outbound,
}

/// How far a message has come: `stored` and `applied` of inbound ones, the others of outbound ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// Waits to be sent.
    Queued,
    /// Handed to the gateway; its answer is outstanding.
    Sending,
    /// Accepted by the gateway.
    Sent,
    /// Delivered, as the carrier reports.
    Delivered,
    /// Not delivered, as the carrier reports.
    Undelivered,
    /// Refused by the gateway.
    Failed,
    /// The gateway cannot tell whether it was sent.
    Unknown,
    /// Withdrawn before it was sent.
    Cancelled,
    /// Not sent because the person opted out.
    Suppressed,
    /// Recorded only: its run is a dry run.
    Shadowed,
    /// Received; not applied yet.
    Stored,
    /// Received and applied.
    Applied,
}
