//! Rows of clarifying questions: at most one for each person and kind of question.

use abide_engine::base::{PersonId, Timestamp, Value};
use abide_engine::params;
use abide_engine::store::{Row, Rows, StoreError, Tx};

use crate::transition::words;

words! {
    /// What a clarifying question asks.
    pub enum ClarificationKind {
        /// Asks which of several open asks the message answers.
        Which = "which",
        /// Asks staff for the details that their request lacks.
        Staff = "staff",
        /// Asks staff whether they mean what would touch many people.
        Confirm = "confirm",
        /// Asks what an unclear message means.
        Again = "again",
        /// Asks which of several approvals the message decides.
        Approval = "approval",
        /// Asks staff which of several methods is to serve what they want.
        Method = "method",
        /// Asks nothing: the sender was notified that their message fits no ask.
        Unmatched = "unmatched",
    }
}

/// A clarifying question.
#[derive(Debug, Clone, PartialEq)]
pub struct ClarifyingQuestion {
    /// The person who was asked.
    pub person: PersonId,
    /// The kind of question.
    pub kind: ClarificationKind,
    /// What was understood of the messages before the question, as JSON.
    pub about: Value,
    /// The time from which a message no longer counts as the answer to the question.
    pub expires_at: Timestamp,
}

/// Stores a question. Replaces an older question of the same kind to the same person.
pub async fn put(
    tx: &mut Tx,
    tenant: &str,
    question: &ClarifyingQuestion,
    asked_at: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO question (person, kind, tenant, about, asked_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (person, kind) DO UPDATE SET about = excluded.about,
            asked_at = excluded.asked_at, expires_at = excluded.expires_at",
        &params![
            question.person,
            question.kind.as_str(),
            tenant,
            question.about.to_string(),
            asked_at,
            question.expires_at
        ],
    )
    .await
    .map(drop)
}

/// Returns the questions to these people that have not expired by `now`, the newest first.
pub async fn open(
    tx: &mut Tx,
    people: &[PersonId],
    now: Timestamp,
) -> Result<Vec<ClarifyingQuestion>, StoreError> {
    let rows = tx
        .bulk(
            "SELECT q.person, q.kind, q.about, q.expires_at FROM question q
             WHERE q.person IN (SELECT id FROM {rows}) AND q.expires_at > $1 ORDER BY q.asked_at DESC, q.person, q.kind",
            &params![now],
            &Rows::ids(people),
        )
        .await?;
    let read = |row: &Row| {
        Ok(ClarifyingQuestion {
            person: row.id("person")?,
            kind: kind(&row.text("kind")?)?,
            about: row.json("about")?,
            expires_at: row.at("expires_at")?,
        })
    };
    rows.iter().map(read).collect()
}

fn kind(text: &str) -> Result<ClarificationKind, StoreError> {
    ClarificationKind::parse(text)
        .ok_or_else(|| StoreError::Corrupt(format!("question: kind `{text}`")))
}

/// Removes a question that was answered.
pub async fn remove(
    tx: &mut Tx,
    person: PersonId,
    kind: ClarificationKind,
) -> Result<(), StoreError> {
    let sql = "DELETE FROM question WHERE person = $1 AND kind = $2";
    tx.execute(sql, &params![person, kind.as_str()]).await.map(drop)
}

/// Removes the expired questions of a tenant. Returns the number of removed questions.
pub async fn sweep(tx: &mut Tx, tenant: &str, now: Timestamp) -> Result<u64, StoreError> {
    let sql = "DELETE FROM question WHERE tenant = $1 AND expires_at <= $2";
    tx.execute(sql, &params![tenant, now]).await
}
