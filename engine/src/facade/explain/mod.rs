//! Explains in plain English why a run does not move: what it waits for, since when, who has not answered,
//! what comes next and who must act.
//!
//! `plight` gathers the facts; everything else is a pure function of them.

mod act;
mod ahead;
mod plight;
mod saying;
mod story;
#[cfg(test)]
mod tests;

use serde::Serialize;
use utoipa::ToSchema;

use super::Engine;
use super::view::WaitingOn;
use crate::base::{Problem, RunId};
use crate::store::tx_closure;

use plight::{Plight, Workers};
use saying::Eyes;

/// An explanation of a run, for people.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Explanation {
    /// The whole explanation, as one paragraph.
    pub text: String,
    /// What the run waits for, as in the run itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<WaitingOn>,
    /// What happens next, the earliest first; events without a time come last.
    pub next: Vec<NextEvent>,
    /// Who must act, and how, in one or two sentences. In most cases nobody has to.
    pub must_act: String,
}

/// Something that will happen to a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct NextEvent {
    /// Time at which it happens at the latest (RFC 3339). Absent if only an event decides when, or whether,
    /// it happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub at: Option<String>,
    /// What happens, in words.
    pub what: String,
}

impl Engine {
    /// Explains what a run waits for, what follows, and who must act.
    ///
    /// # Errors
    /// `unknown_run`.
    pub async fn explain(&self, tenant: &str, run: RunId) -> Result<Explanation, Problem> {
        let (core, tenant, now) = (self.core.clone(), tenant.to_owned(), self.now());
        let task = tx_closure(move |tx| {
            let (core, tenant) = (core.clone(), tenant.clone());
            Box::pin(async move {
                let row = super::runs::row(tx, &tenant, run).await?;
                let settings = core.settings(tx, &tenant).await?;
                let eyes = Eyes::of(&settings, now);
                let workers = Workers::of(&core, tx).await?;
                let plight = Plight { workers, ..Plight::of(&core, tx, (row, &eyes)).await? };
                Ok(story::tell(&plight, &eyes))
            })
        });
        self.core.store.read(task).await
    }
}
