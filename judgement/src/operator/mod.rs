//! The operator: four layers between a message and what it changes.
//!
//! 1. Judgement: the message is read and classified (`abide_agent::operator`), and stored.
//! 2. Skills: a plan of calls follows from the reading, the contracts and the database (`plan`, `evidence`), is
//!    checked by the directives (`directive`) and the quality gate, and stored. Nothing has run.
//! 3. Brain: a method is written from the plan (`method`), and a run of it is started.
//! 4. Worker: the engine carries the run out, with its own gates, and writes the receipts.
//!
//! No layer can be skipped: each begins with what the layer before has stored (`layers`).

mod answer;
mod approval_text;
mod directive;
mod evidence;
mod expected;
mod layers;
mod look;
mod method;
mod named;
mod plan;
mod proposal;
mod request;
mod rollback;
mod said;
mod service;
mod taken_over;
mod verification;

pub use abide_agent::operator::Conflict;
pub use answer::{AnswerParts, RunProgress, StartedRun, answer};
pub use directive::{DirectiveInput, conflict};
pub use evidence::{Evidence, RecordChoice, RecordOwner};
pub use layers::{Layers, MessageSource, ReadMessage, start_of};
pub use look::Looker;
pub use method::{method_name, method_of};
pub(crate) use named::{Finder, SentQuote};
pub use plan::{
    Dependency, ExpectedAnswers, PlanEstimate, PlanIds, PlanStatus, PlannedToolCall, RunPlan,
};
pub use request::{OperatorMode, OperatorRequest};
pub use rollback::rollback;
pub use said::{failure_in_words, plan_in_words, receipt_in_words};
pub use service::{Operator, OperatorAnswer, OperatorCaller};
pub use verification::{Verification, verification};
