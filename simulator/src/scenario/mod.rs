//! Reads scenario files. Parses each file, notes the source position of each value,
//! and checks the scenario before it is played.

mod check;
mod directory;
mod expect;
mod judgement;
mod model;
mod read;
mod reader;
mod schema;
mod settings;
mod step;
mod words;
mod zone;

#[cfg(test)]
mod tests;

pub use directory::Directory;
pub use judgement::{AnswerCount, AskStep, ExpectedGoals, OPEN_APPROVAL, OperatorStep};
pub use model::*;
pub use read::read;
pub use reader::code;
pub use schema::schema;
pub use words::{CrashPoint, ExpectationKind, ExpectedOutcome, StepKind};
