//! Writes raw steps into the database, with one step or with many steps in each commit.

use abide_engine::base::Problem;
use abide_engine::store::Address;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;
use uuid::Uuid;

use super::conn::{Conn, with};
use super::rows::{Head, Receipt, RowIds, SampleRow};
use super::{BATCH, failed};
use crate::bench::content::STEPS;
use crate::bench::figures::{Rate, Stopwatch};

/// The tenant of raw rows, which distinguishes raw rows from the rows of the engine.
const TENANT: &str = "raw";

const HEAD: &str =
    "UPDATE run SET seq = seq + 1, status = 'running', state = $3, last_hash = $4, last_at = $5
    WHERE id = $1 AND seq = $2";
const RECEIPT: &str = "INSERT INTO ledger (id, stream, seq, tenant, kind, at, run_id, call_id, tool, status, body, hash)
    VALUES ($1, $2, $3, $4, 'receipt', $5, $2, $6, 'noop', 'succeeded', $7, $8)";
const NEW_HEAD: &str =
    "INSERT INTO run (id, tenant, bundle, method, method_version, campaign, shadow, ordinal, branch,
    status, seq, state_v, state, last_hash, last_at, created_at)
    VALUES ($1, $2, $3, 'noops', 1, 1, 0, 0, 0, 'running', 0, 1, $4, $3, $5, $5)";
const WRITTEN: &str = "SELECT CAST((SELECT COUNT(*) FROM ledger WHERE tenant = $1) AS BIGINT),
    CAST((SELECT coalesce(SUM(seq), 0) FROM run WHERE tenant = $1) AS BIGINT)";
const RECEIPTS: &str = "SELECT COUNT(*) FROM ledger WHERE kind = 'receipt' AND tenant <> $1";
const TURNS: &str = "SELECT COUNT(*) FROM turn WHERE tenant <> $1";
const WAITING: &str = "SELECT COUNT(*) FROM turn JOIN run ON run.id = turn.run_id
    WHERE turn.tenant <> $1 AND run.status = 'waiting'";
const SAMPLE: &str = "SELECT run.state, ledger.body FROM ledger JOIN run ON run.id = ledger.run_id
    WHERE ledger.kind = 'receipt' AND ledger.tenant <> $1 ORDER BY ledger.id DESC LIMIT 1";

const HEADS_SQLITE: &str = "UPDATE run SET seq = run.seq + 1, status = 'running', state = v.state,
    last_hash = v.hash, last_at = v.at
    FROM (SELECT unhex(value->>0) AS id, value->>1 AS seq, value->>2 AS state, unhex(value->>3) AS hash,
        value->>4 AS at FROM jsonb_each($1)) AS v WHERE run.id = v.id AND run.seq = v.seq";
const RECEIPTS_SQLITE: &str = "INSERT INTO ledger (id, stream, seq, tenant, kind, at, run_id, call_id, tool, status, body, hash)
    SELECT unhex(value->>0), unhex(value->>1), value->>2, $2, 'receipt', value->>3, unhex(value->>1),
        unhex(value->>4), 'noop', 'succeeded', value->>5, unhex(value->>6) FROM jsonb_each($1)";
const HEADS_POSTGRES: &str = "UPDATE run SET seq = run.seq + 1, status = 'running', state = v.state,
    last_hash = v.hash, last_at = v.at
    FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::bytea[], $5::bigint[]) AS v(id, seq, state, hash, at)
    WHERE run.id = v.id AND run.seq = v.seq";
const RECEIPTS_POSTGRES: &str = "INSERT INTO ledger (id, stream, seq, tenant, kind, at, run_id, call_id, tool, status, body, hash)
    SELECT id, stream, seq, $1, 'receipt', at, stream, call, 'noop', 'succeeded', body, hash
    FROM unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[], $6::uuid[], $7::text[], $8::bytea[])
        AS v(id, stream, seq, at, call, body, hash)";

/// Writer of raw steps: a database connection without the engine, and the heads that the writer advances.
pub(in crate::bench) struct RawWriter {
    conn: Conn,
    ids: RowIds,
    heads: Vec<Head>,
    sample: Option<SampleRow>,
    written: u64,
}

impl RawWriter {
    /// Connects to the database with the same settings as the engine's writer.
    pub(in crate::bench) async fn connect(address: &Address, seed: u64) -> Result<Self, Problem> {
        let conn = Conn::open(address).await?;
        let ids = RowIds::seeded(seed);
        Ok(Self { conn, ids, heads: Vec::new(), sample: None, written: 0 })
    }

    /// Counts the receipts that the engine has stored, to check the reported number of steps.
    pub(in crate::bench) async fn count_receipts(&mut self) -> Result<u64, Problem> {
        self.count(RECEIPTS).await
    }

    /// Counts the live runs of the engine.
    pub(in crate::bench) async fn count_turns(&mut self) -> Result<u64, Problem> {
        self.count(TURNS).await
    }

    /// Polls until at least `n` runs of the engine wait.
    pub(in crate::bench) async fn until_waiting(&mut self, n: u64) -> Result<(), Problem> {
        while self.count(WAITING).await? < n {
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    async fn count(&mut self, question: &'static str) -> Result<u64, Problem> {
        let found: Result<i64, _> = with!(&mut self.conn, conn => {
            sqlx::query_scalar(question).bind(TENANT).fetch_one(conn).await
        });
        Ok(u64::try_from(found.map_err(failed("count"))?).unwrap_or(0))
    }

    /// Reads the latest step that the engine wrote. The rows of the raw steps contain copies of its data.
    pub(in crate::bench) async fn sample_engine_step(&mut self) -> Result<(), Problem> {
        let found: Result<(String, String), _> = with!(&mut self.conn, conn => {
            sqlx::query_as(SAMPLE).bind(TENANT).fetch_one(conn).await
        });
        let (state, body) = found.map_err(failed("read a step back"))?;
        self.sample = Some(SampleRow { state, body });
        Ok(())
    }

    /// Writes single steps, each with its own commit, one run after another, until the limit is reached.
    pub(in crate::bench) async fn write_singles(
        &mut self,
        limit: MeasureLimit,
    ) -> Result<Rate, Problem> {
        let mut rate = Rate::default();
        while limit.allows(rate) {
            for ix in 0..self.replace_heads().await? {
                for _ in 0..STEPS {
                    let clock = Stopwatch::started();
                    self.write_one(ix).await?;
                    rate = rate.and(Rate { n: 1, took: clock.elapsed() });
                }
                if !limit.allows(rate) {
                    break;
                }
            }
        }
        Ok(rate)
    }

    /// Writes steps until the limit is reached; each commit holds one step of each of [`BATCH`] runs.
    pub(in crate::bench) async fn write_batches(
        &mut self,
        limit: MeasureLimit,
    ) -> Result<Rate, Problem> {
        let mut rate = Rate::default();
        while limit.allows(rate) {
            self.replace_heads().await?;
            for _ in 0..STEPS {
                let clock = Stopwatch::started();
                self.write_batch().await?;
                rate = rate.and(Rate { n: BATCH as u64, took: clock.elapsed() });
            }
        }
        Ok(rate)
    }

    /// Replaces the runs by new runs. A run makes [`STEPS`] steps and is then replaced, because a run of
    /// the engine ends after the same number of steps. If the old runs continued instead, the further
    /// events in their streams would make the index more expensive than it is in the engine. Returns the
    /// number of new runs.
    async fn replace_heads(&mut self) -> Result<usize, Problem> {
        let state = self.sample()?.state;
        self.heads.clear();
        self.conn.begin().await?;
        for _ in 0..BATCH {
            let head = self.ids.head();
            let (digest, now) = (vec![0_u8; 32], self.ids.receipt().at);
            let made = with!(&mut self.conn, conn => {
                sqlx::query(NEW_HEAD).bind(head.run).bind(TENANT).bind(digest).bind(&state)
                    .bind(now).execute(conn).await.map(drop)
            });
            made.map_err(failed("insert a head"))?;
            self.heads.push(head);
        }
        self.conn.commit().await?;
        Ok(BATCH)
    }

    /// Checks that all written rows are in the database.
    ///
    /// # Errors
    /// Reports a bug if rows are missing.
    pub(in crate::bench) async fn verify_rows(&mut self) -> Result<(), Problem> {
        let found: Result<(i64, i64), _> = with!(&mut self.conn, conn => {
            sqlx::query_as(WRITTEN).bind(TENANT).fetch_one(conn).await
        });
        let (receipts, moves) = found.map_err(failed("count"))?;
        let wanted = i64::try_from(self.written).unwrap_or(i64::MAX);
        if (receipts, moves) == (wanted, wanted) {
            return Ok(());
        }
        Err(Problem::bug("raw rows are missing in the database").with_detail(format!(
            "{wanted} steps written, {receipts} receipts and {moves} moves read back"
        )))
    }

    async fn write_one(&mut self, ix: usize) -> Result<(), Problem> {
        let (head, sample) = (self.advance(ix), self.sample()?);
        let receipt = self.ids.receipt();
        let hash = receipt.hash.to_vec();
        self.conn.begin().await?;
        let written = with!(&mut self.conn, conn => {
            let moved = sqlx::query(HEAD).bind(head.run).bind(head.seq).bind(&sample.state)
                .bind(hash.clone()).bind(receipt.at).execute(&mut *conn).await;
            match moved {
                Ok(_) => sqlx::query(RECEIPT).bind(receipt.id).bind(head.run).bind(head.seq + 1)
                    .bind(TENANT).bind(receipt.at).bind(receipt.call).bind(&sample.body).bind(hash)
                    .execute(conn).await.map(drop),
                Err(error) => Err(error),
            }
        });
        written.map_err(failed("write a step"))?;
        self.written += 1;
        self.conn.commit().await
    }

    async fn write_batch(&mut self) -> Result<(), Problem> {
        let sample = self.sample()?;
        let steps: Vec<(Head, Receipt)> =
            (0..BATCH).map(|ix| (self.advance(ix), self.ids.receipt())).collect();
        self.conn.begin().await?;
        let written = match &mut self.conn {
            Conn::Sqlite(conn) => write_batch_sqlite(conn, &steps, &sample).await,
            Conn::Postgres(conn) => write_batch_postgres(conn, &steps, &sample).await,
        };
        written.map_err(failed("write a batch of steps"))?;
        self.written += BATCH as u64;
        self.conn.commit().await
    }

    fn sample(&self) -> Result<SampleRow, Problem> {
        self.sample.clone().ok_or_else(|| Problem::bug("there is no sample step"))
    }

    /// Advances a head by one step, and returns the previous head.
    fn advance(&mut self, ix: usize) -> Head {
        let before = self.heads[ix];
        self.heads[ix].seq += 1;
        before
    }
}

/// Limits of a measurement: maximum time, and maximum number of operations.
#[derive(Debug, Clone, Copy)]
pub(in crate::bench) struct MeasureLimit {
    /// Maximum time of the measurement.
    pub(in crate::bench) time: std::time::Duration,
    /// Maximum number of operations.
    pub(in crate::bench) count: u64,
}

impl MeasureLimit {
    pub(in crate::bench) fn allows(self, done: Rate) -> bool {
        done.n < self.count && done.took < self.time
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn write_batch_sqlite(
    conn: &mut SqliteConnection,
    steps: &[(Head, Receipt)],
    sample: &SampleRow,
) -> Result<(), sqlx::Error> {
    let id = |id: &Uuid| hex(id.as_bytes());
    let heads: Vec<_> = steps
        .iter()
        .map(|(h, r)| serde_json::json!([id(&h.run), h.seq, sample.state, hex(&r.hash), r.at]))
        .collect();
    let receipts: Vec<_> = steps
        .iter()
        .map(|(h, r)| {
            serde_json::json!([
                id(&r.id),
                id(&h.run),
                h.seq + 1,
                r.at,
                id(&r.call),
                sample.body,
                hex(&r.hash)
            ])
        })
        .collect();
    let heads = serde_json::Value::from(heads).to_string();
    let receipts = serde_json::Value::from(receipts).to_string();
    sqlx::query(HEADS_SQLITE).bind(heads).execute(&mut *conn).await?;
    sqlx::query(RECEIPTS_SQLITE).bind(receipts).bind(TENANT).execute(conn).await.map(drop)
}

async fn write_batch_postgres(
    conn: &mut PgConnection,
    steps: &[(Head, Receipt)],
    sample: &SampleRow,
) -> Result<(), sqlx::Error> {
    fn column<T>(steps: &[(Head, Receipt)], of: impl Fn(&(Head, Receipt)) -> T) -> Vec<T> {
        steps.iter().map(of).collect()
    }
    sqlx::query(HEADS_POSTGRES)
        .bind(column(steps, |(h, _)| h.run))
        .bind(column(steps, |(h, _)| h.seq))
        .bind(column(steps, |_| sample.state.clone()))
        .bind(column(steps, |(_, r)| r.hash.to_vec()))
        .bind(column(steps, |(_, r)| r.at))
        .execute(&mut *conn)
        .await?;
    sqlx::query(RECEIPTS_POSTGRES)
        .bind(TENANT)
        .bind(column(steps, |(_, r)| r.id))
        .bind(column(steps, |(h, _)| h.run))
        .bind(column(steps, |(h, _)| h.seq + 1))
        .bind(column(steps, |(_, r)| r.at))
        .bind(column(steps, |(_, r)| r.call))
        .bind(column(steps, |_| sample.body.clone()))
        .bind(column(steps, |(_, r)| r.hash.to_vec()))
        .execute(conn)
        .await
        .map(drop)
}
