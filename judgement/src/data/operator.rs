//! Rows of the operator: classifications and plans.

use abide_agent::operator::OperatorReading;
use abide_engine::base::{
    ClassificationId, CorrelationId, MessageId, PersonId, PlanId, Timestamp, Value,
};
use abide_engine::erasure::ERASED;
use abide_engine::params;
use abide_engine::planted::PlantedFault;
use abide_engine::quality::QualityVerdict;
use abide_engine::store::{Param, Row, StoreError, Tx};
use abide_engine::words;
use serde_json::Map;

use crate::operator::{Conflict, OperatorMode, RecordChoice, RunPlan};

words! {
    /// The last layer of a message that is stored.
    pub enum OperatorStage {
        /// The message is classified.
        Classified = "classified",
        /// The plan is stored, and is to run.
        Planned = "planned",
        /// The run of the plan has ended, and the person who texted is to be told.
        Ended = "ended",
        /// Nothing is left to do: the run of the plan is started, or nothing runs.
        Done = "done",
    }
}

/// A classified message.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassificationRow {
    /// Id of the classification.
    pub id: ClassificationId,
    /// Key by which the request is known again.
    pub key: Option<String>,
    /// The conversation.
    pub session: Option<String>,
    /// The text from which the message comes, if it was texted.
    pub inbound: Option<MessageId>,
    /// Who texted it.
    pub person: Option<PersonId>,
    /// What set it going.
    pub correlation: Option<CorrelationId>,
    /// The message.
    pub message: String,
    /// What was known besides it.
    pub context: Map<String, Value>,
    /// How far to go.
    pub mode: OperatorMode,
    /// Whether somebody who may approves the plan.
    pub consented: bool,
    /// The reading.
    pub reading: OperatorReading,
    /// The last layer that is stored.
    pub stage: OperatorStage,
    /// When another process does what is left to do, if this one does not.
    pub due_at: Option<Timestamp>,
    /// When it was classified.
    pub created_at: Timestamp,
}

/// A stored plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRow {
    /// The plan.
    pub plan: RunPlan,
    /// What the gates say about it.
    pub verdict: StoredVerdict,
    /// The text of the method that carries it out, if it may run.
    pub method: Option<String>,
    /// The plan whose effects it undoes.
    pub undoes: Option<PlanId>,
    /// When it was planned.
    pub created_at: Timestamp,
}

/// What the gates say about a plan.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct StoredVerdict {
    /// The quality gate.
    pub quality: QualityVerdict,
    /// The directive that refuses the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Conflict>,
    /// The reading as the evidence completed it.
    pub reading: OperatorReading,
    /// The records that a name fits, if it fits several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<RecordChoice>,
    /// What the plan would do, in the words in which somebody is asked to approve it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub says: String,
}

macro_rules! select_classification {
    ($rest:literal) => {
        concat!(
            "SELECT id, request_key, session, inbound, person, correlation, message, context, mode, consented, reading, stage,
                due_at, created_at FROM classification ",
            $rest
        )
    };
}
pub(super) use select_classification;

pub(super) fn read(row: &Row) -> Result<ClassificationRow, StoreError> {
    Ok(ClassificationRow {
        id: row.id("id")?,
        key: row.opt_text("request_key")?,
        session: row.opt_text("session")?,
        inbound: row.opt_id("inbound")?,
        person: row.opt_id("person")?,
        correlation: row.opt_id("correlation")?,
        message: row.text("message")?,
        context: row.json("context")?.as_object().cloned().unwrap_or_default(),
        mode: OperatorMode::parse(&row.text("mode")?).unwrap_or(OperatorMode::Analyze),
        consented: row.flag("consented")?,
        reading: parsed(row, "reading")?,
        stage: OperatorStage::parse(&row.text("stage")?).unwrap_or(OperatorStage::Done),
        due_at: row.opt_at("due_at")?,
        created_at: row.at("created_at")?,
    })
}

fn parsed<T: serde::de::DeserializeOwned>(row: &Row, name: &str) -> Result<T, StoreError> {
    serde_json::from_value(row.json(name)?)
        .map_err(|error| StoreError::Corrupt(format!("{name}: {error}")))
}

/// Inserts a classification. Returns the earlier one with the same key, if there is one.
pub async fn put_classification(
    tx: &mut Tx,
    tenant: &str,
    new: &ClassificationRow,
) -> Result<Option<ClassificationRow>, StoreError> {
    let key = new.key.as_deref().filter(|_| !PlantedFault::RequestKeyForgotten.is_active());
    if let Some(key) = key
        && let Some(earlier) = classification_by_key(tx, tenant, key).await?
    {
        return Ok(Some(earlier));
    }
    let of = &new.reading.classification;
    tx.note_timer();
    let inserted = tx.execute(
        "INSERT INTO classification (id, tenant, request_key, session, inbound, person, correlation, message, context, mode,
            consented, reading, intent, domain, risk, stage, due_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
         ON CONFLICT DO NOTHING",
        &params![
            new.id,
            tenant,
            key,
            new.session.as_deref(),
            new.inbound,
            new.person,
            new.correlation,
            &new.message,
            Value::Object(new.context.clone()).to_string(),
            new.mode.as_str(),
            new.consented,
            json(&new.reading),
            of.intent.as_str(),
            of.domain.as_str(),
            of.risk_tier.to_string(),
            new.stage.as_str(),
            new.due_at,
            new.created_at
        ],
    )
    .await?;
    match key {
        // Another process was faster.
        Some(key) if inserted == 0 => classification_by_key(tx, tenant, key).await,
        _ => Ok(None),
    }
}

/// Returns a classification of a tenant.
pub async fn classification(
    tx: &mut Tx,
    tenant: &str,
    id: ClassificationId,
) -> Result<Option<ClassificationRow>, StoreError> {
    let sql = select_classification!("WHERE id = $1 AND tenant = $2");
    tx.row(sql, &params![id, tenant]).await?.map(|row| read(&row)).transpose()
}

async fn classification_by_key(
    tx: &mut Tx,
    tenant: &str,
    key: &str,
) -> Result<Option<ClassificationRow>, StoreError> {
    let sql = select_classification!("WHERE tenant = $1 AND request_key = $2");
    tx.row(sql, &params![tenant, key]).await?.map(|row| read(&row)).transpose()
}

/// Returns the latest classification of a conversation.
pub async fn latest_of_session(
    tx: &mut Tx,
    tenant: &str,
    session: &str,
) -> Result<Option<ClassificationRow>, StoreError> {
    let sql = select_classification!("WHERE tenant = $1 AND session = $2 ORDER BY id DESC LIMIT 1");
    tx.row(sql, &params![tenant, session]).await?.map(|row| read(&row)).transpose()
}

/// Returns the last messages of a conversation, the oldest first.
pub async fn messages_of_session(
    tx: &mut Tx,
    tenant: &str,
    session: &str,
    limit: i64,
) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT message FROM classification WHERE tenant = $1 AND session = $2 ORDER BY id DESC LIMIT $3";
    let rows = tx.rows(sql, &params![tenant, session, limit]).await?;
    rows.iter().rev().map(|row| row.text("message")).collect()
}

/// Whether a request with this key has been classified.
pub async fn is_classified(tx: &mut Tx, tenant: &str, key: &str) -> Result<bool, StoreError> {
    let sql = "SELECT 1 AS found FROM classification WHERE tenant = $1 AND request_key = $2";
    Ok(tx.row(sql, &params![tenant, key]).await?.is_some())
}

/// Returns at most `limit` classifications of a tenant for which something is to be done by the instant `by`.
pub async fn due(
    tx: &mut Tx,
    tenant: &str,
    by: Timestamp,
    limit: i64,
) -> Result<Vec<ClassificationRow>, StoreError> {
    let sql = select_classification!(
        "WHERE tenant = $1 AND due_at IS NOT NULL AND due_at <= $2 ORDER BY due_at, id LIMIT $3"
    );
    let rows = tx.rows(sql, &params![tenant, by, limit]).await?;
    rows.iter().map(read).collect()
}

/// Records the last layer of a message that is stored, and when another process does what is left.
pub async fn set_stage(
    tx: &mut Tx,
    id: ClassificationId,
    stage: OperatorStage,
    due_at: Option<Timestamp>,
) -> Result<(), StoreError> {
    let sql = "UPDATE classification SET stage = $2, due_at = $3 WHERE id = $1";
    if due_at.is_some() {
        tx.note_timer();
    }
    tx.execute(sql, &params![id, stage.as_str(), due_at]).await.map(drop)
}

macro_rules! select_plan {
    ($rest:literal) => {
        concat!("SELECT body, verdict, method, undoes, created_at FROM run_plan ", $rest)
    };
}
pub(super) use select_plan;

pub(super) fn read_plan(row: &Row) -> Result<PlanRow, StoreError> {
    Ok(PlanRow {
        plan: parsed(row, "body")?,
        verdict: parsed(row, "verdict")?,
        method: row.opt_text("method")?,
        undoes: row.opt_id("undoes")?,
        created_at: row.at("created_at")?,
    })
}

/// Inserts a plan. Returns the earlier one of its classification, if there is one.
pub async fn put_plan(
    tx: &mut Tx,
    tenant: &str,
    row: &PlanRow,
) -> Result<Option<PlanRow>, StoreError> {
    let plan = &row.plan;
    let inserted = tx.execute(
        "INSERT INTO run_plan (id, tenant, classification, status, domain, risk, body, verdict, method, undoes,
            created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING",
        &params![
            plan.plan_id,
            tenant,
            plan.classification_id,
            plan.status.as_str(),
            plan.domain.as_str(),
            plan.estimated_risk.to_string(),
            json(plan),
            json(&row.verdict),
            row.method.as_deref(),
            row.undoes,
            row.created_at
        ],
    )
    .await?;
    match inserted {
        0 => plan_of(tx, plan.classification_id).await,
        _ => Ok(None),
    }
}

/// Returns a plan of a tenant.
pub async fn plan(tx: &mut Tx, tenant: &str, id: PlanId) -> Result<Option<PlanRow>, StoreError> {
    let sql = select_plan!("WHERE id = $1 AND tenant = $2");
    tx.row(sql, &params![id, tenant]).await?.map(|row| read_plan(&row)).transpose()
}

/// Returns the plan of a classification.
pub async fn plan_of(
    tx: &mut Tx,
    classification: ClassificationId,
) -> Result<Option<PlanRow>, StoreError> {
    let sql = select_plan!("WHERE classification = $1");
    tx.row(sql, &params![classification]).await?.map(|row| read_plan(&row)).transpose()
}

/// Records which plan another one makes up for.
pub async fn set_undoes(tx: &mut Tx, plan: PlanId, undone: PlanId) -> Result<(), StoreError> {
    let sql = "UPDATE run_plan SET undoes = $2 WHERE id = $1";
    tx.execute(sql, &params![plan, undone]).await.map(drop)
}

fn json<T: serde::Serialize>(value: &T) -> Param {
    Param::from(serde_json::to_value(value).unwrap_or(Value::Null).to_string())
}

/// Erases the texts of a session, whose sender is erased.
pub async fn forget_session(tx: &mut Tx, tenant: &str, session: &str) -> Result<(), StoreError> {
    let sql = "UPDATE classification SET message = $3 WHERE tenant = $1 AND session = $2";
    tx.execute(sql, &params![tenant, session, ERASED]).await.map(drop)
}
