//! Inserts and reads the heads of runs. A head is inserted when its run
//! starts, advanced by commits, and read when the run is continued or shown.

use super::faults::CommitPart;
use std::collections::BTreeMap;

use super::child::ParentLink;
use super::dialect::Dialect;
use super::error::StoreError;
use super::param::{ColumnType, Param};
use super::row::Row;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{CorrelationId, Digest, NodeId, Problem, RequestId, RunId, Timestamp, Value};
use crate::params;
use crate::run::{RunOutcome, RunState, RunStatus};

/// A stored run, with its turn.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// The id of the run.
    pub id: RunId,
    /// The id of the tenant that owns the run.
    pub tenant: String,
    /// The request that the run works on.
    pub request: Option<RequestId>,
    /// The digest of the bundle that the run is pinned to.
    pub bundle: Digest,
    /// The method's name.
    pub method: String,
    /// The number of the method's version.
    pub version: i64,
    /// The number of the run's campaign on its request.
    pub campaign: i64,
    /// Whether the run is a shadow run, which only reports what it would do.
    pub shadow: bool,
    /// The run's status.
    pub status: RunStatus,
    /// How the run ended, once it is completed.
    pub outcome: Option<RunOutcome>,
    /// Number of commits of the run so far.
    pub seq: i64,
    /// The version of the format of `state`.
    pub state_v: i64,
    /// The state of the run's state machine.
    pub state: Value,
    /// The hash of the run's latest event, to which the next event is chained.
    pub last_hash: Digest,
    /// The time of the run's latest event.
    pub last_at: Timestamp,
    /// When the run was started.
    pub created_at: Timestamp,
    /// When the run ended; `None` while it is live.
    pub ended_at: Option<Timestamp>,
    /// When the run is due; `None` if only a wake-up makes it due.
    pub due_at: Option<Timestamp>,
    /// The time after which the run counts as overdue.
    pub expected_by: Option<Timestamp>,
    /// The parent, which started the run and waits for it.
    pub parent: Option<RunId>,
    /// The reason why no running process can continue the run; `None` if a process can.
    pub stuck_on: Option<String>,
    /// Whether a kill switch holds the run.
    pub held: bool,
    /// What set the run going: the message or the API request with which the story began. `None` for a run from
    /// before correlations were recorded.
    pub correlation: Option<CorrelationId>,
}

impl RunRow {
    /// Parses the stored state of the run. It fails if the state does not have the form that this program stores.
    pub fn parsed_state(&self) -> Result<RunState, Problem> {
        serde_json::from_value(self.state.clone()).map_err(|e| Problem::bug(e.to_string()))
    }
}

/// A new run to be inserted.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// The id of the run.
    pub id: RunId,
    /// The id of the tenant that owns the run.
    pub tenant: String,
    /// The request that the run works on.
    pub request: Option<RequestId>,
    /// The digest of the bundle that the run is pinned to.
    pub bundle: Digest,
    /// The method's name.
    pub method: String,
    /// The number of the method's version.
    pub version: i64,
    /// The number of the run's campaign on its request.
    pub campaign: i64,
    /// Whether the run is a shadow run, which only reports what it would do.
    pub shadow: bool,
    /// The link to the parent, if another run starts this one.
    pub parent_link: Option<ParentLink>,
    /// The idempotency key: a second run with the same key is not inserted.
    pub start_key: Option<String>,
    /// The version of the format of `state`.
    pub state_v: i64,
    /// The state of the run's state machine, as JSON.
    pub state: String,
    /// The run's initial variables, as names and JSON values.
    pub vars: Vec<(String, String)>,
    /// The node that owns the run from the start; `None` if any node may claim it.
    pub owner: Option<NodeId>,
    /// The method's active version as the caller has cached it; 0 if the method had no active version
    /// when the caller read it. The run is not inserted if the active version has changed since then.
    /// If this is `None`, as for child runs and for a caller that has just read the active version,
    /// the active version is not checked.
    pub expected_active_version: Option<i64>,
    /// The tenant's change counter (`TenantRow::version`) as the caller has cached it.
    /// If the counter has grown since then, the run is not inserted. If this is `None`, the counter is
    /// not checked.
    pub settings_version: Option<i64>,
    /// What set the run going. Without it, the run takes that of its parent, or else begins one with its own id.
    pub correlation: Option<CorrelationId>,
}

/// The process that works on a run which is started in lane A.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrivenBy {
    /// The caller, as soon as it learns that the run is [`Inserted::Free`].
    /// The driver is then not notified that the run is due.
    Caller,
    /// Any process that claims the run when it is due.
    AnyClaimer,
}

/// The result of inserting a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Inserted {
    /// The run is inserted and may be worked on.
    Free,
    /// The run is inserted without an owner, because its tenant is paused,
    /// or was paused while the run was inserted.
    Held,
    /// The run is not inserted: its start key belongs to an earlier run, or the method's active version
    /// or the tenant's settings differ from those that the caller has cached.
    LeftOut,
}

const NEW_COLUMNS: &[(&str, ColumnType)] = &[
    ("id", ColumnType::Id),
    ("tenant", ColumnType::Text),
    ("request", ColumnType::Id),
    ("bundle", ColumnType::Bytes),
    ("method", ColumnType::Text),
    ("version", ColumnType::Int),
    ("campaign", ColumnType::Int),
    ("shadow", ColumnType::Int),
    ("parent", ColumnType::Id),
    ("parent_call", ColumnType::Id),
    ("ordinal", ColumnType::Int),
    ("branch", ColumnType::Int),
    ("start_key", ColumnType::Text),
    ("state_v", ColumnType::Int),
    ("state", ColumnType::Text),
    ("hash", ColumnType::Bytes),
    ("owner", ColumnType::Id),
    ("rests_on", ColumnType::Int),
    ("settings", ColumnType::Int),
    ("correlation", ColumnType::Id),
];

/// Builds a query of runs with their turns. The query selects the columns that [`read`] reads.
/// `$from` is the source of the rows; `$rest` is the end of the query, with the conditions and the sorting.
macro_rules! select_run {
    ($from:expr $(, $rest:literal)?) => {
        concat!(
            "SELECT r.id, r.tenant, r.partition_key, r.bundle, r.method, r.method_version, r.campaign, r.shadow, \
             r.status, r.outcome, r.seq, r.state_v, r.state, r.last_hash, r.last_at, r.created_at, r.ended_at, \
             t.due_at, t.expected_by, r.parent, t.stuck_on, coalesce(t.held, 0) AS held, r.correlation FROM ",
            $from,
            " LEFT JOIN turn t ON t.run_id = r.id "
            $(, $rest)?
        )
    };
}

pub(super) use select_run;

/// Reads a run from a row of [`select_run`].
pub(super) fn read_run(row: &Row) -> Result<RunRow, StoreError> {
    Ok(RunRow {
        id: row.id("id")?,
        tenant: row.text("tenant")?,
        request: row.opt_id("partition_key")?,
        bundle: row.digest("bundle")?,
        method: row.text("method")?,
        version: row.int("method_version")?,
        campaign: row.int("campaign")?,
        shadow: row.flag("shadow")?,
        status: row.word("status")?,
        outcome: row.opt_word("outcome")?,
        seq: row.int("seq")?,
        state_v: row.int("state_v")?,
        state: row.json("state")?,
        last_hash: row.digest("last_hash")?,
        last_at: row.at("last_at")?,
        created_at: row.at("created_at")?,
        ended_at: row.opt_at("ended_at")?,
        due_at: row.opt_at("due_at")?,
        expected_by: row.opt_at("expected_by")?,
        parent: row.opt_id("parent")?,
        stuck_on: row.opt_text("stuck_on")?,
        held: row.flag("held")?,
        correlation: row.opt_id("correlation")?,
    })
}

impl Tx {
    /// Inserts runs, with their variables and turns. The runs are due now. Inserts no rows at all for a
    /// run whose result is [`Inserted::LeftOut`]. Returns the results in the order of `runs`.
    pub async fn insert_runs(&mut self, runs: &[NewRun]) -> Result<Vec<Inserted>, StoreError> {
        if runs.iter().any(|new| new.owner.is_none()) {
            self.note_due();
        }
        self.insert_quietly(&runs.iter().collect::<Vec<_>>()).await
    }

    /// Inserts runs without notifying the driver that they are due.
    /// If several runs have the same start key, only the first of them in `runs` is inserted.
    pub(super) async fn insert_quietly(
        &mut self,
        runs: &[&NewRun],
    ) -> Result<Vec<Inserted>, StoreError> {
        self.record_part(CommitPart::Start);
        let mut rows = Rows::new(NEW_COLUMNS);
        for new in runs {
            let child = new.parent_link;
            rows.push([
                new.id.into(),
                Param::from(&new.tenant),
                new.request.into(),
                new.bundle.into(),
                Param::from(&new.method),
                new.version.into(),
                new.campaign.into(),
                new.shadow.into(),
                child.map(|child| child.parent).into(),
                child.map(|child| child.call).into(),
                child.map_or(0, |child| child.ordinal).into(),
                child.is_some_and(|child| child.branch).into(),
                new.start_key.as_deref().into(),
                new.state_v.into(),
                Param::from(&new.state),
                Digest::ZERO.into(),
                new.owner.into(),
                new.expected_active_version.into(),
                new.settings_version.into(),
                new.correlation.or(self.begun).into(),
            ]);
        }
        let now = self.now();
        let inserted = self
            .bulk(
                "INSERT INTO run (id, tenant, partition_key, bundle, method, method_version, campaign, shadow,
                    parent, parent_call, ordinal, branch, start_key, status, seq, state_v, state, last_hash, last_at, created_at,
                    correlation)
                 SELECT id, tenant, request, bundle, method, version, campaign, shadow,
                    parent, parent_call, ordinal, branch, start_key, 'pending', 0, state_v, state, hash, $1, $1,
                    coalesce((SELECT p.correlation FROM run p WHERE p.id = v.parent), v.correlation, v.id)
                 FROM {rows} WHERE (v.rests_on IS NULL OR v.rests_on = coalesce((SELECT m.version FROM method_version m
                    WHERE m.tenant = v.tenant AND m.name = v.method AND m.active = 1), 0))
                    AND (v.settings IS NULL
                        OR v.settings = coalesce((SELECT n.version FROM tenant n WHERE n.id = v.tenant), 0))
                 ON CONFLICT DO NOTHING RETURNING id",
                &params![now],
                &rows,
            )
            .await?;
        let inserted: Vec<RunId> =
            inserted.iter().map(|row| row.id("id")).collect::<Result<_, _>>()?;
        let fresh: Vec<&NewRun> =
            runs.iter().copied().filter(|r| inserted.contains(&r.id)).collect();
        let turns = self.insert_turns(&fresh).await?;
        self.insert_first_vars(&fresh).await?;
        Ok(runs.iter().map(|r| *turns.get(&r.id).unwrap_or(&Inserted::LeftOut)).collect())
    }

    async fn insert_turns(
        &mut self,
        runs: &[&NewRun],
    ) -> Result<BTreeMap<RunId, Inserted>, StoreError> {
        let mut rows = Rows::new(&[
            ("id", ColumnType::Id),
            ("tenant", ColumnType::Text),
            ("owner", ColumnType::Id),
        ]);
        for new in runs {
            rows.push([new.id.into(), Param::from(&new.tenant), new.owner.into()]);
        }
        if rows.is_empty() {
            return Ok(BTreeMap::new());
        }
        let now = self.now();
        let turns = self
            .bulk(
                "INSERT INTO turn (run_id, tenant, held, owner, epoch, wake, claims, due_at)
                 SELECT v.id, v.tenant, coalesce(t.paused, 0),
                    CASE WHEN t.paused = 1 THEN NULL ELSE v.owner END, 1, 0, 0, $1
                 FROM {rows} LEFT JOIN tenant t ON t.id = v.tenant WHERE true
                 RETURNING run_id, held",
                &params![now],
                &rows,
            )
            .await?;
        let turns: BTreeMap<RunId, bool> = turns
            .iter()
            .map(|row| Ok((row.id("run_id")?, row.flag("held")?)))
            .collect::<Result<_, StoreError>>()?;
        let mut held: BTreeMap<&str, Vec<RunId>> = BTreeMap::new();
        for new in runs.iter().filter(|new| turns.get(&new.id) == Some(&true)) {
            held.entry(&new.tenant).or_default().push(new.id);
        }
        for (tenant, runs) in held {
            self.free_if_resumed(tenant, runs).await?;
        }
        let answer = |held| if held { Inserted::Held } else { Inserted::Free };
        Ok(turns.into_iter().map(|(run, held)| (run, answer(held))).collect())
    }

    /// Reads the kill switch again after turns were inserted as held, and frees these turns if the switch
    /// is off now. The switch stays locked until this transaction ends. Without this check, a turn that
    /// is inserted as held while its tenant is being resumed would stay held permanently.
    async fn free_if_resumed(&mut self, tenant: &str, runs: Vec<RunId>) -> Result<(), StoreError> {
        if self.dialect() == Dialect::Sqlite || self.lock_tenant_shared(tenant).await? {
            return Ok(());
        }
        self.note_due();
        self.bulk_unless_empty(
            "UPDATE turn SET held = 0 WHERE run_id IN (SELECT id FROM {rows})",
            &Rows::ids(&runs),
        )
        .await
    }

    async fn insert_first_vars(&mut self, runs: &[&NewRun]) -> Result<(), StoreError> {
        let mut rows = Rows::new(&[
            ("id", ColumnType::Id),
            ("name", ColumnType::Text),
            ("value", ColumnType::Text),
        ]);
        for new in runs {
            for (name, value) in &new.vars {
                rows.push([new.id.into(), Param::from(name), Param::from(value)]);
            }
        }
        self.bulk_unless_empty(
            "INSERT INTO var (run_id, name, value, blob) SELECT id, name, value, NULL FROM {rows}",
            &rows,
        )
        .await
    }

    /// Finds the run that was started with the idempotency key `key`.
    pub async fn run_by_key(
        &mut self,
        tenant: &str,
        key: Option<&str>,
    ) -> Result<Option<RunId>, StoreError> {
        let Some(key) = key else { return Ok(None) };
        let row = self
            .row("SELECT id FROM run WHERE tenant = $1 AND start_key = $2", &params![tenant, key])
            .await?;
        row.map(|row| row.id("id")).transpose()
    }

    /// Creates a new turn for an ended run that is retried. The turn is due now, and its epoch is one more
    /// than the run's number of commits. Returns `false` if the run still has a turn.
    pub async fn reopen_turn(&mut self, run: RunId) -> Result<bool, StoreError> {
        let now = self.now();
        // A run that is leaving the database for an archive is gone when the lock is granted.
        let lock = "SELECT id FROM run WHERE id = $1 {for_share}";
        if self.row(lock, &params![run]).await?.is_none() {
            return Err(StoreError::Repeat("a run has left the database".into()));
        }
        let opened = self
            .row(
                "INSERT INTO turn (run_id, tenant, held, owner, epoch, wake, claims, due_at)
                 SELECT r.id, r.tenant, coalesce(t.paused, 0), NULL, r.seq + 1, 0, 0, $2
                 FROM run r LEFT JOIN tenant t ON t.id = r.tenant WHERE r.id = $1
                 ON CONFLICT (run_id) DO NOTHING RETURNING tenant, held",
                &params![run, now],
            )
            .await?;
        self.note_due();
        let Some(opened) = opened else { return Ok(false) };
        if opened.flag("held")? {
            self.free_if_resumed(&opened.text("tenant")?, vec![run]).await?;
        }
        Ok(true)
    }

    /// Reads a run with its turn.
    pub async fn run(&mut self, id: RunId) -> Result<Option<RunRow>, StoreError> {
        let row = self.row(select_run!("run r", "WHERE r.id = $1"), &params![id]).await?;
        row.as_ref().map(read_run).transpose()
    }

    /// Reads the heads of some runs, with their turns. If this build cannot read a head,
    /// only the run with that head gets an error.
    pub async fn runs_by_id(
        &mut self,
        ids: &[RunId],
    ) -> Result<BTreeMap<RunId, Result<RunRow, StoreError>>, StoreError> {
        let rows = self
            .bulk(select_run!("{rows} JOIN run r ON r.id = v.id"), &[], &Rows::ids(ids))
            .await?;
        rows.iter().map(|row| Ok((row.id("id")?, read_run(row)))).collect()
    }
}
