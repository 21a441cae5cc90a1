//! Previews which messages would be sent and which runs would continue or start
//! if a tenant's kill switch were turned off.

use serde::Serialize;
use utoipa::ToSchema;

use super::engine::Engine;
use crate::base::{PersonId, Problem, Timestamp};
use crate::boxed;
use crate::store::Tx;
use crate::transaction;

/// Maximum number of people that the preview lists individually.
const PEOPLE_MAX: i64 = 100;

/// The messages, runs and schedules that resuming a tenant would send and start.
/// Empty if the tenant is not paused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct ResumePreview {
    /// Messages that would be sent, as soon as quiet hours and budget permit.
    pub sends: HeldSends,
    /// Runs that would continue.
    pub runs: Counted<RunsOfMethod>,
    /// Schedules that are due and would start a run.
    pub schedules: Counted<SchedulesOfMethod>,
}

/// Queued messages that would be sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct HeldSends {
    /// Total number of messages.
    pub count: i64,
    /// Number of messages for each method and template.
    pub by_method: Vec<SendsOfMethod>,
    /// Number of messages for each person; lists only the 100 people who would get the most messages.
    pub by_person: Vec<SendsToPerson>,
}

/// A total number of runs or schedules, and the number for each method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Counted<T> {
    /// Total number of runs or schedules.
    pub count: i64,
    /// Number of runs or schedules for each method.
    pub by_method: Vec<T>,
}

impl<T> Default for Counted<T> {
    fn default() -> Self {
        Self { count: 0, by_method: Vec::new() }
    }
}

/// Number of queued messages of one method and template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SendsOfMethod {
    /// Name of the method; absent for answers to people who wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Name of the template.
    pub template: String,
    /// Number of messages.
    pub count: i64,
}

/// Number of queued messages to one person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SendsToPerson {
    /// Id of the person.
    pub person_id: PersonId,
    /// Name of the person, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Number of messages.
    pub count: i64,
}

/// Number of held runs of one method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RunsOfMethod {
    /// Name of the method.
    pub method: String,
    /// Number of held runs.
    pub count: i64,
    /// Number of held runs that would continue at once.
    pub due: i64,
    /// Number of held runs that have not begun.
    pub pending: i64,
}

/// Number of due schedules that start one method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SchedulesOfMethod {
    /// Name of the method.
    pub method: String,
    /// Number of schedules.
    pub count: i64,
}

impl Engine {
    /// Returns what resuming a tenant now would send and start. The caller adds the names of people.
    ///
    /// # Errors
    /// `unknown_tenant`.
    #[boxed]
    pub async fn resume_preview(&self, tenant: &str) -> Result<ResumePreview, Problem> {
        let task = transaction!([core = self.core.clone(), tenant = tenant.to_owned()], |tx| {
            match super::tenants::find_tenant(tx, &tenant).await?.paused {
                true => preview(tx, &tenant, core.now()).await,
                false => Ok(ResumePreview::default()),
            }
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
