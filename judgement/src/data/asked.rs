//! Rows of the texts that were asked, with what they bound the agent to.

use abide_agent::obligations::Obligation;
use abide_engine::base::{RowId, Timestamp, Value};
use abide_engine::params;
use abide_engine::store::{ColumnType, Param, Row, Rows, StoreError, Tx};
use abide_engine::words;
use serde_json::json;

words! {
    /// What has become of an obligation.
    pub enum ObligationStatus {
        /// It is being discharged.
        Active = "active",
        /// It is discharged.
        Resolved = "resolved",
        /// No tool discharges it; somebody may add one.
        Deferred = "deferred",
        /// It could not be discharged.
        Failed = "failed",
        /// Its time ended before it was discharged.
        Expired = "expired",
        /// The user no longer wants it.
        Cancelled = "cancelled",
    }
}

/// A request that is answered.
#[derive(Debug, Clone, PartialEq)]
pub struct AskRow {
    /// Id of the request.
    pub id: RowId,
    /// Key by which the request is known again.
    pub key: Option<String>,
    /// The user.
    pub user: String,
    /// The session.
    pub session: String,
    /// The text.
    pub text: String,
    /// What the text bound the agent to, as it was executed.
    pub dialogue: Vec<Obligation>,
    /// The answer, if there is one yet.
    pub answer: Option<String>,
    /// Whether the answer was verified.
    pub verified: bool,
    /// The trace.
    pub trace: Option<Value>,
    /// When it was asked first.
    pub at: Timestamp,
}

/// An obligation of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredObligation {
    /// Id of the obligation.
    pub id: RowId,
    /// The request.
    pub ask: RowId,
    /// What has become of it.
    pub status: ObligationStatus,
}

macro_rules! select_ask {
    ($rest:literal) => {
        concat!(
            "SELECT id, request_key, user_key, session, text, dialogue, answer, verified, trace, created_at
             FROM asked ",
            $rest
        )
    };
}
pub(super) use select_ask;

pub(super) fn read_ask(row: &Row) -> Result<AskRow, StoreError> {
    let trace = row.opt_text("trace")?;
    Ok(AskRow {
        id: row.id("id")?,
        key: row.opt_text("request_key")?,
        user: row.text("user_key")?,
        session: row.text("session")?,
        text: row.text("text")?,
        dialogue: serde_json::from_value(row.json("dialogue")?)
            .map_err(|error| StoreError::Corrupt(format!("dialogue: {error}")))?,
        answer: row.opt_text("answer")?,
        verified: row.flag("verified")?,
        trace: trace.and_then(|trace| serde_json::from_str(&trace).ok()),
        at: row.at("created_at")?,
    })
}

/// Inserts a request. Returns the earlier one with the same key, if there is one.
pub async fn put_ask(
    tx: &mut Tx,
    tenant: &str,
    new: &AskRow,
) -> Result<Option<AskRow>, StoreError> {
    let earlier = ask_by_key(tx, tenant, new.key.as_deref()).await?;
    if earlier.is_some() {
        return Ok(earlier);
    }
    let inserted = tx.execute(
        "INSERT INTO asked (id, tenant, request_key, user_key, session, text, dialogue, answer, verified, trace,
            created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, NULL, 0, NULL, $8)
         ON CONFLICT DO NOTHING",
        &params![
            new.id,
            tenant,
            new.key.as_deref(),
            &new.user,
            &new.session,
            &new.text,
            json!(new.dialogue).to_string(),
            new.at
        ],
    )
    .await?;
    match inserted {
        0 => ask_by_key(tx, tenant, new.key.as_deref()).await, // another process was faster
        _ => Ok(None),
    }
}

async fn ask_by_key(
    tx: &mut Tx,
    tenant: &str,
    key: Option<&str>,
) -> Result<Option<AskRow>, StoreError> {
    let Some(key) = key else { return Ok(None) };
    let sql = select_ask!("WHERE tenant = $1 AND request_key = $2");
    tx.row(sql, &params![tenant, key]).await?.map(|row| read_ask(&row)).transpose()
}

/// Reads a request, and locks it until the transaction ends.
pub async fn lock_ask(tx: &mut Tx, id: RowId) -> Result<Option<AskRow>, StoreError> {
    let sql = select_ask!("WHERE id = $1 {for_update}");
    tx.row(sql, &params![id]).await?.map(|row| read_ask(&row)).transpose()
}

/// Stores the answer to a request.
pub async fn answer(tx: &mut Tx, row: &AskRow) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE asked SET dialogue = $2, answer = $3, verified = $4, trace = $5 WHERE id = $1",
        &params![
            row.id,
            json!(row.dialogue).to_string(),
            row.answer.as_deref(),
            row.verified,
            row.trace.as_ref().map(Value::to_string)
        ],
    )
    .await
    .map(drop)
}

/// Returns a request of a tenant.
pub async fn ask(tx: &mut Tx, tenant: &str, id: RowId) -> Result<Option<AskRow>, StoreError> {
    let sql = select_ask!("WHERE id = $1 AND tenant = $2");
    tx.row(sql, &params![id, tenant]).await?.map(|row| read_ask(&row)).transpose()
}

/// Returns the request before this one in a session.
pub async fn latest_ask(
    tx: &mut Tx,
    tenant: &str,
    user_key: &str,
    session: &str,
    before: Option<RowId>,
) -> Result<Option<AskRow>, StoreError> {
    let sql = select_ask!(
        "WHERE tenant = $1 AND user_key = $2 AND session = $3 AND (id < $4 OR $4 IS NULL) AND answer IS NOT NULL
         ORDER BY id DESC LIMIT 1"
    );
    let row = tx.row(sql, &params![tenant, user_key, session, before]).await?;
    row.map(|row| read_ask(&row)).transpose()
}

/// Inserts the obligations of a request. If it has them already, because a process died before it answered, returns
/// those, so that a call that was made for one of them is not made again.
pub async fn put_obligations(
    tx: &mut Tx,
    tenant: &str,
    ask: RowId,
    obligations: &[Obligation],
    now: Timestamp,
) -> Result<Vec<RowId>, StoreError> {
    let known = obligations_of(tx, ask).await?;
    if !known.is_empty() {
        return Ok(known.into_iter().map(|stored| stored.id).collect());
    }
    let mut rows = Rows::new(&[
        ("id", ColumnType::Id),
        ("kind", ColumnType::Text),
        ("details", ColumnType::Text),
    ]);
    let mut ids = Vec::new();
    for obligation in obligations {
        let id: RowId = tx.mint();
        ids.push(id);
        rows.push([
            id.into(),
            Param::from(obligation.obligation_type.as_str()),
            Param::from(Value::Object(obligation.payload.clone()).to_string()),
        ]);
    }
    if !ids.is_empty() {
        tx.bulk(
            "INSERT INTO obligation (id, tenant, kind, details_jsonb, status, created_at, resolved_at, event_id)
             SELECT id, $1, kind, details, 'active', $2, NULL, $3 FROM {rows} WHERE true",
            &params![tenant, now, ask],
            &rows,
        )
        .await?;
    }
    Ok(ids)
}

/// Returns the obligations of a request, in the order in which its text names them.
pub async fn obligations_of(tx: &mut Tx, ask: RowId) -> Result<Vec<StoredObligation>, StoreError> {
    let sql = "SELECT id, status FROM obligation WHERE event_id = $1 ORDER BY id";
    let rows = tx.rows(sql, &params![ask]).await?;
    let read = |row: &Row| {
        let status = row.text("status")?;
        let status = ObligationStatus::parse(&status)
            .ok_or_else(|| StoreError::Corrupt(format!("an obligation is `{status}`")))?;
        Ok(StoredObligation { id: row.id("id")?, ask, status })
    };
    rows.iter().map(read).collect()
}

/// Returns what has become of an obligation.
pub async fn status(
    tx: &mut Tx,
    obligation: RowId,
) -> Result<Option<ObligationStatus>, StoreError> {
    let sql = "SELECT status FROM obligation WHERE id = $1";
    let row = tx.row(sql, &params![obligation]).await?;
    row.map(|row| row.text("status")).transpose().map(|word| ObligationStatus::parse(&word?))
}

/// Records what has become of an obligation.
pub async fn settle(
    tx: &mut Tx,
    obligation: RowId,
    status: ObligationStatus,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "UPDATE obligation SET status = $2, resolved_at = $3 WHERE id = $1";
    tx.execute(sql, &params![obligation, status.as_str(), now]).await.map(drop)
}
