//! Shows the goals of sessions and their journal.

use std::sync::Arc;

use abide_agent::agenda::{Agenda, AgendaGoal};
use abide_engine::base::{Problem, RowId, Timestamp, Value, limits};
use abide_engine::store::Tx;
use serde::Serialize;
use utoipa::ToSchema;

use super::cache::GoalCache;
use crate::data::agenda::{self as data, SessionKey};

/// Maximum number of users of one session whose goals are listed.
const USERS_MAX: i64 = 100;

/// The goals of a session.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct GoalList {
    /// The active goals of all its users, for each user the best first.
    #[schema(value_type = Vec<Object>)]
    pub items: Vec<UserGoal>,
    /// The ids of the goals that an assistant is shown: at most three for each user.
    pub stack: Vec<i64>,
}

/// A goal of one user.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UserGoal {
    /// The user.
    pub user: String,
    /// The goal.
    #[serde(flatten)]
    pub goal: AgendaGoal,
}

/// An entry of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct JournalEntryView {
    /// Id of the entry.
    pub id: String,
    /// The user.
    pub user: String,
    /// What happened: `seeded`, `created`, `updated`, `completed`, `abandoned`, `promoted` or `snapshot`.
    pub event: String,
    /// The goal that it happened to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<i64>,
    /// The details.
    #[schema(value_type = Object)]
    pub payload: Value,
    /// When it happened (RFC 3339).
    #[schema(format = DateTime)]
    pub at: String,
}

/// Returns the goals of a session.
///
/// # Errors
/// Errors from the store.
pub async fn list(tx: &mut Tx, tenant: &str, session: &str) -> Result<GoalList, Problem> {
    let mut all = GoalList { items: Vec::new(), stack: Vec::new() };
    for key in data::users_of(tx, tenant, session, USERS_MAX).await? {
        let agenda = Agenda::restore(data::active_goals(tx, tenant, &key).await?, 1);
        all.stack.extend(agenda.stack().iter().map(|goal| goal.id));
        let owned = agenda.goals().iter();
        all.items.extend(owned.map(|goal| UserGoal { user: key.user.clone(), goal: goal.clone() }));
    }
    Ok(all)
}

/// Returns a page of the journal of a session, the oldest entry first.
///
/// # Errors
/// Errors from the store.
pub async fn journal(
    tx: &mut Tx,
    tenant: &str,
    session: &str,
    after: Option<RowId>,
    limit: usize,
) -> Result<Vec<JournalEntryView>, Problem> {
    let most = i64::try_from(limit.clamp(1, limits::PAGE_MAX + 1)).unwrap_or(1);
    let rows = data::journal(tx, tenant, session, after, most).await?;
    let view = |row: data::JournalRow| JournalEntryView {
        id: row.id.to_string(),
        user: row.user,
        event: row.event,
        goal: row.goal,
        payload: row.payload,
        at: row.at.to_string(),
    };
    Ok(rows.into_iter().map(view).collect())
}

/// Returns the goals that an assistant is shown for a conversation, best first.
///
/// # Errors
/// Errors from the store.
pub async fn stack(
    tx: &mut Tx,
    tenant: &str,
    key: &SessionKey,
    cache: &GoalCache,
    now: Timestamp,
) -> Result<Vec<AgendaGoal>, Problem> {
    let known = match cache.get(tenant, key, now) {
        Some(known) => known,
        None => {
            let read = Arc::new(data::active_goals(tx, tenant, key).await?);
            cache.put(tenant, key.clone(), Arc::clone(&read), now);
            read
        }
    };
    Ok(Agenda::restore(known.as_ref().clone(), 1).stack().to_vec())
}
