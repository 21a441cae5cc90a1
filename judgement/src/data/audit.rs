//! Reads what the judgement has stored for a tenant, whole, so that checks can look at all of it.

use abide_agent::agenda::AgendaGoal;
use abide_engine::base::ClassificationId;
use abide_engine::params;
use abide_engine::store::{Row, StoreError, Tx};

use super::agenda::{JournalRow, SessionKey, read_entry, read_goal};
use super::asked::{AskRow, StoredObligation, obligations_of, read_ask, select_ask};
use super::operator::{ClassificationRow, PlanRow, read, read_plan};
use super::operator::{select_classification, select_plan};
use super::standing::{self, StandingRow};

/// Maximum number of rows that one query returns.
const PAGE: i64 = 500;

/// A message to the operator, with its plan.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedPlan {
    /// The message.
    pub classification: ClassificationRow,
    /// The plan; `None` if the message was not planned.
    pub planned: Option<PlanRow>,
}

/// A goal with its conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredGoal {
    /// The conversation.
    pub key: SessionKey,
    /// The goal.
    pub goal: AgendaGoal,
}

/// An entry of the journal with its conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEntry {
    /// The conversation.
    pub key: SessionKey,
    /// The entry.
    pub entry: JournalRow,
}

/// What the judgement has stored for a tenant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredJudgement {
    /// The messages to the operator, oldest first.
    pub plans: Vec<AskedPlan>,
    /// The requests, by user and session and then oldest first.
    pub asks: Vec<AskRow>,
    /// The obligations of the requests.
    pub obligations: Vec<StoredObligation>,
    /// The orders that runs keep up or bring about, ended ones too.
    pub orders: Vec<StandingRow>,
    /// All goals, ended ones too.
    pub goals: Vec<StoredGoal>,
    /// The journal of all conversations, by session and then oldest first.
    pub journal: Vec<StoredEntry>,
    /// The conversation of each turn that is not evaluated yet.
    pub turns: Vec<SessionKey>,
}

/// Reads what the judgement has stored for a tenant.
///
/// # Errors
/// Errors from the store.
pub async fn stored(tx: &mut Tx, tenant: &str) -> Result<StoredJudgement, StoreError> {
    let mut plans = Vec::new();
    for classification in classifications(tx, tenant).await? {
        let planned = tx
            .row(select_plan!("WHERE classification = $1"), &params![classification.id])
            .await?
            .map(|row| read_plan(&row))
            .transpose()?;
        plans.push(AskedPlan { classification, planned });
    }
    let sql = select_ask!("WHERE tenant = $1 ORDER BY user_key, session, id");
    let asks = tx.rows(sql, &params![tenant]).await?;
    let asks: Vec<AskRow> = asks.iter().map(read_ask).collect::<Result<_, _>>()?;
    let mut obligations = Vec::new();
    for ask in &asks {
        obligations.extend(obligations_of(tx, ask.id).await?);
    }
    let orders = standing::all(tx, tenant).await?;
    let (goals, journal) = (goals(tx, tenant).await?, journal(tx, tenant).await?);
    let sql = "SELECT user_key, session FROM agenda_turn WHERE tenant = $1 ORDER BY due_at, id";
    let turns = tx.rows(sql, &params![tenant]).await?;
    let turns = turns.iter().map(session_key).collect::<Result<_, _>>()?;
    Ok(StoredJudgement { plans, asks, obligations, orders, goals, journal, turns })
}

async fn classifications(tx: &mut Tx, tenant: &str) -> Result<Vec<ClassificationRow>, StoreError> {
    let mut found: Vec<ClassificationRow> = Vec::new();
    let mut after: Option<ClassificationId> = None;
    loop {
        let sql = select_classification!(
            "WHERE (id > $2 OR $2 IS NULL) AND tenant = $1 ORDER BY id LIMIT $3"
        );
        let rows = tx.rows(sql, &params![tenant, after, PAGE]).await?;
        for row in &rows {
            found.push(read(row)?);
        }
        after = found.last().map(|row| row.id);
        if (rows.len() as i64) < PAGE {
            return Ok(found);
        }
    }
}

async fn goals(tx: &mut Tx, tenant: &str) -> Result<Vec<StoredGoal>, StoreError> {
    let rows = tx
        .rows(
            "SELECT user_key, session, id, goal_type, parent_goal_id, status, priority, description, next_action, slots,
                ignored_answers, created_at, updated_at FROM conversation_goals WHERE tenant = $1
             ORDER BY user_key, session, id",
            &params![tenant],
        )
        .await?;
    let read = |row: &Row| Ok(StoredGoal { key: session_key(row)?, goal: read_goal(row)? });
    rows.iter().map(read).collect()
}

async fn journal(tx: &mut Tx, tenant: &str) -> Result<Vec<StoredEntry>, StoreError> {
    let rows = tx
        .rows(
            "SELECT id, user_key, session, goal, event_type, payload, created_at FROM conversation_goal_journal
             WHERE tenant = $1 ORDER BY session, id",
            &params![tenant],
        )
        .await?;
    let read = |row: &Row| Ok(StoredEntry { key: session_key(row)?, entry: read_entry(row)? });
    rows.iter().map(read).collect()
}

fn session_key(row: &Row) -> Result<SessionKey, StoreError> {
    Ok(SessionKey { user: row.text("user_key")?, session: row.text("session")? })
}
