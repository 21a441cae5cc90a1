//! Why a run does not move, in plain words: what it waits for, since when, who is silent, what comes
//! next and who must act.
//!
//! `plight` gathers, everything else is a function of what was gathered.

mod act;
mod ahead;
mod plight;
mod saying;
mod story;
#[cfg(test)]
mod tests;

use serde::Serialize;

use super::Engine;
use super::view::WaitingOn;
use crate::base::{Problem, RunId};
use crate::store::work;

use plight::{Plight, Workers};
use saying::Eyes;

/// A run explained.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// One paragraph.
    pub text: String,
    /// What it waits for, as the run itself shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<WaitingOn>,
    /// What happens next, the earliest first.
    pub next: Vec<NextEvent>,
    /// Who must act, and how; nobody in most cases.
    pub must_act: String,
}

/// Something that is going to happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NextEvent {
    /// When, at the latest; absent where nothing but an event decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What.
    pub what: String,
}

impl Engine {
    /// Says what a run waits for, and what follows.
    ///
    /// # Errors
    /// `unknown_run`.
    pub async fn explain(&self, tenant: &str, run: RunId) -> Result<Explanation, Problem> {
        let (core, tenant, now) = (self.core.clone(), tenant.to_owned(), self.now());
        let task = work(move |tx| {
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
