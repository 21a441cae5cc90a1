//! Rows of the facts: entities, their relations and modifiers, assertions with their sources, and requests with their
//! obligations.

use std::collections::BTreeMap;

use abide_agent::obligations::Obligation;
use abide_agent::obligations::memory::Memory;
use abide_agent::obligations::people::KnownPerson;
use abide_engine::base::{CallId, RowId, Timestamp, Value};
use abide_engine::params;
use abide_engine::store::{ColumnType, Param, Row, Rows, StoreError, Tx};
use abide_engine::words;
use serde_json::json;

/// Maximum number of people whom one question is asked of.
const PEOPLE_MAX: i64 = 2_000;
/// Maximum number of facts that are remembered of one user.
const FACTS_MAX: i64 = 200;
/// The type of a person.
const PERSON: &str = "person";
/// The type of a user: somebody who asks.
const USER: &str = "user";
/// The type of what an assertion of a computation is about.
const EXPRESSION: &str = "expression";
/// The predicate of an event in the calendar of a user.
const SCHEDULED: &str = "scheduled";
/// How the predicate of a fact begins that a user has told.
const TOLD: &str = "told.";

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
    }
}

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

async fn user(tx: &mut Tx, tenant: &str, key: &str) -> Result<RowId, StoreError> {
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
        "INSERT INTO assertion (id, tenant, subject_id, predicate, object, confidence, valid_from, valid_to, source_id)
         VALUES ($1, $2, $3, $4, $5, 1.0, $6, NULL, $7)",
        &params![id, tenant, new.subject, new.predicate, new.object, now, new.source],
    )
    .await?;
    Ok(id)
}

/// Stores what the result of a tool stands for. A value that was computed anew replaces the earlier one of the same
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

async fn close(
    tx: &mut Tx,
    tenant: &str,
    subject: RowId,
    predicate: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let changed = tx
        .execute(
            "UPDATE assertion SET valid_to = $4
             WHERE tenant = $1 AND subject_id = $2 AND predicate = $3 AND valid_to IS NULL",
            &params![tenant, subject, predicate, now],
        )
        .await?;
    Ok(changed > 0)
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

/// Forgets a fact. Returns whether there was one.
pub async fn forget(
    tx: &mut Tx,
    tenant: &str,
    user_key: &str,
    field: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
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
            "SELECT a.object FROM entity e JOIN assertion a ON a.tenant = e.tenant AND a.subject_id = e.id
             WHERE e.tenant = $1 AND e.type = 'user' AND e.key = $2 AND a.predicate = $3 AND a.valid_to IS NULL
             ORDER BY a.id DESC LIMIT 1",
            &params![tenant, user_key, format!("{TOLD}{field}")],
        )
        .await?;
    row.map(|row| row.text("object")).transpose()
}

/// Returns everything that a user has told.
pub async fn memory(tx: &mut Tx, tenant: &str, user_key: &str) -> Result<Memory, StoreError> {
    let rows = tx
        .rows(
            "SELECT a.predicate, a.object FROM entity e
             JOIN assertion a ON a.tenant = e.tenant AND a.subject_id = e.id
             WHERE e.tenant = $1 AND e.type = 'user' AND e.key = $2 AND a.valid_to IS NULL
                AND a.predicate LIKE 'told.%' ORDER BY a.id LIMIT $3",
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
    user_key: &str,
    entry: &CalendarEntry,
    call: CallId,
    now: Timestamp,
) -> Result<RowId, StoreError> {
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
            "SELECT a.object FROM entity e JOIN assertion a ON a.tenant = e.tenant AND a.subject_id = e.id
             WHERE e.tenant = $1 AND e.type = 'user' AND e.key = $2 AND a.predicate = 'scheduled'
                AND a.valid_to IS NULL ORDER BY a.id DESC LIMIT $3",
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

/// Returns the people of the contacts database: those of the facts, and those of the directory with their roles.
pub async fn people(tx: &mut Tx, tenant: &str) -> Result<Vec<KnownPerson>, StoreError> {
    let mut people: BTreeMap<String, KnownPerson> = BTreeMap::new();
    let rows = tx
        .rows(
            "SELECT e.id, e.key, m.key AS of, m.value FROM entity e
             LEFT JOIN modifier m ON m.tenant = e.tenant AND m.target_id = e.id
             WHERE e.tenant = $1 AND e.type = 'person' ORDER BY e.id, m.key LIMIT $2",
            &params![tenant, PEOPLE_MAX],
        )
        .await?;
    let mut names: Vec<String> = Vec::new();
    let mut by_id: BTreeMap<RowId, String> = BTreeMap::new();
    for row in &rows {
        let name = row.text("key")?;
        by_id.insert(row.id("id")?, name.clone());
        if !people.contains_key(&name) {
            names.push(name.clone());
        }
        let person = people.entry(name.clone()).or_default();
        person.name = name;
        match (row.opt_text("of")?.as_deref(), row.opt_text("value")?) {
            (Some("city"), value) => person.city = value,
            (Some("email"), value) => person.email = value,
            (Some("role"), Some(value)) => person.roles.push(value),
            _ => {}
        }
    }
    let friends = tx
        .rows(
            "SELECT dst_id FROM relation WHERE tenant = $1 AND rel_type = 'friend' LIMIT $2",
            &params![tenant, PEOPLE_MAX],
        )
        .await?;
    for row in &friends {
        if let Some(person) = by_id.get(&row.id("dst_id")?).and_then(|name| people.get_mut(name)) {
            person.is_friend = true;
        }
    }
    let filter =
        abide_verbs::data::person::PersonFilter { limit: PEOPLE_MAX, ..Default::default() };
    for known in abide_verbs::data::person::list(tx, tenant, &filter).await? {
        if !people.contains_key(&known.name) {
            names.push(known.name.clone());
        }
        let person = people.entry(known.name.clone()).or_default();
        person.name = known.name;
        person.city = person.city.take().or(known.campus);
        person.email = person.email.take().or(known.email);
        for role in known.roles {
            if !person.roles.contains(&role) {
                person.roles.push(role);
            }
        }
    }
    Ok(names.iter().filter_map(|name| people.remove(name)).collect())
}

/// A person to add to the contacts database.
#[derive(Debug, Clone, Copy)]
pub struct NewContact<'a> {
    /// The name.
    pub name: &'a str,
    /// The city.
    pub city: &'a str,
    /// Whether the person is a friend of the users.
    pub is_friend: bool,
}

/// Adds people to the contacts database. Those who are in it already stay as they are.
pub async fn put_contacts(
    tx: &mut Tx,
    tenant: &str,
    contacts: &[NewContact<'_>],
) -> Result<(), StoreError> {
    let asking = user(tx, tenant, "demo").await?;
    for contact in contacts {
        let aliases = json!({ "aliases": [contact.name] });
        let id = entity(tx, tenant, PERSON, contact.name, &aliases).await?;
        let (modifier, relation): (RowId, RowId) = (tx.mint(), tx.mint());
        tx.execute(
            "INSERT INTO modifier (id, tenant, target_kind, target_id, key, value, unit)
             VALUES ($1, $2, 'entity', $3, 'city', $4, NULL) ON CONFLICT DO NOTHING",
            &params![modifier, tenant, id, contact.city],
        )
        .await?;
        if contact.is_friend {
            tx.execute(
                "INSERT INTO relation (id, tenant, src_id, rel_type, dst_id, attrs_jsonb)
                 VALUES ($1, $2, $3, 'friend', $4, '{}') ON CONFLICT DO NOTHING",
                &params![relation, tenant, asking, id],
            )
            .await?;
        }
    }
    Ok(())
}

macro_rules! select_ask {
    ($rest:literal) => {
        concat!(
            "SELECT id, request_key, user_key, session, text, dialogue, answer, verified, trace FROM asked ",
            $rest
        )
    };
}

fn read_ask(row: &Row) -> Result<AskRow, StoreError> {
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
    })
}

/// Inserts a request. Returns the earlier one with the same key, if there is one.
pub async fn put_ask(
    tx: &mut Tx,
    tenant: &str,
    new: &AskRow,
    now: Timestamp,
) -> Result<Option<AskRow>, StoreError> {
    if let Some(key) = &new.key {
        let sql = select_ask!("WHERE tenant = $1 AND request_key = $2");
        if let Some(row) = tx.row(sql, &params![tenant, key]).await? {
            return read_ask(&row).map(Some);
        }
    }
    tx.execute(
        "INSERT INTO asked (id, tenant, request_key, user_key, session, text, dialogue, answer, verified, trace,
            created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, NULL, 0, NULL, $8)",
        &params![
            new.id,
            tenant,
            new.key.as_deref(),
            &new.user,
            &new.session,
            &new.text,
            json!(new.dialogue).to_string(),
            now
        ],
    )
    .await?;
    Ok(None)
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

/// Returns the request before this one in a session.
pub async fn latest_ask(
    tx: &mut Tx,
    tenant: &str,
    user_key: &str,
    session: &str,
    before: Option<RowId>,
) -> Result<Option<AskRow>, StoreError> {
    let sql = select_ask!(
        "WHERE tenant = $1 AND user_key = $2 AND session = $3 AND ($4 IS NULL OR id < $4) AND answer IS NOT NULL
         ORDER BY id DESC LIMIT 1"
    );
    let row = tx.row(sql, &params![tenant, user_key, session, before]).await?;
    row.map(|row| read_ask(&row)).transpose()
}

/// Inserts the obligations of a request.
pub async fn put_obligations(
    tx: &mut Tx,
    tenant: &str,
    ask: RowId,
    obligations: &[Obligation],
    now: Timestamp,
) -> Result<Vec<RowId>, StoreError> {
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

/// Returns assertions by their ids, in no order that counts.
pub async fn assertions(
    tx: &mut Tx,
    tenant: &str,
    ids: &[RowId],
) -> Result<Vec<StoredAssertion>, StoreError> {
    let mut rows = Rows::new(&[("id", ColumnType::Id)]);
    ids.iter().for_each(|id| rows.push([(*id).into()]));
    if ids.is_empty() {
        return Ok(Vec::new());
    }
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
