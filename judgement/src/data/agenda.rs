//! Rows of the agenda: sessions, goals, the journal, and turns that are still to be evaluated.

use abide_agent::agenda::{
    AgendaChanges, AgendaGoal, Classification, GoalProposal, GoalStatus, GoalType,
    JournalEventType, Profile,
};
use abide_engine::base::{RowId, Timestamp, Value};
use abide_engine::params;
use abide_engine::planted::PlantedFault;
use abide_engine::store::{ColumnType, Param, Row, Rows, StoreError, Tx};
use serde::{Deserialize, Serialize};

/// A user and a session, whose messages are one conversation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionKey {
    /// The user: the id of a person, or a name that the caller of the API gives.
    pub user: String,
    /// The session.
    pub session: String,
}

/// A session, locked by the transaction that has read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedSession {
    /// The id of its next goal.
    pub next_goal: i64,
    /// Whether this is its first turn.
    pub is_new: bool,
}

/// A turn that is still to be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingTurn {
    /// When the message was received, in microseconds since the epoch.
    pub at: i64,
    /// The message.
    pub text: String,
    /// What a classifier thinks of it.
    pub classification: Classification,
    /// What is known about the user.
    pub profile: Profile,
    /// The answer to the message, if the answer is one that follows the agenda.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Goals that a model proposes for a message that was evaluated before; then nothing else of the turn counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposals: Vec<GoalProposal>,
}

/// A turn with its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedTurn {
    /// Id of the row.
    pub id: RowId,
    /// The conversation.
    pub key: SessionKey,
    /// The turn.
    pub turn: PendingTurn,
}

/// A row of the journal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JournalRow {
    /// Id of the row.
    pub id: RowId,
    /// The user.
    pub user: String,
    /// What happened.
    pub event: String,
    /// The goal that it happened to.
    pub goal: Option<i64>,
    /// The details.
    pub payload: Value,
    /// When it happened.
    pub at: Timestamp,
}

/// Locks a session until the transaction ends, and creates it if it is new.
pub async fn lock_session(
    tx: &mut Tx,
    tenant: &str,
    key: &SessionKey,
    now: Timestamp,
) -> Result<LockedSession, StoreError> {
    let inserted = tx
        .execute(
            "INSERT INTO conversation_session (tenant, user_key, session, next_goal, started_at, updated_at)
             VALUES ($1, $2, $3, 1, $4, $4) ON CONFLICT (tenant, user_key, session) DO NOTHING",
            &params![tenant, &key.user, &key.session, now],
        )
        .await?;
    let row = tx
        .row(
            "SELECT next_goal FROM conversation_session
             WHERE tenant = $1 AND user_key = $2 AND session = $3 {for_update}",
            &params![tenant, &key.user, &key.session],
        )
        .await?;
    let next_goal = row.map_or(Ok(1), |row| row.int("next_goal"))?;
    Ok(LockedSession { next_goal, is_new: inserted > 0 })
}

/// Returns the other session of a user whose turns are the latest.
pub async fn latest_other_session(
    tx: &mut Tx,
    tenant: &str,
    key: &SessionKey,
) -> Result<Option<SessionKey>, StoreError> {
    let row = tx
        .row(
            "SELECT session FROM conversation_session WHERE tenant = $1 AND user_key = $2 AND session <> $3
             ORDER BY updated_at DESC LIMIT 1",
            &params![tenant, &key.user, &key.session],
        )
        .await?;
    row.map(|row| Ok(SessionKey { user: key.user.clone(), session: row.text("session")? }))
        .transpose()
}

/// Returns the users of a session. A session that texts have has one; callers of the API may share a name.
pub async fn users_of(
    tx: &mut Tx,
    tenant: &str,
    session: &str,
    limit: i64,
) -> Result<Vec<SessionKey>, StoreError> {
    let rows = tx
        .rows(
            "SELECT user_key FROM conversation_session WHERE tenant = $1 AND session = $2
             ORDER BY user_key LIMIT $3",
            &params![tenant, session, limit],
        )
        .await?;
    let key =
        |row: &Row| Ok(SessionKey { user: row.text("user_key")?, session: session.to_owned() });
    rows.iter().map(key).collect()
}

/// Returns the active goals of a session, in no order that counts.
pub async fn active_goals(
    tx: &mut Tx,
    tenant: &str,
    key: &SessionKey,
) -> Result<Vec<AgendaGoal>, StoreError> {
    let rows = tx
        .rows(
            "SELECT id, goal_type, parent_goal_id, status, priority, description, next_action, slots,
                ignored_answers, created_at, updated_at FROM conversation_goals
             WHERE tenant = $1 AND user_key = $2 AND session = $3 AND status = 'active'",
            &params![tenant, &key.user, &key.session],
        )
        .await?;
    rows.iter().map(read_goal).collect()
}

pub(super) fn read_goal(row: &Row) -> Result<AgendaGoal, StoreError> {
    let word = |name: &str| StoreError::Corrupt(format!("a goal has no `{name}` that is known"));
    Ok(AgendaGoal {
        id: row.int("id")?,
        goal_type: GoalType::parse(&row.text("goal_type")?).ok_or_else(|| word("goal_type"))?,
        parent: row.opt_int("parent_goal_id")?,
        status: GoalStatus::parse(&row.text("status")?).ok_or_else(|| word("status"))?,
        priority: row.int("priority")?,
        description: row.text("description")?,
        next_action: row.text("next_action")?,
        slots: serde_json::from_value(row.json("slots")?).unwrap_or_default(),
        ignored_answers: u32::try_from(row.int("ignored_answers")?).unwrap_or(0),
        created_at: row.at("created_at")?.to_jiff(),
        updated_at: row.at("updated_at")?.to_jiff(),
    })
}

/// Stores what an evaluation has changed.
pub async fn store(
    tx: &mut Tx,
    tenant: &str,
    key: &SessionKey,
    changes: &AgendaChanges,
    session: SessionUpdate,
) -> Result<(), StoreError> {
    put_goals(tx, tenant, key, &changes.goals).await?;
    let mut journal = Rows::new(&[
        ("id", ColumnType::Id),
        ("goal", ColumnType::Int),
        ("event", ColumnType::Text),
        ("payload", ColumnType::Text),
    ]);
    let is_end =
        |event| [JournalEventType::Completed, JournalEventType::Abandoned].contains(&event);
    for entry in &changes.journal {
        if is_end(entry.event) && PlantedFault::GoalEndsUnnoted.is_active() {
            continue;
        }
        let id: RowId = tx.mint();
        journal.push([
            id.into(),
            entry.goal.into(),
            Param::from(entry.event.as_str()),
            Param::from(entry.payload.to_string()),
        ]);
    }
    if !changes.journal.is_empty() {
        tx.bulk(
            "INSERT INTO conversation_goal_journal (id, tenant, user_key, session, goal, event_type, payload, created_at)
             SELECT id, $1, $2, $3, goal, event, payload, $4 FROM {rows} WHERE true",
            &params![tenant, &key.user, &key.session, session.at],
            &journal,
        )
        .await?;
    }
    tx.execute(
        "UPDATE conversation_session SET next_goal = $4, updated_at = $5
         WHERE tenant = $1 AND user_key = $2 AND session = $3",
        &params![tenant, &key.user, &key.session, session.next_goal, session.at],
    )
    .await
    .map(drop)
}

async fn put_goals(
    tx: &mut Tx,
    tenant: &str,
    key: &SessionKey,
    changed: &[AgendaGoal],
) -> Result<(), StoreError> {
    if changed.is_empty() {
        return Ok(());
    }
    let mut goals = Rows::new(&[
        ("id", ColumnType::Int),
        ("goal_type", ColumnType::Text),
        ("parent", ColumnType::Int),
        ("status", ColumnType::Text),
        ("priority", ColumnType::Int),
        ("description", ColumnType::Text),
        ("next_action", ColumnType::Text),
        ("slots", ColumnType::Text),
        ("ignored", ColumnType::Int),
        ("created", ColumnType::Int),
        ("updated", ColumnType::Int),
    ]);
    for goal in changed {
        goals.push([
            goal.id.into(),
            Param::from(goal.goal_type.as_str()),
            goal.parent.into(),
            Param::from(goal.status.as_str()),
            goal.priority.into(),
            Param::from(&goal.description),
            Param::from(&goal.next_action),
            Param::from(serde_json::to_string(&goal.slots).unwrap_or_else(|_| "{}".to_owned())),
            goal.ignored_answers.into(),
            Timestamp::from_jiff(goal.created_at).into(),
            Timestamp::from_jiff(goal.updated_at).into(),
        ]);
    }
    tx.bulk(
            "INSERT INTO conversation_goals (tenant, user_key, session, id, goal_type, parent_goal_id, status, priority,
                description, next_action, slots, ignored_answers, created_at, updated_at)
             SELECT $1, $2, $3, id, goal_type, parent, status, priority, description, next_action, slots, ignored,
                created, updated FROM {rows} WHERE true
             ON CONFLICT (tenant, user_key, session, id) DO UPDATE SET goal_type = excluded.goal_type,
                parent_goal_id = excluded.parent_goal_id, status = excluded.status, priority = excluded.priority,
                description = excluded.description, next_action = excluded.next_action, slots = excluded.slots,
                ignored_answers = excluded.ignored_answers, updated_at = excluded.updated_at",
            &params![tenant, &key.user, &key.session],
            &goals,
        )
        .await?;
    Ok(())
}

/// What an evaluation changes about a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionUpdate {
    /// The id of its next goal.
    pub next_goal: i64,
    /// When it was evaluated.
    pub at: Timestamp,
}

/// Returns at most `limit` rows of the journal of a session, the oldest first, those after the row `after`.
pub async fn journal(
    tx: &mut Tx,
    tenant: &str,
    session: &str,
    after: Option<RowId>,
    limit: i64,
) -> Result<Vec<JournalRow>, StoreError> {
    let rows = tx
        .rows(
            "SELECT id, user_key, goal, event_type, payload, created_at FROM conversation_goal_journal
             WHERE tenant = $1 AND session = $2 AND (id > $3 OR $3 IS NULL) ORDER BY id LIMIT $4",
            &params![tenant, session, after, limit],
        )
        .await?;
    rows.iter().map(read_entry).collect()
}

pub(super) fn read_entry(row: &Row) -> Result<JournalRow, StoreError> {
    let event = row.text("event_type")?;
    let event = JournalEventType::parse(&event).map_or(event, |it| it.as_str().to_owned());
    Ok(JournalRow {
        id: row.id("id")?,
        user: row.text("user_key")?,
        event,
        goal: row.opt_int("goal")?,
        payload: row.json("payload")?,
        at: row.at("created_at")?,
    })
}

/// Adds a turn that is to be evaluated.
pub async fn queue(
    tx: &mut Tx,
    tenant: &str,
    key: &SessionKey,
    turn: &PendingTurn,
    due_at: Timestamp,
) -> Result<(), StoreError> {
    let id: RowId = tx.mint();
    tx.note_timer();
    tx.execute(
        "INSERT INTO agenda_turn (id, tenant, user_key, session, turn, due_at) VALUES ($1, $2, $3, $4, $5, $6)",
        &params![
            id,
            tenant,
            &key.user,
            &key.session,
            serde_json::to_string(turn).unwrap_or_else(|_| "{}".to_owned()),
            due_at
        ],
    )
    .await
    .map(drop)
}

/// Takes the phrase that the next answer in a session is to end with, if there is one.
pub async fn take_phrase(
    tx: &mut Tx,
    tenant: &str,
    key: &SessionKey,
) -> Result<Option<String>, StoreError> {
    let row = tx
        .row(
            "SELECT next_phrase FROM conversation_session
             WHERE tenant = $1 AND user_key = $2 AND session = $3 AND next_phrase IS NOT NULL {for_update}",
            &params![tenant, &key.user, &key.session],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    set_phrase(tx, tenant, key, None).await?;
    row.opt_text("next_phrase")
}

/// Sets the phrase that the next answer in a session is to end with.
pub async fn set_phrase(
    tx: &mut Tx,
    tenant: &str,
    key: &SessionKey,
    phrase: Option<&str>,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE conversation_session SET next_phrase = $4 WHERE tenant = $1 AND user_key = $2 AND session = $3",
        &params![tenant, &key.user, &key.session, phrase],
    )
    .await
    .map(drop)
}

/// Returns at most `limit` turns of a tenant that are to be evaluated by the instant `by`, the oldest first.
pub async fn queued(
    tx: &mut Tx,
    tenant: &str,
    by: Timestamp,
    limit: i64,
) -> Result<Vec<QueuedTurn>, StoreError> {
    let rows = tx
        .rows(
            "SELECT id, user_key, session, turn FROM agenda_turn WHERE tenant = $1 AND due_at <= $2
             ORDER BY due_at, id LIMIT $3",
            &params![tenant, by, limit],
        )
        .await?;
    let read = |row: &Row| {
        let key = SessionKey { user: row.text("user_key")?, session: row.text("session")? };
        let turn = serde_json::from_value(row.json("turn")?)
            .map_err(|error| StoreError::Corrupt(format!("turn: {error}")))?;
        Ok(QueuedTurn { id: row.id("id")?, key, turn })
    };
    rows.iter().map(read).collect()
}

/// Removes a turn that is evaluated. Returns false if another process has evaluated it.
pub async fn remove_turn(tx: &mut Tx, id: RowId) -> Result<bool, StoreError> {
    Ok(tx.execute("DELETE FROM agenda_turn WHERE id = $1", &params![id]).await? > 0)
}

/// Deletes the conversations of a user: their goals, their journal and the turns that are still to be evaluated.
pub async fn forget(tx: &mut Tx, tenant: &str, user: &str) -> Result<(), StoreError> {
    let sessions = tx
        .rows(
            "SELECT session FROM conversation_session WHERE tenant = $1 AND user_key = $2",
            &params![tenant, user],
        )
        .await?;
    for session in &sessions {
        let of_session = params![tenant, user, session.text("session")?];
        tx.execute(
            "DELETE FROM conversation_goal_journal WHERE tenant = $1 AND session = $3 AND user_key = $2",
            &of_session,
        )
        .await?;
    }
    for sql in [
        "DELETE FROM conversation_goals WHERE tenant = $1 AND user_key = $2",
        "DELETE FROM agenda_turn WHERE tenant = $1 AND user_key = $2",
        "DELETE FROM conversation_session WHERE tenant = $1 AND user_key = $2",
    ] {
        tx.execute(sql, &params![tenant, user]).await?;
    }
    Ok(())
}
