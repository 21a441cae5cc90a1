//! The heads of runs: inserted at the start, moved by commits, read when a run is resumed or shown.

use super::faults::Part;
use std::collections::BTreeMap;

use super::child::ChildOf;
use super::commit::run_rows;
use super::dialect::Dialect;
use super::error::StoreError;
use super::param::{Kind, Param};
use super::row::Row;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{Digest, NodeId, RequestId, RunId, Timestamp, Value};
use crate::params;

/// A run as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// Its id.
    pub id: RunId,
    /// The tenant.
    pub tenant: String,
    /// The request it works on.
    pub request: Option<RequestId>,
    /// The texts it is pinned to.
    pub bundle: Digest,
    /// The method's name.
    pub method: String,
    /// The method's version.
    pub version: i64,
    /// The number of its campaign on the request.
    pub campaign: i64,
    /// `pending running waiting paused completed failed cancelled`.
    pub status: String,
    /// `succeeded` or `fell_short`, once completed.
    pub outcome: Option<String>,
    /// How many commits it has made.
    pub seq: i64,
    /// The version of the state's form.
    pub state_v: i64,
    /// The state machine's state.
    pub state: Value,
    /// The last link of its chain.
    pub last_hash: Digest,
    /// The time of its latest event.
    pub last_at: Timestamp,
    /// When it was started.
    pub created_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// When it is due.
    pub due_at: Option<Timestamp>,
    /// When it should have moved on.
    pub expected_by: Option<Timestamp>,
    /// The run that started it and waits for it.
    pub parent: Option<RunId>,
    /// What keeps every process from taking it.
    pub stuck_on: Option<String>,
    /// A kill switch holds it.
    pub held: bool,
}

/// A run about to be started.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// Its id.
    pub id: RunId,
    /// The tenant.
    pub tenant: String,
    /// The request it works on.
    pub request: Option<RequestId>,
    /// The texts it is pinned to.
    pub bundle: Digest,
    /// The method's name.
    pub method: String,
    /// The method's version.
    pub version: i64,
    /// The number of its campaign on the request.
    pub campaign: i64,
    /// The run that starts it, if one does.
    pub child_of: Option<ChildOf>,
    /// Deduplicates starts.
    pub start_key: Option<String>,
    /// The version of the state's form.
    pub state_v: i64,
    /// The state machine's state as JSON.
    pub state: String,
    /// The first variables, as JSON texts.
    pub vars: Vec<(String, String)>,
    /// The node that works on it from the start; none leaves it to whoever claims it.
    pub owner: Option<NodeId>,
    /// The active version that its starter remembers, 0 for none: the run is left out if another is
    /// active by now. Not asked where the starter has just looked, and of child runs.
    pub rests_on: Option<i64>,
    /// The version of the tenant whose settings its starter remembers: compared likewise.
    pub settings_version: Option<i64>,
}

/// What became of a run that was to be inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Inserted {
    /// It is there and may be worked on.
    Free,
    /// It is there without an owner: its tenant is paused, or was when it was inserted.
    Held,
    /// It was left out: its key stands for an earlier run, or another version of the method is active, or
    /// of the tenant's settings in force, than its starter remembers.
    LeftOut,
}

/// Which runs to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Only of this status.
    pub status: Option<String>,
    /// Only of this method.
    pub method: Option<String>,
    /// Only of this request.
    pub request: Option<RequestId>,
    /// Only those past the time at which they should have moved on.
    pub stuck: bool,
    /// Only those that wait.
    pub waiting: bool,
    /// Only those older than this one (newest come first).
    pub before: Option<RunId>,
    /// At most so many; 0 means the default page.
    pub limit: usize,
}

const NEW_COLUMNS: &[(&str, Kind)] = &[
    ("id", Kind::Id),
    ("tenant", Kind::Text),
    ("request", Kind::Id),
    ("bundle", Kind::Bytes),
    ("method", Kind::Text),
    ("version", Kind::Int),
    ("campaign", Kind::Int),
    ("parent", Kind::Id),
    ("parent_call", Kind::Id),
    ("ordinal", Kind::Int),
    ("branch", Kind::Int),
    ("start_key", Kind::Text),
    ("state_v", Kind::Int),
    ("state", Kind::Text),
    ("hash", Kind::Bytes),
    ("owner", Kind::Id),
    ("rests_on", Kind::Int),
    ("settings", Kind::Int),
];

/// Reads runs with their turns in the form of [`read`]: from where, and which.
macro_rules! select_run {
    ($from:literal $(, $rest:literal)?) => {
        concat!(
            "SELECT r.id, r.tenant, r.partition_key, r.bundle, r.method, r.method_version, r.campaign, r.status, \
             r.outcome, r.seq, r.state_v, r.state, r.last_hash, r.last_at, r.created_at, r.ended_at, \
             t.due_at, t.expected_by, r.parent, t.stuck_on, coalesce(t.held, 0) FROM ",
            $from,
            " LEFT JOIN turn t ON t.run_id = r.id "
            $(, $rest)?
        )
    };
}

fn read(row: &Row) -> Result<RunRow, StoreError> {
    Ok(RunRow {
        id: row.id(0)?,
        tenant: row.text(1)?,
        request: row.opt_id(2)?,
        bundle: row.digest(3)?,
        method: row.text(4)?,
        version: row.int(5)?,
        campaign: row.int(6)?,
        status: row.text(7)?,
        outcome: row.opt_text(8)?,
        seq: row.int(9)?,
        state_v: row.int(10)?,
        state: row.json(11)?,
        last_hash: row.digest(12)?,
        last_at: row.at(13)?,
        created_at: row.at(14)?,
        ended_at: row.opt_at(15)?,
        due_at: row.opt_at(16)?,
        expected_by: row.opt_at(17)?,
        parent: row.opt_id(18)?,
        stuck_on: row.opt_text(19)?,
        held: row.flag(20)?,
    })
}

impl Tx {
    /// Inserts runs with their variables and turns, due now; those of [`Inserted::LeftOut`] are
    /// left out with everything of theirs. Answers in the order of `runs`.
    pub async fn insert_runs(&mut self, runs: &[NewRun]) -> Result<Vec<Inserted>, StoreError> {
        if runs.iter().any(|new| new.owner.is_none()) {
            self.note_due();
        }
        self.insert_quietly(&runs.iter().collect::<Vec<_>>()).await
    }

    /// The same without telling anyone that they are due. Keys are taken in the order of `runs`.
    pub(super) async fn insert_quietly(
        &mut self,
        runs: &[&NewRun],
    ) -> Result<Vec<Inserted>, StoreError> {
        self.holds(Part::Start);
        let mut rows = Rows::new(NEW_COLUMNS);
        for new in runs {
            let child = new.child_of;
            rows.push([
                new.id.into(),
                Param::from(&new.tenant),
                new.request.into(),
                new.bundle.into(),
                Param::from(&new.method),
                new.version.into(),
                new.campaign.into(),
                child.map(|child| child.parent).into(),
                child.map(|child| child.call).into(),
                child.map_or(0, |child| child.ordinal).into(),
                child.is_some_and(|child| child.branch).into(),
                new.start_key.as_deref().into(),
                new.state_v.into(),
                Param::from(&new.state),
                Digest::ZERO.into(),
                new.owner.into(),
                new.rests_on.into(),
                new.settings_version.into(),
            ]);
        }
        let now = self.now();
        let inserted = self
            .bulk(
                "INSERT INTO run (id, tenant, partition_key, bundle, method, method_version, campaign, shadow,
                    parent, parent_call, ordinal, branch, start_key, status, seq, state_v, state, last_hash, last_at, created_at)
                 SELECT id, tenant, request, bundle, method, version, campaign, 0,
                    parent, parent_call, ordinal, branch, start_key, 'pending', 0, state_v, state, hash, $1, $1
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
            inserted.iter().map(|row| row.id(0)).collect::<Result<_, _>>()?;
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
        let mut rows = Rows::new(&[("id", Kind::Id), ("tenant", Kind::Text), ("owner", Kind::Id)]);
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
            .map(|row| Ok((row.id(0)?, row.flag(1)?)))
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

    /// Looks again at the switch behind which turns were put, now that nobody can turn it before this
    /// transaction ends: a turn that is held although its tenant was resumed would be held for ever.
    async fn free_if_resumed(&mut self, tenant: &str, runs: Vec<RunId>) -> Result<(), StoreError> {
        if self.dialect() == Dialect::Sqlite || self.share_tenant(tenant).await? {
            return Ok(());
        }
        self.note_due();
        self.bulk_unless_empty(
            "UPDATE turn SET held = 0 WHERE run_id IN (SELECT id FROM {rows})",
            &run_rows(runs),
        )
        .await
    }

    async fn insert_first_vars(&mut self, runs: &[&NewRun]) -> Result<(), StoreError> {
        let mut rows = Rows::new(&[("id", Kind::Id), ("name", Kind::Text), ("value", Kind::Text)]);
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

    /// The run that a start key stands for.
    pub async fn run_by_key(
        &mut self,
        tenant: &str,
        key: Option<&str>,
    ) -> Result<Option<RunId>, StoreError> {
        let Some(key) = key else { return Ok(None) };
        let row = self
            .row("SELECT id FROM run WHERE tenant = $1 AND start_key = $2", &params![tenant, key])
            .await?;
        row.map(|row| row.id(0)).transpose()
    }

    /// Opens the turn of an ended run again, for `retry`: due now, one epoch on.
    pub async fn reopen_turn(&mut self, run: RunId) -> Result<bool, StoreError> {
        let now = self.now();
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
        if opened.flag(1)? {
            self.free_if_resumed(&opened.text(0)?, vec![run]).await?;
        }
        Ok(true)
    }

    /// A run with its turn.
    pub async fn run(&mut self, id: RunId) -> Result<Option<RunRow>, StoreError> {
        let row = self.row(select_run!("run r", "WHERE r.id = $1"), &params![id]).await?;
        row.as_ref().map(read).transpose()
    }

    /// The heads of some runs, with their turns.
    pub async fn runs_by_id(
        &mut self,
        ids: &[RunId],
    ) -> Result<BTreeMap<RunId, RunRow>, StoreError> {
        let rows = self
            .bulk(
                select_run!("{rows} JOIN run r ON r.id = v.id"),
                &[],
                &run_rows(ids.iter().copied()),
            )
            .await?;
        rows.iter().map(|row| read(row).map(|run| (run.id, run))).collect()
    }

    /// A tenant's runs, newest first.
    pub async fn runs(
        &mut self,
        tenant: &str,
        filter: &RunFilter,
        limit: i64,
    ) -> Result<Vec<RunRow>, StoreError> {
        let now = self.now();
        let stray = filter.stuck && self.holds_for_nothing(tenant).await?;
        let status = if filter.waiting { Some("waiting") } else { filter.status.as_deref() };
        let rows = self
            .rows(
                select_run!(
                    "run r",
                    "WHERE r.tenant = $1 AND r.branch = 0 AND ($2 IS NULL OR r.status = $2) AND ($3 IS NULL OR r.method = $3)
                     AND ($4 IS NULL OR r.partition_key = $4) AND ($5 IS NULL OR r.id < $5)
                     AND ($6 = 0 OR (t.held = 0 AND (t.expected_by < $7 OR t.stuck_on IS NOT NULL))
                        OR ($9 = 1 AND t.held = 1) OR r.id IN (
                        WITH RECURSIVE up(id, parent, branch) AS (
                            SELECT s.id, s.parent, s.branch FROM turn q JOIN run s ON s.id = q.run_id
                            WHERE q.tenant = $1 AND s.branch = 1
                            AND (q.held = 0 AND (q.expected_by < $7 OR q.stuck_on IS NOT NULL)
                                OR ($9 = 1 AND q.held = 1))
                            UNION SELECT p.id, p.parent, p.branch FROM up JOIN run p ON p.id = up.parent
                            WHERE up.branch = 1)
                        SELECT id FROM up WHERE branch = 0))
                     ORDER BY r.id DESC LIMIT $8"
                ),
                &params![
                    tenant,
                    status,
                    filter.method.as_deref(),
                    filter.request,
                    filter.before,
                    filter.stuck,
                    now,
                    limit,
                    stray
                ],
            )
            .await?;
        rows.iter().map(read).collect()
    }

    /// The live runs that go by these texts, after `after`, by id; branches left out.
    pub async fn runs_of_bundle(
        &mut self,
        (tenant, bundle): (&str, Digest),
        after: Option<RunId>,
        limit: i64,
    ) -> Result<Vec<RunRow>, StoreError> {
        let rows = self
            .rows(
                select_run!(
                    "run r",
                    "WHERE r.bundle = $2 AND r.ended_at IS NULL AND r.tenant = $1 AND r.branch = 0
                     AND ($3 IS NULL OR r.id > $3) ORDER BY r.id LIMIT $4"
                ),
                &params![tenant, bundle, after, limit],
            )
            .await?;
        rows.iter().map(read).collect()
    }

    /// The runs of a request that have not begun.
    pub async fn unbegun_runs(&mut self, request: RequestId) -> Result<Vec<RunId>, StoreError> {
        let rows = self
            .rows(
                "SELECT id FROM run
                 WHERE partition_key = $1 AND ended_at IS NULL AND status = 'pending' ORDER BY id",
                &params![request],
            )
            .await?;
        rows.iter().map(|row| row.id(0)).collect()
    }

    /// The live runs of a request.
    pub async fn live_runs(&mut self, request: RequestId) -> Result<Vec<RunRow>, StoreError> {
        let rows = self
            .rows(
                select_run!(
                    "run r",
                    "WHERE r.partition_key = $1 AND r.ended_at IS NULL AND r.branch = 0 ORDER BY r.id"
                ),
                &params![request],
            )
            .await?;
        rows.iter().map(read).collect()
    }
}
