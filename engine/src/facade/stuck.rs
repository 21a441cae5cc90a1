//! Runs that are past the time by which they should have moved on: why, and who must act.

use serde::Serialize;

use crate::base::{Problem, RunId, Span, Timestamp};
use crate::run::{Pending, RunState, Status};
use crate::store::{RunRow, Tx};

/// A worker takes a due run within milliseconds; one that is due for longer has no worker.
const TAKEN_WITHIN: Span = Span::from_secs(30);

/// Why a run is stuck.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stuck {
    /// When it should have moved on.
    pub since: String,
    /// What keeps it.
    pub cause: String,
    /// Who must act, and how.
    pub must_act: String,
}

/// Judges a run, and where it waits for its branches, the first of them that is stuck.
pub(super) async fn judge(
    tx: &mut Tx,
    (row, state): (&RunRow, &RunState),
) -> Result<Option<Stuck>, Problem> {
    let own = alone(tx, row).await?;
    let on = state.call().and_then(|call| call.on.as_ref());
    let waits = row.ended_at.is_none() && matches!(on, Some(Pending::Children(_)));
    if own.is_some() || !waits {
        return Ok(own);
    }
    let Some(branch) = tx.stuck_branch(row.id).await? else { return Ok(None) };
    let Some(row) = tx.run(branch).await? else { return Ok(None) };
    let stuck = alone(tx, &row).await?;
    Ok(stuck.map(|stuck| Stuck { cause: format!("its branch {branch}: {}", stuck.cause), ..stuck }))
}

/// Judges a run by itself; none for one that is on time, and for one that a kill switch holds.
async fn alone(tx: &mut Tx, row: &RunRow) -> Result<Option<Stuck>, Problem> {
    let now = tx.now();
    if row.held && tx.holds_for_nothing(&row.tenant).await? {
        return Ok(Some(forgotten(row)));
    }
    if row.stuck_on.is_some() && row.ended_at.is_none() {
        return Ok(Some(stranded(row.due_at.unwrap_or(now))));
    }
    let Some(expected_by) = row.expected_by.filter(|by| *by < now && row.ended_at.is_none()) else {
        return Ok(None);
    };
    let switched_off = tx.tenant(&row.tenant).await?.is_some_and(|tenant| tenant.paused);
    if row.status == Status::Paused.as_str() {
        return Ok(Some(quarantined(row.id, expected_by)));
    }
    Ok((!switched_off && !row.held).then(|| why(row.due_at, expected_by, now)))
}

/// A kill switch holds it that is off, and nothing is at work that would free it.
fn forgotten(row: &RunRow) -> Stuck {
    let since = row.expected_by.or(row.due_at).unwrap_or(row.last_at);
    Stuck {
        since: since.to_string(),
        cause: "it is held although its tenant is not paused".to_owned(),
        must_act: format!(
            "An operator must free it: `abide tenant pause {tenant}`, then `abide tenant resume {tenant}`",
            tenant = row.tenant
        ),
    }
}

/// No process that has looked at it can carry it on.
fn stranded(since: Timestamp) -> Stuck {
    Stuck {
        since: since.to_string(),
        cause: "no process that runs has the verbs or the form of its texts".to_owned(),
        must_act: "An operator must start the version of abide that it began with, move it with `abide run upgrade`, or \
                   cancel it"
            .to_owned(),
    }
}

/// Only a run in quarantine is late while it is paused.
fn quarantined(run: RunId, since: Timestamp) -> Stuck {
    Stuck {
        since: since.to_string(),
        cause: "the processes that took it came to their end over it, one after the other"
            .to_owned(),
        must_act: format!(
            "An operator must find out why first, in the log of that time; then `abide run resume {run}` gives it \
             another go"
        ),
    }
}

fn why(due_at: Option<Timestamp>, expected_by: Timestamp, now: Timestamp) -> Stuck {
    let (cause, must_act) = match due_at {
        Some(due) if due > now => {
            ("answers that came in time are still being read", "Nobody; look again in a minute")
        }
        Some(due) if now - due > TAKEN_WITHIN => (
            "it is due and no worker takes it",
            "An operator must see that `abide serve` or `abide worker` is running",
        ),
        _ => (
            "its step takes longer than planned",
            "An operator, if it goes on: `abide logs --run` shows the last thing that it did",
        ),
    };
    Stuck { since: expected_by.to_string(), cause: cause.to_owned(), must_act: must_act.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_follows_from_when_it_is_due() {
        let now = Timestamp::from_micros(100_000_000);
        let by = Timestamp::from_micros(10_000_000);
        let cause = |due: Option<i64>| why(due.map(Timestamp::from_micros), by, now).cause;
        assert!(cause(Some(101_000_000)).contains("still being read"));
        assert!(cause(Some(10_000_000)).contains("no worker"));
        assert!(cause(Some(99_000_000)).contains("longer than planned"));
        assert!(cause(None).contains("longer than planned"));
    }
}
