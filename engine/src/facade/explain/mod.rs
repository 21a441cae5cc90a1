//! Explains in plain English why a run does not continue: what it waits for,
//! since when, who has not answered, what comes next and who must act.
//!
//! The module `diagnosis` reads the data from the database. The functions of the other modules are pure.

mod diagnosis;
mod must_act;
mod next_steps;
mod paragraph;
#[cfg(test)]
mod tests;
mod wording;

use serde::Serialize;
use utoipa::ToSchema;

use super::engine::Engine;
use super::runs::find_run;
use super::waiting_on::WaitingOn;
use crate::base::{Problem, RunId};
use crate::boxed;
use crate::transaction;

use diagnosis::{Diagnosis, Workers};
use wording::Reader;

/// An explanation of a run, for people.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Explanation {
    /// The whole explanation, as one paragraph.
    pub text: String,
    /// What the run waits for, as in the view of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<WaitingOn>,
    /// Next events of the run, the earliest first; events without a time come last.
    pub next: Vec<NextEvent>,
    /// Who must act, and how, in one or two sentences. In most cases nobody has to.
    pub must_act: String,
}

/// Something that will happen to a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct NextEvent {
    /// Latest time at which the event happens (RFC 3339).
    /// Absent if only an event decides when, or whether, it happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub at: Option<String>,
    /// Description of the event, in words.
    pub what: String,
}

impl Engine {
    /// Explains what a run waits for, what it does next, and who must act.
    ///
    /// # Errors
    /// `unknown_run`.
    #[boxed]
    pub async fn explain(&self, tenant: &str, run: RunId) -> Result<Explanation, Problem> {
        let (core, now) = (self.core.clone(), self.now());
        let task = transaction!([core, tenant = tenant.to_owned()], |tx| {
            let row = find_run(tx, &tenant, run).await?;
            let settings = core.settings(tx, &tenant).await?;
            let reader = Reader::of(&settings, now);
            let workers = Workers::of(&core, tx).await?;
            let facts = Diagnosis::of(&core, tx, row, &reader).await?;
            Ok(paragraph::explain(&Diagnosis { workers, ..facts }, &reader))
        });
        self.core.store.read(task).await
    }
}
