//! Collects the rows that a step is about to commit.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::run_in_memory::RunInMemory;
use crate::base::{Digest, EventId, Problem, SignalId, StreamId, Timestamp, Value, limits};
use crate::ledger::{EventKind, Receipt};
use crate::library::Bundle;
use crate::run::{Assigned, CallState, RunOutcome, RunState, RunStatus, RunTransition};
use crate::store::{Commit, Head, LedgerRow, TurnChange, Unwoken, VarRow, WaitRow};

/// Maximum number of variables cached in memory for one run. If more variables are cached, the cache of the
/// run is emptied.
const CACHED_VARS_MAX: usize = 256;

/// The next commit of a run, while it is being built.
#[derive(Debug, Clone)]
pub(in crate::driver) struct Draft {
    pub(super) status: RunStatus,
    pub(super) state: RunState,
    pub(super) last_hash: Digest,
    pub(super) last_at: Timestamp,
    pub(super) assigned: Assigned,
    /// The variables that this step has read from the database; `None` for an unset variable.
    pub(super) loaded: BTreeMap<String, Option<Arc<Value>>>,
    pub(in crate::driver) turn: TurnChange,
    outcome: Option<RunOutcome>,
    events: Vec<LedgerRow>,
    blobs: Vec<(Digest, String)>,
    consumed: Vec<SignalId>,
    /// The signals that are consumed with this commit, by its rows or by its transaction.
    taken: Vec<SignalId>,
    armed: Option<WaitRow>,
    disarmed: Option<String>,
    wake_seen: i64,
    /// If this commit stores the intent of a call to an outside system, the digest of its request, and the request.
    pub(super) wanted: Option<(Digest, Arc<Value>)>,
    /// The deadline that passes with this commit, unless the step has checked in its own transaction that it may pass.
    pub(super) passes: Option<Timestamp>,
    /// Whether the step has read rows that others can change before its commit. Whatever changes them wakes the run.
    pub(in crate::driver) reads_others: bool,
    /// The bundle and version that this commit pins the run to, if the commit upgrades the run.
    pub(in crate::driver) moved_to: Option<(Arc<Bundle>, i64)>,
}

impl Draft {
    pub(super) fn of(live: &RunInMemory, now: Timestamp) -> Self {
        Self {
            status: live.status,
            state: live.state.clone(),
            last_hash: live.last_hash,
            last_at: live.time(now),
            assigned: Assigned::new(),
            loaded: BTreeMap::new(),
            turn: TurnChange::Keep,
            outcome: None,
            events: Vec::new(),
            blobs: Vec::new(),
            consumed: Vec::new(),
            taken: Vec::new(),
            armed: None,
            disarmed: None,
            wake_seen: live.wake_seen,
            wanted: None,
            passes: None,
            reads_others: false,
            moved_to: None,
        }
    }

    /// Changes the status of the run. Fails if the run cannot make this transition in its current status.
    pub(super) fn transition(&mut self, transition: RunTransition) -> Result<(), Problem> {
        self.status =
            self.status.after(transition).map_err(|illegal| Problem::bug(illegal.to_string()))?;
        Ok(())
    }

    /// Adds an event to the run's ledger stream.
    pub(super) fn event(&mut self, id: EventId, live: &RunInMemory, kind: EventKind, body: Value) {
        self.state.log_seq += 1;
        let mut row = LedgerRow {
            id,
            stream: StreamId::from(live.id),
            seq: self.state.log_seq,
            tenant: live.tenant.to_string(),
            kind: kind.into(),
            at: self.last_at,
            run: Some(live.id),
            call: None,
            tool: None,
            status: None,
            body,
            hash: Digest::ZERO,
            correlation: None,
        };
        self.last_hash = row.link(self.last_hash);
        self.events.push(row);
    }

    /// Adds the receipt of a finished call to the run's ledger stream.
    pub(super) fn receipt(&mut self, live: &RunInMemory, receipt: &Receipt) {
        self.state.log_seq += 1;
        let mut row = LedgerRow {
            id: crate::base::TypedId::from_uuid(crate::base::TypedId::uuid(receipt.id)),
            stream: StreamId::from(live.id),
            seq: self.state.log_seq,
            tenant: live.tenant.to_string(),
            kind: EventKind::Receipt.into(),
            at: self.last_at,
            run: Some(live.id),
            call: Some(receipt.call_id),
            tool: Some(receipt.tool.clone()),
            status: Some(receipt.status.as_str().to_owned()),
            body: serde_json::to_value(receipt).unwrap_or(Value::Null),
            hash: Digest::ZERO,
            correlation: None,
        };
        self.last_hash = row.link(self.last_hash);
        self.events.push(row);
    }

    /// Assigns a variable with this commit. A later assignment of the same variable replaces the value.
    pub(super) fn assign(&mut self, name: String, value: Value) {
        self.assigned.push((name, value));
    }

    /// Stores a value under its digest, and returns the digest.
    pub(super) fn freeze(&mut self, value: &Value) -> Digest {
        let text = value.to_string();
        let digest = Digest::of(text.as_bytes());
        self.blobs.push((digest, text));
        digest
    }

    /// Stores the unfinished call in the run's state, so that a later step can continue it.
    pub(super) fn hold(&mut self, call: CallState) {
        self.state.set_call(call);
    }

    pub(super) fn consume(&mut self, signal: SignalId) {
        self.consumed.push(signal);
        self.taken.push(signal);
    }

    /// Whether this step has consumed the signal.
    pub(super) fn has_consumed(&self, signal: SignalId) -> bool {
        self.taken.contains(&signal)
    }

    /// Records that the transaction of the step has marked a named signal as consumed.
    pub(super) fn note_consumed(&mut self, signal: SignalId) {
        self.taken.push(signal);
    }

    pub(super) fn arm(&mut self, wait: WaitRow) {
        self.armed = Some(wait);
    }

    pub(super) fn disarm(&mut self, frame: String) {
        // If the wait began in this same commit, the row of the wait is not written at all.
        self.armed = self.armed.take().filter(|wait| wait.frame != frame);
        self.disarmed = Some(frame);
    }

    /// Makes the run wait after this commit: the run is due again at the instant `due_at` or when the run
    /// is woken, whichever comes first. If the run still waits after the instant `expected_by`, people
    /// see the run as stuck.
    pub(super) fn park(&mut self, due_at: Option<Timestamp>, expected_by: Option<Timestamp>) {
        self.turn = TurnChange::Park { due_at, seen_wake: self.wake_seen, expected_by };
    }

    /// Ends the run with this commit. The outcome is `None` for a run that failed or was cancelled.
    pub(super) fn end(&mut self, outcome: Option<RunOutcome>) {
        self.outcome = outcome;
        self.turn = TurnChange::End;
    }

    /// Returns the outcome of a run that ends with this commit after all its steps.
    pub(super) const fn outcome(&self) -> Option<RunOutcome> {
        self.outcome
    }

    /// Whether this process takes no further step of the run after this commit,
    /// because the commit ends the run or makes it wait.
    pub(in crate::driver) fn is_final(&self) -> bool {
        self.turn != TurnChange::Keep
    }

    /// Returns what must still hold at the commit. A run that was woken before it parks looks again, so its commit holds anyway.
    fn unless(&self) -> Option<Unwoken> {
        let parks = matches!(self.turn, TurnChange::Park { .. });
        let depends = self.passes.is_some() || (self.reads_others && !parks);
        depends.then_some(Unwoken { seen_wake: self.wake_seen, deadline: self.passes })
    }

    /// Builds the commit. Moves the rows from the draft into the commit.
    /// The new state of the run stays in the draft, for [`RunInMemory::apply_commit`].
    ///
    /// # Errors
    /// `value_too_large` if the value of a variable is too large.
    /// `internal` if the head of the run is too large.
    pub(in crate::driver) fn commit(&mut self, live: &RunInMemory) -> Result<Commit, Problem> {
        // If a variable was assigned several times, only its last value is written.
        let last: BTreeMap<&str, &Value> =
            self.assigned.iter().map(|(name, value)| (name.as_str(), value)).collect();
        let mut vars = Vec::with_capacity(last.len());
        for (name, value) in last {
            vars.push(var_row(name, value, &mut self.blobs)?);
        }
        let state = serde_json::to_string(&self.state).map_err(|e| Problem::bug(e.to_string()))?;
        if state.len() > limits::HEAD_BYTES_MAX {
            return Err(Problem::bug(format!("the head of the run has {} bytes", state.len())));
        }
        Ok(Commit {
            run: live.id,
            epoch: live.epoch,
            seq: live.seq,
            settings_version: Some(live.settings_version),
            unless: self.unless(),
            keeps_status: self.status == live.status
                && self.outcome.is_none()
                && !self.status.is_terminal(),
            head: Head {
                status: self.status.as_str(),
                outcome: self.outcome.map(RunOutcome::as_str),
                state,
                last_hash: self.last_hash,
                last_at: self.last_at,
                ended_at: self.status.is_terminal().then_some(self.last_at),
            },
            events: std::mem::take(&mut self.events),
            vars,
            blobs: std::mem::take(&mut self.blobs),
            consumed: std::mem::take(&mut self.consumed),
            armed: self.armed.take(),
            disarmed: self.disarmed.take(),
            repinned: self.moved_to.as_ref().map(|(bundle, version)| (bundle.digest, *version)),
            turn: match self.turn {
                TurnChange::Keep if live.claims > 1 => TurnChange::Progress,
                turn => turn,
            },
        })
    }
}

impl RunInMemory {
    /// Updates the run in memory after `draft` was committed.
    pub(in crate::driver) fn apply_commit(&mut self, draft: Draft) {
        self.seq += 1;
        self.claims = 0;
        self.status = draft.status;
        self.state = draft.state;
        self.last_hash = draft.last_hash;
        self.last_at = draft.last_at;
        self.wanted = draft.wanted;
        self.signals.named.retain(|signal| !draft.taken.contains(&signal.id));
        if let Some((bundle, version)) = draft.moved_to {
            (self.bundle, self.version) = (bundle, version);
            self.vars.clear(); // the upgrade may have renamed variables
        }
        if self.vars.len() > CACHED_VARS_MAX {
            self.vars.clear();
        }
        self.vars.extend(draft.loaded);
        self.vars
            .extend(draft.assigned.into_iter().map(|(name, value)| (name, Some(Arc::new(value)))));
    }
}

/// Builds the row of a variable. A large value is added to `blobs`, and the row contains only its digest.
fn var_row(
    name: &str,
    value: &Value,
    blobs: &mut Vec<(Digest, String)>,
) -> Result<VarRow, Problem> {
    let text = value.to_string();
    if text.len() > limits::VALUE_BYTES_MAX {
        return Err(Problem::author(
            "value_too_large",
            format!("the value of `{name}` is too large: {} bytes", text.len()),
        )
        .with_hint("store ids instead of whole records"));
    }
    if text.len() <= limits::INLINE_VALUE_BYTES_MAX {
        return Ok(VarRow { name: name.to_owned(), value: Some(text), blob: None });
    }
    let digest = Digest::of(text.as_bytes());
    blobs.push((digest, text));
    Ok(VarRow { name: name.to_owned(), value: None, blob: Some(digest) })
}
