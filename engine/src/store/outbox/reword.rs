//! Messages whose words change before they leave.

use uuid::Uuid;

use crate::base::{MessageId, PersonId, RequestId, Timestamp, TypedId as _};
use crate::params;
use crate::store::{Row, Rows, StoreError, Tx};
use crate::template::Rendered;

/// A message that may leave now, with its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedText {
    /// The id of the message.
    pub id: MessageId,
    /// The name of the template that the message was made from.
    pub kind: String,
    /// The body of the message.
    pub body: String,
}

/// A queued message to a person, with what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedAbout {
    /// The id of the message.
    pub id: MessageId,
    /// The name of the template that the message was made from.
    pub kind: String,
    /// The recipient.
    pub person: PersonId,
    /// The id of its cause.
    pub cause: Uuid,
    /// When the message may leave.
    pub not_before: Timestamp,
}

impl Tx {
    /// Returns at most `limit` queued messages of a tenant that are due and were not tried yet, with their words; those
    /// that leave first come first.
    pub async fn texts_to_release(
        &mut self,
        tenant: &str,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<QueuedText>, StoreError> {
        let rows = self
            .rows(
                "SELECT o.id, o.kind, b.value AS text FROM outbox o JOIN pii b ON b.id = o.body
                 WHERE o.tenant = $1 AND o.state = 'queued' AND o.not_before <= $2 AND o.attempt = 0
                 ORDER BY o.bulk, o.not_before, o.id LIMIT $3",
                &params![tenant, now, limit],
            )
            .await?;
        rows.iter().map(read).collect()
    }

    /// Returns the queued messages of a request with this kind of cause.
    pub async fn queued_about(
        &mut self,
        request: RequestId,
        cause_kind: &str,
    ) -> Result<Vec<QueuedAbout>, StoreError> {
        let rows = self
            .rows(
                "SELECT id, kind, person, cause_id, not_before FROM outbox
                 WHERE partition_key = $1 AND {state} = 'queued' AND cause_kind = $2
                    AND person IS NOT NULL AND cause_id IS NOT NULL ORDER BY id",
                &params![request, cause_kind],
            )
            .await?;
        rows.iter().map(read_about).collect()
    }

    /// Holds queued messages until an instant. Nothing that counts from their departure moves.
    pub async fn hold_for_rewording(
        &mut self,
        ids: &[MessageId],
        until: Timestamp,
    ) -> Result<(), StoreError> {
        self.note_outbox();
        self.bulk(
            "UPDATE outbox SET not_before = $1
             WHERE id IN (SELECT id FROM {rows}) AND state || '' = 'queued' AND not_before < $1",
            &params![until],
            &Rows::ids(ids),
        )
        .await
        .map(drop)
    }

    /// Lets a queued message leave at an instant, perhaps in other words. Does nothing if it is no longer queued.
    pub async fn reword(
        &mut self,
        id: MessageId,
        other: Option<&Rendered>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.note_outbox();
        let released = self
            .rows(
                "UPDATE outbox SET not_before = $2 WHERE id = $1 AND state || '' = 'queued' RETURNING id",
                &params![id, at],
            )
            .await?;
        let Some(other) = other.filter(|_| !released.is_empty()) else { return Ok(()) };
        let segments = i64::try_from(other.segments().segments).unwrap_or(i64::MAX);
        let sql = "UPDATE outbox SET segments = $2 WHERE id = $1";
        self.execute(sql, &params![id, segments]).await?;
        let sql = "UPDATE pii SET value = $2 WHERE id = (SELECT body FROM outbox WHERE id = $1)";
        self.execute(sql, &params![id, other.body()]).await.map(drop)
    }
}

fn read_about(row: &Row) -> Result<QueuedAbout, StoreError> {
    Ok(QueuedAbout {
        id: row.id("id")?,
        kind: row.text("kind")?,
        person: row.id("person")?,
        cause: row.id::<MessageId>("cause_id")?.uuid(),
        not_before: row.at("not_before")?,
    })
}

fn read(row: &Row) -> Result<QueuedText, StoreError> {
    Ok(QueuedText {
        id: row.id("id")?,
        kind: row.text("kind")?,
        body: row.opt_text("text")?.unwrap_or_default(),
    })
}
