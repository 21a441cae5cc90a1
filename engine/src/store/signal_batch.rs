//! Stores signals from outside, those to many runs with the same few statements (lane A).

use std::collections::{BTreeMap, BTreeSet};

use super::error::StoreError;
use super::faults::CommitPart;
use super::param::{ColumnType, Param};
use super::rows::Rows;
use super::signal::NAMED;
use super::tx::Tx;
use crate::base::{Digest, RunId, SignalId, limits};
use crate::params;
use crate::planted::PlantedFault;
use crate::run::RunStatus;

/// A named signal from outside to a run.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSignal {
    /// The id of the tenant in whose name the signal is sent.
    pub tenant: String,
    /// The run to which the signal is sent.
    pub run: RunId,
    /// The name of the signal.
    pub name: String,
    /// The idempotency key: a run stores only one named signal with the same key.
    pub dedupe: Option<String>,
    /// The data of the signal, as JSON.
    pub payload: String,
}

/// The result of a signal from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalStored {
    /// The signal is stored, and its run, which is pinned to this bundle, will be woken.
    Stored { bundle: Digest },
    /// The run, which is pinned to this bundle, already has a named signal with the same key. Nothing is stored.
    Known { bundle: Digest },
    /// The tenant has no such run.
    NoRun,
    /// The run has ended with this status.
    Ended(RunStatus),
    /// The run has [`limits::OPEN_SIGNALS_MAX`] signals that it has not consumed.
    TooMany,
}

/// What the database knows of the run of one signal.
struct Receiver {
    /// The bundle that the run is pinned to.
    bundle: Digest,
    status: RunStatus,
    has_ended: bool,
    /// Whether the run already has a signal with the same key.
    is_known: bool,
    /// Number of signals that the run has not consumed, and of those that this batch adds.
    open: i64,
}

const RECEIVERS: &str = "SELECT v.n, r.bundle, r.status, r.ended_at,
        (SELECT CAST(1 AS BIGINT) FROM signal k WHERE k.run_id = v.run AND k.kind = 'named' AND k.dedupe = v.dedupe) AS known,
        (SELECT COUNT(*) FROM signal o WHERE o.run_id = v.run AND o.consumed_seq IS NULL) AS open
     FROM {rows} JOIN run r ON r.id = v.run AND r.tenant || '' = v.tenant";

const LIVE_BRANCHES: &str = "WITH RECURSIVE d(id) AS (
        SELECT r.id FROM {rows} {each run r} r.parent = v.id AND r.branch = 1 AND r.ended_at + 0 IS NULL {end each} UNION ALL
        SELECT r.id FROM d {each run r} r.parent = d.id AND r.branch = 1 AND r.ended_at + 0 IS NULL {end each})
     SELECT id FROM d";

impl Tx {
    /// Stores signals and wakes their runs with the live branches of these runs. Returns the results in
    /// the order of `signals`. The caller must finish the transaction, which carries out the wake-ups.
    pub(super) async fn store_signals(
        &mut self,
        signals: &[&NewSignal],
    ) -> Result<Vec<SignalStored>, StoreError> {
        self.record_part(CommitPart::Signal);
        let mut receivers = self.receivers(signals).await?;
        let mut added: BTreeMap<RunId, i64> = BTreeMap::new();
        let mut rows = Rows::new(&[
            ("run", ColumnType::Id),
            ("id", ColumnType::Id),
            ("name", ColumnType::Text),
            ("dedupe", ColumnType::Text),
            ("payload", ColumnType::Text),
        ]);
        let mut results = Vec::with_capacity(signals.len());
        let mut ids = Vec::with_capacity(signals.len());
        for (n, signal) in signals.iter().enumerate() {
            let added = added.entry(signal.run).or_default();
            let id: SignalId = self.mint();
            let result = admitted(receivers.remove(&n), *added);
            if matches!(result, SignalStored::Stored { .. }) {
                *added += 1;
                rows.push([
                    signal.run.into(),
                    id.into(),
                    Param::from(&signal.name),
                    signal.dedupe.as_deref().into(),
                    Param::from(&signal.payload),
                ]);
            }
            results.push(result);
            ids.push(id);
        }
        let stored = self.insert_signals(&rows).await?;
        for (result, id) in results.iter_mut().zip(&ids) {
            // Another signal of this batch, or of a transaction that has just ended, has the same key.
            if let SignalStored::Stored { bundle } = *result
                && !stored.contains(id)
            {
                *result = SignalStored::Known { bundle };
            }
        }
        let sent = signals.iter().zip(&results);
        let stored = sent.filter(|(_, result)| matches!(result, SignalStored::Stored { .. }));
        let runs: BTreeSet<RunId> = stored.map(|(signal, _)| signal.run).collect();
        self.wake_with_branches(runs).await?;
        Ok(results)
    }

    async fn receivers(
        &mut self,
        signals: &[&NewSignal],
    ) -> Result<BTreeMap<usize, Receiver>, StoreError> {
        let mut rows = Rows::new(&[
            ("n", ColumnType::Int),
            ("run", ColumnType::Id),
            ("tenant", ColumnType::Text),
            ("dedupe", ColumnType::Text),
        ]);
        for (n, signal) in signals.iter().enumerate() {
            let n = i64::try_from(n).unwrap_or(i64::MAX);
            let dedupe = signal.dedupe.as_deref();
            rows.push([n.into(), signal.run.into(), Param::from(&signal.tenant), dedupe.into()]);
        }
        let found = self.bulk(RECEIVERS, &[], &rows).await?;
        found
            .iter()
            .map(|row| {
                let receiver = Receiver {
                    bundle: row.digest("bundle")?,
                    status: row.word("status")?,
                    has_ended: row.opt_at("ended_at")?.is_some(),
                    is_known: row.opt_int("known")?.is_some(),
                    open: row.int("open")?,
                };
                Ok((usize::try_from(row.int("n")?).unwrap_or(usize::MAX), receiver))
            })
            .collect()
    }

    async fn insert_signals(&mut self, rows: &Rows) -> Result<BTreeSet<SignalId>, StoreError> {
        if rows.is_empty() {
            return Ok(BTreeSet::new());
        }
        let now = self.now();
        let stored = self
            .bulk(
                "INSERT INTO signal (run_id, id, kind, name, dedupe, payload, at, consumed_seq)
                 SELECT v.run, v.id, $1, v.name, v.dedupe, v.payload, $2, NULL FROM {rows} WHERE true
                 ON CONFLICT DO NOTHING RETURNING id",
                &params![NAMED, now],
                rows,
            )
            .await?;
        stored.iter().map(|row| row.id("id")).collect()
    }

    async fn wake_with_branches(&mut self, runs: BTreeSet<RunId>) -> Result<(), StoreError> {
        if runs.is_empty() || PlantedFault::SignalWakesNobody.is_active() {
            return Ok(());
        }
        let branches = self.bulk(LIVE_BRANCHES, &[], &Rows::ids(&runs)).await?;
        for branch in &branches {
            self.wake(branch.id("id")?);
        }
        runs.into_iter().for_each(|run| self.wake(run));
        Ok(())
    }
}

/// Whether the run of a signal takes it, after this batch has added `added` signals to the run.
fn admitted(receiver: Option<Receiver>, added: i64) -> SignalStored {
    // The key comes before the status: a sender that got no answer sends the signal again, possibly after the signal
    // has made the run end. The sender must not be told then that the run has ended.
    match receiver {
        None => SignalStored::NoRun,
        Some(found) if found.is_known => SignalStored::Known { bundle: found.bundle },
        Some(found) if found.has_ended => SignalStored::Ended(found.status),
        Some(found) if found.open + added >= OPEN_MAX => SignalStored::TooMany,
        Some(found) => SignalStored::Stored { bundle: found.bundle },
    }
}

const OPEN_MAX: i64 = limits::OPEN_SIGNALS_MAX as i64;
