//! Rows of the facts: entities, and assertions with their sources.

use abide_agent::obligations::memory::Memory;
use abide_engine::base::{CallId, RowId, Timestamp, Value};
use abide_engine::params;
use abide_engine::store::{Row, Rows, StoreError, Tx};
use serde_json::json;

/// Maximum number of facts that are remembered of one user.
const FACTS_MAX: i64 = 200;
/// The type of a person.
pub(super) const PERSON: &str = "person";
/// The type of a user: somebody who asks.
const USER: &str = "user";
/// The type of what an assertion of a computation is about.
const EXPRESSION: &str = "expression";
/// The predicate of an event in the calendar of a user.
const SCHEDULED: &str = "scheduled";
/// How the predicate of a fact begins that a user has told.
const TOLD: &str = "told.";

/// A fact that a user has told.
#[derive(Debug, Clone, Copy)]
pub struct ToldFact<'a> {
    /// The user.
    pub user: &'a str,
    /// What it is about, such as `name`.
    pub field: &'a str,
    /// What was told.
    pub value: &'a str,
    /// The call that saves it.
    pub call: CallId,
}

/// An event of a calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarEntry {
    /// What it is.
    pub event: String,
    /// When it begins.
    pub at: Timestamp,
}

/// An event to add to the calendar of a user.
#[derive(Debug, Clone, Copy)]
pub struct NewEvent<'a> {
    /// The user.
    pub user: &'a str,
    /// The event.
    pub entry: &'a CalendarEntry,
    /// The call that adds it.
    pub call: CallId,
}

/// A stored assertion with its source.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredAssertion {
    /// Id of the assertion.
    pub id: RowId,
    /// What it is about.
    pub subject: String,
    /// What is said about it.
    pub predicate: String,
    /// The value.
    pub object: String,
    /// Whether nothing has replaced it.
    pub is_current: bool,
    /// The kind of its source.
    pub source_kind: String,
    /// Where it comes from.
    pub source_uri: String,
}

/// Returns the id of an entity, and inserts it if it is new.
pub async fn entity(
    tx: &mut Tx,
    tenant: &str,
    kind: &str,
    key: &str,
    aliases: &Value,
) -> Result<RowId, StoreError> {
    let find = "SELECT id FROM entity WHERE tenant = $1 AND type = $2 AND key = $3";
    if let Some(row) = tx.row(find, &params![tenant, kind, key]).await? {
        return row.id("id");
    }
    let (id, now): (RowId, Timestamp) = (tx.mint(), tx.now());
    tx.execute(
        "INSERT INTO entity (id, tenant, type, key, alias_jsonb, created_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT DO NOTHING",
        &params![id, tenant, kind, key, aliases.to_string(), now],
    )
    .await?;
    let row = tx.row(find, &params![tenant, kind, key]).await?;
    row.map_or(Ok(id), |row| row.id("id"))
}

/// Returns the id of a user: somebody who asks.
pub(super) async fn user(tx: &mut Tx, tenant: &str, key: &str) -> Result<RowId, StoreError> {
    entity(tx, tenant, USER, key, &json!({ "aliases": ["User"] })).await
}

/// Inserts the source of assertions.
pub async fn source(
    tx: &mut Tx,
    tenant: &str,
    kind: &str,
    uri: &str,
    info: &Value,
) -> Result<RowId, StoreError> {
    let (id, now): (RowId, Timestamp) = (tx.mint(), tx.now());
    tx.execute(
        "INSERT INTO source (id, tenant, kind, uri, info_jsonb, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        &params![id, tenant, kind, uri, info.to_string(), now],
    )
    .await?;
    Ok(id)
}

/// What an assertion says, and from where.
struct NewAssertion<'a> {
    subject: RowId,
    predicate: &'a str,
    object: &'a str,
    source: RowId,
}

async fn assert(
    tx: &mut Tx,
    tenant: &str,
    new: &NewAssertion<'_>,
    now: Timestamp,
) -> Result<RowId, StoreError> {
    let id: RowId = tx.mint();
    tx.execute(
        "INSERT INTO assertion (id, tenant, subject_id, predicate, object, valid_from, valid_to, source_id)
         VALUES ($1, $2, $3, $4, $5, $6, NULL, $7)",
        &params![id, tenant, new.subject, new.predicate, new.object, now, new.source],
    )
    .await?;
    Ok(id)
}

/// Stores what the result of a tool stands for. A value that was computed again replaces the earlier one of the same
/// subject and predicate. Returns the ids of the assertions.
pub async fn assert_result(
    tx: &mut Tx,
    tenant: &str,
    tool: &str,
    receipt: &Value,
    now: Timestamp,
) -> Result<Vec<RowId>, StoreError> {
    let stands = receipt["result"]["assertions"].as_array().cloned().unwrap_or_default();
    if stands.is_empty() {
        return Ok(Vec::new());
    }
    let info = json!({ "receipt_id": receipt["id"], "call_id": receipt["call_id"] });
    let source = source(tx, tenant, "tool_run", &format!("tool:{tool}"), &info).await?;
    let mut ids = Vec::new();
    for one in &stands {
        let text = |name: &str| one[name].as_str().unwrap_or_default();
        let subject = text("subject");
        let subject =
            entity(tx, tenant, EXPRESSION, subject, &json!({ "aliases": [subject] })).await?;
        if let Some(same) = current(tx, tenant, subject, text("predicate"), text("object")).await? {
            ids.push(same);
            continue;
        }
        close(tx, tenant, subject, text("predicate"), now).await?;
        let new =
            NewAssertion { subject, predicate: text("predicate"), object: text("object"), source };
        ids.push(assert(tx, tenant, &new, now).await?);
    }
    Ok(ids)
}

/// Returns the assertion that says the same already.
async fn current(
    tx: &mut Tx,
    tenant: &str,
    subject: RowId,
    predicate: &str,
    object: &str,
) -> Result<Option<RowId>, StoreError> {
    let row = tx
        .row(
            "SELECT id FROM assertion WHERE tenant = $1 AND subject_id = $2 AND predicate = $3 AND object = $4
                AND valid_to IS NULL LIMIT 1",
            &params![tenant, subject, predicate, object],
        )
        .await?;
    row.map(|row| row.id("id")).transpose()
}

/// Ends what holds of a subject. Returns the assertions that held until now.
async fn close(
    tx: &mut Tx,
    tenant: &str,
    subject: RowId,
    predicate: &str,
    now: Timestamp,
) -> Result<Vec<RowId>, StoreError> {
    let rows = tx
        .rows(
            "UPDATE assertion SET valid_to = $4
             WHERE tenant = $1 AND subject_id = $2 AND predicate = $3 AND valid_to IS NULL RETURNING id",
            &params![tenant, subject, predicate, now],
        )
        .await?;
    rows.iter().map(|row| row.id("id")).collect()
}

/// Remembers a fact in place of an earlier one of the same field.
pub async fn save(
    tx: &mut Tx,
    tenant: &str,
    fact: &ToldFact<'_>,
    now: Timestamp,
) -> Result<RowId, StoreError> {
    let subject = user(tx, tenant, fact.user).await?;
    let info = json!({ "call_id": fact.call });
    let source = source(tx, tenant, "user", &format!("user:{}", fact.user), &info).await?;
    let predicate = format!("{TOLD}{}", fact.field);
    close(tx, tenant, subject, &predicate, now).await?;
    let new = NewAssertion { subject, predicate: &predicate, object: fact.value, source };
    assert(tx, tenant, &new, now).await
}

/// Forgets a fact. Returns the assertions that held until now.
pub async fn forget(
    tx: &mut Tx,
    tenant: &str,
    user_key: &str,
    field: &str,
    now: Timestamp,
) -> Result<Vec<RowId>, StoreError> {
    let subject = user(tx, tenant, user_key).await?;
    close(tx, tenant, subject, &format!("{TOLD}{field}"), now).await
}

/// Returns what a user has told last about a field.
pub async fn fact(
    tx: &mut Tx,
    tenant: &str,
    user_key: &str,
    field: &str,
) -> Result<Option<String>, StoreError> {
    let row = tx
        .row(
            "SELECT a.object FROM entity e {each assertion a} a.tenant = e.tenant AND a.subject_id = e.id
                AND a.predicate = $3 AND a.valid_to IS NULL {end each}
             WHERE e.tenant = $1 AND e.type = 'user' AND e.key = $2 ORDER BY a.id DESC LIMIT 1",
            &params![tenant, user_key, format!("{TOLD}{field}")],
        )
        .await?;
    row.map(|row| row.text("object")).transpose()
}

/// Returns everything that a user has told.
pub async fn memory(tx: &mut Tx, tenant: &str, user_key: &str) -> Result<Memory, StoreError> {
    let rows = tx
        .rows(
            "SELECT a.predicate, a.object FROM entity e {each assertion a} a.tenant = e.tenant
                AND a.subject_id = e.id AND a.predicate LIKE 'told.%' AND a.valid_to IS NULL {end each}
             WHERE e.tenant = $1 AND e.type = 'user' AND e.key = $2 ORDER BY a.id LIMIT $3",
            &params![tenant, user_key, FACTS_MAX],
        )
        .await?;
    let mut memory = Memory::default();
    for row in &rows {
        let predicate = row.text("predicate")?;
        memory.save(predicate.trim_start_matches(TOLD), &row.text("object")?);
    }
    Ok(memory)
}

/// Adds an event to the calendar of a user.
pub async fn schedule(
    tx: &mut Tx,
    tenant: &str,
    new: &NewEvent<'_>,
    now: Timestamp,
) -> Result<RowId, StoreError> {
    let NewEvent { user: user_key, entry, call } = new;
    let subject = user(tx, tenant, user_key).await?;
    let info = json!({ "call_id": call });
    let source = source(tx, tenant, "user", &format!("user:{user_key}"), &info).await?;
    let object = json!({ "event": entry.event, "at": entry.at.to_string() }).to_string();
    let new = NewAssertion { subject, predicate: SCHEDULED, object: &object, source };
    assert(tx, tenant, &new, now).await
}

/// Returns at most `limit` events of the calendar of a user, the latest added first.
pub async fn calendar(
    tx: &mut Tx,
    tenant: &str,
    user_key: &str,
    limit: i64,
) -> Result<Vec<CalendarEntry>, StoreError> {
    let rows = tx
        .rows(
            "SELECT a.object FROM entity e {each assertion a} a.tenant = e.tenant AND a.subject_id = e.id
                AND a.predicate = 'scheduled' AND a.valid_to IS NULL {end each}
             WHERE e.tenant = $1 AND e.type = 'user' AND e.key = $2 ORDER BY a.id DESC LIMIT $3",
            &params![tenant, user_key, limit],
        )
        .await?;
    let mut entries = Vec::new();
    for row in &rows {
        let stored = row.json("object")?;
        let at = stored["at"].as_str().and_then(|at| at.parse().ok());
        if let (Some(event), Some(at)) = (stored["event"].as_str(), at) {
            entries.push(CalendarEntry { event: event.to_owned(), at });
        }
    }
    Ok(entries)
}

/// Returns assertions by their ids, in no order that counts.
pub async fn assertions(
    tx: &mut Tx,
    tenant: &str,
    ids: &[RowId],
) -> Result<Vec<StoredAssertion>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = Rows::ids(ids);
    let found = tx
        .bulk(
            "SELECT a.id, e.key AS subject, a.predicate, a.object, a.valid_to, s.kind, s.uri FROM assertion a
             JOIN entity e ON e.id = a.subject_id JOIN source s ON s.id = a.source_id
             WHERE a.tenant = $1 AND a.id IN (SELECT v.id FROM {rows})",
            &params![tenant],
            &rows,
        )
        .await?;
    let read = |row: &Row| {
        Ok(StoredAssertion {
            id: row.id("id")?,
            subject: row.text("subject")?,
            predicate: row.text("predicate")?,
            object: row.text("object")?,
            is_current: row.opt_int("valid_to")?.is_none(),
            source_kind: row.text("kind")?,
            source_uri: row.text("uri")?,
        })
    };
    found.iter().map(read).collect()
}

/// Inserts the fact that an expression has a value, unless it is stored already.
pub async fn put_computed(
    tx: &mut Tx,
    tenant: &str,
    tool: &str,
    expression: &str,
    value: &str,
) -> Result<(), StoreError> {
    let now = tx.now();
    let aliases = json!({ "aliases": [expression] });
    let subject = entity(tx, tenant, EXPRESSION, expression, &aliases).await?;
    if current(tx, tenant, subject, "evaluatesTo", value).await?.is_some() {
        return Ok(());
    }
    let source = source(tx, tenant, "tool_run", &format!("tool:{tool}"), &json!({})).await?;
    let new = NewAssertion { subject, predicate: "evaluatesTo", object: value, source };
    assert(tx, tenant, &new, now).await.map(drop)
}
