//! The run state machine: the position of a run and what it does next. Pure.
//!
//! ```text
//!            next()                     called()/failed()
//!  position ───────▶ a call to make ───────────────────▶ next position
//!      │                    │ waits                            ▲
//!      │ no step left       ▼                                  │
//!      ▼               wait::decide() ── enough/exhausted/timeout
//!  success_when, fallbacks, end
//! ```
//! The same functions drive a run in normal operation and after a crash. Only what they return is
//! committed.

mod condition;
mod end;
mod fan;
mod fork;
mod next;
mod retry;
mod scope;
mod signal;
mod state;
mod status;
mod upgrade;
mod wait;
mod walk;

pub use end::{Ending, conclude};
pub use fan::{ChildEnd, Fan, FanStep};
pub use fork::Origin;
pub use next::{
    Assigned, CallSpec, Next, abreast, called, implied, items_name, kept_names, kept_under, next,
    passed, rounds_done, undo_args,
};
pub use retry::{AfterFailure, failed};
pub use scope::{StepError, StepScope};
pub use signal::{Control, SCHEDULED, SignalEffect, UPGRADE, is_order, obey};
pub use state::{
    CallState, Closing, Each, Entered, Frame, Inside, Lineage, Pending, Phase, RunError, RunState,
    STATE_V, Scheduled, WaitState,
};
pub use status::{Happening, IllegalHappening, Outcome, Status};
pub use upgrade::{Move, Obstacle, Renamed, Standing, judge};
pub use wait::{Decision, Look, WaitEnd, WaitSpec, decide};
pub use walk::{catch, error_value};
