//! Decides whether a run is stuck. If so, determines why, and who must act.

use serde::Serialize;
use utoipa::ToSchema;

use crate::base::{Problem, RunId, Span, Timestamp};
use crate::run::{RunState, RunStatus, WaitingFor};
use crate::store::{RunRow, Tx};

/// How long a run may be due before it counts as stuck because no process claims it.
/// Normally a process claims a due run within milliseconds.
const PICKUP_TIMEOUT: Span = Span::from_secs(30);

/// Why a run is stuck.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct StuckReason {
    /// Time at which the run should have moved on (RFC 3339).
    #[schema(format = DateTime)]
    pub since: String,
    /// Reason why the run does not continue.
    pub cause: String,
    /// Who must act, and how.
    pub must_act: String,
}

/// Returns why a run is stuck; `None` if it is not stuck. A run that waits for its branches is also stuck
/// if one of the branches is stuck. In that case, the reason of the first stuck branch is returned.
pub(super) async fn judge(
    tx: &mut Tx,
    row: &RunRow,
    state: &RunState,
) -> Result<Option<StuckReason>, Problem> {
    let own = judge_alone(tx, row).await?;
    let on = state.call().and_then(|call| call.waiting_for.as_ref());
    let waits = row.ended_at.is_none() && matches!(on, Some(WaitingFor::Children(_)));
    if own.is_some() || !waits {
        return Ok(own);
    }
    let Some(branch) = tx.stuck_branch(row.id).await? else { return Ok(None) };
    let Some(row) = tx.run(branch).await? else { return Ok(None) };
    let stuck = judge_alone(tx, &row).await?;
    Ok(stuck.map(|stuck| StuckReason {
        cause: format!("its branch {branch}: {}", stuck.cause),
        ..stuck
    }))
}

/// Returns why a run is stuck, without regard to its branches.
/// Returns `None` if the run is on time, or if its only obstacle is the kill switch.
async fn judge_alone(tx: &mut Tx, row: &RunRow) -> Result<Option<StuckReason>, Problem> {
    let now = tx.now();
    if row.held && tx.held_without_pause(&row.tenant).await? {
        return Ok(Some(held_without_pause(row)));
    }
    if row.stuck_on.is_some() && row.ended_at.is_none() {
        return Ok(Some(stranded(row.due_at.unwrap_or(now))));
    }
    let Some(expected_by) = row.expected_by.filter(|by| *by < now && row.ended_at.is_none()) else {
        return Ok(None);
    };
    let switched_off = tx.tenant(&row.tenant).await?.is_some_and(|tenant| tenant.paused);
    if row.status == RunStatus::Paused {
        return Ok(Some(quarantined(row.id, expected_by)));
    }
    Ok((!switched_off && !row.held).then(|| late(row.due_at, expected_by, now)))
}

/// Describes a run that is still held although its tenant's kill switch is off.
/// Without help, such a run would never continue.
fn held_without_pause(row: &RunRow) -> StuckReason {
    let since = row.expected_by.or(row.due_at).unwrap_or(row.last_at);
    StuckReason {
        since: since.to_string(),
        cause: "it is held although its tenant is not paused".to_owned(),
        must_act: format!(
            "An operator must free it with `abide tenant pause {tenant}` and then `abide tenant \
             resume {tenant}`",
            tenant = row.tenant
        ),
    }
}

/// Describes a run that no running process can continue, because each process
/// lacks one of the run's verbs or cannot read the run's texts.
fn stranded(since: Timestamp) -> StuckReason {
    StuckReason {
        since: since.to_string(),
        cause: "no running process has all of its verbs and can read its texts".to_owned(),
        must_act:
            "An operator must start the version of abide that the run began with, move the run to \
             another version of its method with `abide run upgrade`, or cancel it"
                .to_owned(),
    }
}

/// Describes a run in quarantine. A run that was paused by an order is not stuck.
fn quarantined(run: RunId, since: Timestamp) -> StuckReason {
    StuckReason {
        since: since.to_string(),
        cause: "it crashed the process that worked on it, several times in a row".to_owned(),
        must_act: format!(
            "An operator must first find the cause in the log from that time; then `abide run resume \
             {run}` lets the run continue"
        ),
    }
}

/// Describes a run that should have continued by the time `expected_by`. From the time `due_at` on,
/// a process may claim the run. The stated cause depends on whether `due_at` is in the future,
/// long past or neither.
fn late(due_at: Option<Timestamp>, expected_by: Timestamp, now: Timestamp) -> StuckReason {
    let (cause, must_act) = match due_at {
        Some(due) if due > now => {
            ("answers that came in time are still being read", "Nobody; check again in a minute")
        }
        Some(due) if now - due > PICKUP_TIMEOUT => (
            "it is due, but no process has taken it",
            "An operator must make sure that `abide serve` or `abide worker` is running",
        ),
        _ => (
            "its current step is taking longer than planned",
            "An operator must look into it if this continues; `abide logs --run` shows what the run \
             did last",
        ),
    };
    StuckReason {
        since: expected_by.to_string(),
        cause: cause.to_owned(),
        must_act: must_act.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_follows_from_when_it_is_due() {
        let now = Timestamp::from_micros(100_000_000);
        let by = Timestamp::from_micros(10_000_000);
        let cause = |due: Option<i64>| late(due.map(Timestamp::from_micros), by, now).cause;
        assert!(cause(Some(101_000_000)).contains("still being read"));
        assert!(cause(Some(10_000_000)).contains("no process has taken it"));
        assert!(cause(Some(99_000_000)).contains("longer than planned"));
        assert!(cause(None).contains("longer than planned"));
    }
}
