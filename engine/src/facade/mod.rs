//! [`Engine`] and its functions, which the server, the simulator and the tests call.

mod advance;
mod answer_store;
mod approvals;
mod archives;
mod audit;
mod calls;
mod compare;
mod completion;
mod control;
mod delivery_report;
mod engine;
mod erasure;
mod events;
mod explain;
mod fork;
mod impact;
mod messages;
mod methods;
mod missed_messages;
mod open;
mod overview;
mod plans;
mod preview;
mod receive;
mod resume_preview;
mod run_view;
mod runs;
mod schedules;
mod shadow_report;
mod signal;
mod skip;
mod stuck;
mod switch;
mod tenants;
mod upgrade;
mod waiting_on;

pub use crate::driver::{ForkRun, Started};
pub use advance::{AdvanceResult, virtual_now};
pub use answer_store::{AnswerStore, NoAnswerStore};
pub use approvals::{ApprovalQuery, ApprovalView, Decider, Decision};
pub use archives::{ArchiveOrder, ArchiveReport, ArchiveView};
pub use audit::{AuditReport, AuditScope, UnfinishedAudit};
pub use calls::{CallStatus, CallView, ReceiptQuery, ToolCall};
pub use compare::MethodComparison;
pub use completion::Completion;
pub use delivery_report::DeliveryReport;
pub use engine::Engine;
pub use erasure::{DomainTexts, ErasureReport};
pub use events::EventFilter;
pub use explain::{Explanation, NextEvent};
pub use impact::AffectedRuns;
pub use messages::{Direction, MessageFilter, MessageView};
pub use methods::{
    MethodDetail, MethodOrigin, MethodView, NewVersion, PublishOutcome, Published, VersionView,
};
pub use open::{EngineConfig, StrandedRuns};
pub use plans::PlanRunView;
pub use preview::{PreviewConfig, PreviewThread};
pub use receive::{InboundMessage, Received};
pub use resume_preview::{
    Counted, HeldSends, ResumePreview, RunsOfMethod, SchedulesOfMethod, SendsOfMethod,
    SendsToPerson,
};
pub use run_view::{Position, RunFailureView, RunPhase, RunView};
pub use runs::Page;
pub use schedules::{
    NewSchedule, PlannedSchedule, ScheduleError, ScheduleFilter, ScheduleView, remove_schedule,
};
pub use shadow_report::{ComparedMessage, RunTotals, ShadowPair, ShadowReport, ShadowedMethod};
pub use signal::SentSignal;
pub use stuck::StuckReason;
pub use tenants::{SwitchView, TenantChange, TenantView};
pub use upgrade::{
    Judgement, UndoOptions, UndoTarget, UpgradeGroup, UpgradeOptions, UpgradeProgress, UpgradeView,
};
pub use waiting_on::{Unanswered, WaitKind, WaitingOn};
