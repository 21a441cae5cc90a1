//! Defines the rows that one step of a run writes: the run's new head, events, variables and waits.

use super::ledger::LedgerRow;
use crate::base::{Digest, RunId, SignalId, Timestamp};

/// The head of a run after the commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// The status: `pending`, `running`, `waiting`, `paused`, `completed`, `failed` or `cancelled`.
    pub status: &'static str,
    /// The outcome, `succeeded` or `fell_short`, once the run is completed.
    pub outcome: Option<&'static str>,
    /// The state of the run's state machine, as JSON.
    pub state: String,
    /// The hash of the latest event in the run's hash chain.
    pub last_hash: Digest,
    /// The time of the run's latest event.
    pub last_at: Timestamp,
    /// When the run ended; `None` while it is live.
    pub ended_at: Option<Timestamp>,
}

/// The change to the run's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnChange {
    /// The turn stays unchanged, because the owner continues at once.
    Keep,
    /// The owner continues at once, and the count of claims
    /// since the run last made progress starts again at 0.
    Progress,
    /// The owner releases the run until `due_at` or a wake-up.
    /// If the run was woken after the owner read `seen_wake`, the run is due at once instead.
    Park {
        /// When to check the run again; `None` if only a wake-up can end its wait.
        due_at: Option<Timestamp>,
        /// The wake counter that the owner read before it checked whether the wait is over.
        seen_wake: i64,
        /// The time after which the run is shown as stuck if it still waits;
        /// `None` if it is never shown as stuck.
        expected_by: Option<Timestamp>,
    },
    /// The run has ended; its turn is deleted.
    End,
}

/// A variable assigned by a step.
#[derive(Debug, Clone, PartialEq)]
pub struct VarRow {
    /// The variable's name.
    pub name: String,
    /// The value as JSON; `None` if the value is large and stored separately.
    pub value: Option<String>,
    /// The digest of the value, if the value is stored separately.
    pub blob: Option<Digest>,
}

/// A wait that a step begins: a row of the `wait` table.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitRow {
    /// The key of the step that waits, in the method's graph.
    pub frame: String,
    /// The request whose replies are awaited.
    pub partition: uuid::Uuid,
    /// The tally cell whose `yes` count is compared with `need`.
    /// A cell counts the offers of a role or a wave.
    pub yes_cell: String,
    /// The tally cells whose `open` counts tell whether more replies can come.
    pub open_cells: Vec<String>,
    /// The number of acceptances that ends the wait.
    pub need: i64,
}

/// What must still hold when a step is committed that decided something by rows which others may have changed since: whatever
/// changes them wakes the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unwoken {
    /// The wake counter that the owner read before it read the rows. The commit is stale if it has changed.
    pub seen_wake: i64,
    /// The deadline that passes with this commit, if one does. The commit is stale if a message that was received by then
    /// is not applied yet.
    pub deadline: Option<Timestamp>,
}

/// The rows that one step of a run writes about the run. They are written atomically, in one transaction
/// with whatever else the step writes.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The run whose step is committed.
    pub run: RunId,
    /// The epoch of the owner's claim.
    pub epoch: i64,
    /// The sequence number of the head as the owner read it.
    pub seq: i64,
    /// The tenant's change counter when the step read the tenant's settings.
    /// If the counter has grown since then, the commit is stale.
    /// If this is `None`, the counter is not checked.
    pub settings_version: Option<i64>,
    /// What must still hold; `None` if the step decided by its own rows only, or read all others in its transaction.
    pub unless: Option<Unwoken>,
    /// The run's new head.
    pub head: Head,
    /// Whether the run neither ends nor changes its status or outcome with this commit.
    pub keeps_status: bool,
    /// The events and receipts of the run's stream.
    pub events: Vec<LedgerRow>,
    /// The variables that the step assigned.
    pub vars: Vec<VarRow>,
    /// The large values that the step stores, with their digests.
    pub blobs: Vec<(Digest, String)>,
    /// The signals that the step consumed.
    pub consumed: Vec<SignalId>,
    /// The wait that begins with this commit, if a wait begins.
    pub armed: Option<WaitRow>,
    /// The key of the step whose wait ends with this commit, if a wait ends.
    pub disarmed: Option<String>,
    /// The bundle and version to which the run is pinned from now on; `None` if they do not change.
    pub repinned: Option<(Digest, i64)>,
    /// The change to the run's turn.
    pub turn: TurnChange,
}

/// The result of the commit of one step. The commit may be part of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// The commit was written.
    Done {
        /// The run's wake counter at the commit. If the counter differs from the value
        /// that the owner read earlier, new signals may have arrived.
        wake: i64,
    },
    /// Nothing was written, because the run's epoch, the sequence number of its head
    /// or the change counter of its tenant's settings has changed, or because the step decided by rows that have changed.
    Stale,
}
