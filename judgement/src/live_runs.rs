//! Finds the live runs of a method that work on a record.

use abide_engine::base::Problem;
use abide_engine::store::{RunFilter, RunRow, Tx};

/// Maximum number of runs that are looked at: the newest ones.
const RUNS_MAX: i64 = 200;

/// A member of the goal of the runs of a method.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GoalMember<'g> {
    /// The method.
    pub(crate) method: &'g str,
    /// The member.
    pub(crate) member: &'g str,
    /// Its value.
    pub(crate) value: &'g str,
}

/// Returns the live runs whose goal has this member.
pub(crate) async fn live_runs(
    tx: &mut Tx,
    tenant: &str,
    of: GoalMember<'_>,
) -> Result<Vec<RunRow>, Problem> {
    let filter =
        RunFilter { method: Some(of.method.to_owned()), live: true, ..RunFilter::default() };
    let mut found = Vec::new();
    for run in tx.runs(tenant, &filter, RUNS_MAX).await? {
        let goal = tx.vars(run.id, &["goal".to_owned()]).await?;
        let value = goal.first().and_then(|(_, goal)| goal.get(of.member)?.as_str());
        if value == Some(of.value) {
            found.push(run);
        }
    }
    Ok(found)
}
