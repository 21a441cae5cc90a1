//! What turning a kill switch off would send and start.

use serde::Serialize;

use super::Engine;
use crate::base::{PersonId, Problem, Timestamp};
use crate::store::{Tx, work};

/// People who are named one by one; a longer list is no preview.
const PEOPLE_MAX: i64 = 100;

/// What a resume of a tenant would send and start. A tenant that is not paused holds nothing back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ResumePreview {
    /// Texts that would leave, as soon as quiet hours and budget permit.
    pub sends: HeldSends,
    /// Runs that would go on.
    pub runs: Counted<RunsOfMethod>,
    /// Schedules that would start a run.
    pub schedules: Counted<SchedulesOfMethod>,
}

/// Texts that are held back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HeldSends {
    /// How many.
    pub count: i64,
    /// By method and template.
    pub by_method: Vec<SendsOfMethod>,
    /// By person, the hundred who would get the most.
    pub by_person: Vec<SendsToPerson>,
}

/// A count, and what it is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counted<T> {
    /// How many.
    pub count: i64,
    /// By method.
    pub by_method: Vec<T>,
}

impl<T> Default for Counted<T> {
    fn default() -> Self {
        Self { count: 0, by_method: Vec::new() }
    }
}

/// Texts of one method and template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SendsOfMethod {
    /// The method; absent for answers to people who wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The template.
    pub template: String,
    /// How many.
    pub count: i64,
}

/// Texts to one person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SendsToPerson {
    /// The person.
    pub person_id: PersonId,
    /// As people call them, where the domain knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How many.
    pub count: i64,
}

/// Runs of one method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunsOfMethod {
    /// The method.
    pub method: String,
    /// How many are held.
    pub count: i64,
    /// Those among them that would go on at once.
    pub due: i64,
    /// Those among them that have not begun.
    pub pending: i64,
}

/// Schedules that start one method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SchedulesOfMethod {
    /// The method.
    pub method: String,
    /// How many.
    pub count: i64,
}

impl Engine {
    /// What a resume of a tenant would send and start, if it came now.
    ///
    /// # Errors
    /// `unknown_tenant`.
    pub async fn resume_preview(&self, tenant: &str) -> Result<ResumePreview, Problem> {
        let (core, owned) = (self.core.clone(), tenant.to_owned());
        let task = work(move |tx| {
            let (tenant, now) = (owned.clone(), core.now());
            Box::pin(async move {
                match super::tenants::row(tx, &tenant).await?.paused {
                    true => preview(tx, &tenant, now).await,
                    false => Ok(ResumePreview::default()),
                }
            })
        });
        self.core.store.read(task).await
    }
}

async fn preview(tx: &mut Tx, tenant: &str, now: Timestamp) -> Result<ResumePreview, Problem> {
    let sends = tx.held_by_method(tenant, now).await?;
    let people = tx.held_by_person(tenant, now, PEOPLE_MAX).await?;
    let runs = tx.held_runs_by_method(tenant, now).await?;
    let schedules = tx.schedules_due(tenant, now).await?;
    let to_person = |(person_id, count)| SendsToPerson { person_id, name: None, count };
    Ok(ResumePreview {
        sends: HeldSends {
            count: sends.iter().map(|sends| sends.count).sum(),
            by_method: sends
                .into_iter()
                .map(|of| SendsOfMethod {
                    method: of.method,
                    template: of.template,
                    count: of.count,
                })
                .collect(),
            by_person: people.into_iter().map(to_person).collect(),
        },
        runs: Counted {
            count: runs.iter().map(|runs| runs.count).sum(),
            by_method: runs
                .into_iter()
                .map(|of| RunsOfMethod {
                    method: of.method,
                    count: of.count,
                    due: of.due,
                    pending: of.pending,
                })
                .collect(),
        },
        schedules: Counted {
            count: schedules.iter().map(|(_, count)| count).sum(),
            by_method: schedules
                .into_iter()
                .map(|(method, count)| SchedulesOfMethod { method, count })
                .collect(),
        },
    })
}
