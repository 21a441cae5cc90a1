//! The state machine of a run: the position of the run, and what the run does next.
//! This module has no side effects.
//!
//! ```text
//!            next()              finish_call()/record_failure()
//!  position ───────▶ a call to make ───────────────────▶ next position
//!      │                    │ waits                            ▲
//!      │ no step left       ▼                                  │
//!      ▼           WaitCheck::decide() ── enough/exhausted/timeout
//!  end_phase(): success_when, fallbacks, end
//! ```
//! The same functions drive a run in normal operation and after a crash. These functions change the state
//! in memory; the driver commits the changed state.

mod approval;
mod approver;
mod condition;
mod deadline;
mod end;
mod external;
mod fan_out;
mod finish;
mod foreach;
mod fork;
mod gate;
mod joint;
mod moved;
mod nesting;
mod next;
mod outside_call;
mod outside_plan;
mod retry;
mod scope;
mod shadow;
mod signal;
mod state;
mod status;
mod upgrade;
mod wait;
mod walk;

pub use approval::{
    APPROVAL_EXPIRED, AfterAsking, ApprovalDecision, ApprovalStage, ApprovalWait, DENIED, Decided,
    GivenApproval,
};
pub use approver::{ApprovalVote, ApproverTurn, turn};
pub use deadline::{ComputedEnd, WaitStart};
pub use end::{AfterPhase, end_phase};
pub use external::{
    AfterReport, CallAnswer, CallLookup, ExternalCall, ExternalReport, ExternalStage,
    OUTCOME_UNKNOWN, outcome_unknown,
};
pub use fan_out::{ChildStatus, FanOut, FanOutAction};
pub use finish::{finish_call, finish_rounds, finish_step, implied_variables};
pub use foreach::{
    internal_prefixes, items_name, result_names, round_concurrency, starts_children,
};
pub use fork::ForkPoint;
pub use gate::{ApprovalScope, CallGate, RunConsent, StartConsent};
pub use joint::{CoveredCall, FrozenCall};
pub use moved::{MOVE_SIGNAL, ServiceMove};
pub use nesting::{catch_failure, error_value};
pub use next::{CallSpec, Next, args_of, next};
pub use outside_call::OutsideCall;
pub use outside_plan::{OutsidePlan, PLAN_STATE_V};
pub use retry::{AfterFailure, jittered, record_failure};
pub use scope::{StepError, StepScope};
pub use shadow::{SHADOW_STATE_V, ShadowStart};
pub use signal::{Control, SCHEDULED_SIGNAL, UPGRADE_SIGNAL, is_order};
pub use state::{
    CallState, EarlyEnd, ForeachProgress, Frame, Lineage, NestedList, Phase, PlanOrigin,
    RunFailure, RunState, STATE_V, ScheduledStart, StepStart, WaitState, WaitingFor,
};
pub use status::{IllegalRunTransition, RunOutcome, RunStatus, RunTransition};
pub use upgrade::{
    Obstacle, RenamedSteps, Replacement, UpgradeCandidate, UpgradePlan, plan_upgrade,
};
pub use wait::{WaitCheck, WaitDecision, WaitEnd, WaitSpec};
pub use walk::Assigned;
