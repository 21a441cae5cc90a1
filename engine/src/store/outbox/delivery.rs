//! Messages at the gateway: handed over, and proven by the provider's answer.

use super::super::faults::Part;
use super::id_rows;
use crate::base::{MessageId, PersonId, RequestId, RunId, Span, Timestamp};
use crate::params;
use crate::store::error::StoreError;
use crate::store::row::Row;
use crate::store::tx::Tx;

/// A provider that takes nothing for longer than this is away, and people cannot answer what they have not
/// got. Less is a crash or a busy moment, and moves nobody's time.
const OUTAGE: Span = Span::from_secs(10 * 60);

/// A message on its way to the gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Our id; the gateway can be asked for it.
    pub id: MessageId,
    /// The tenant.
    pub tenant: String,
    /// The template.
    pub kind: String,
    /// The number.
    pub to: String,
    /// The text.
    pub body: String,
    /// How often it was tried, this time included.
    pub attempt: i64,
    /// The person it is for.
    pub person: Option<PersonId>,
    /// The request it belongs to.
    pub request: Option<RequestId>,
    /// The run that decided it.
    pub run: Option<RunId>,
    /// By when the first byte of the last attempt was written, if any was.
    pub start_by: Option<Timestamp>,
}

/// Reads messages with their numbers and texts, in the form of [`outgoing`].
macro_rules! select_outgoing {
    ($rest:literal) => {
        concat!(
            "SELECT o.id, o.tenant, o.kind, n.value, b.value, o.attempt, o.person, o.partition_key, o.run_id, \
             o.start_by FROM outbox o JOIN contact c ON c.tenant = o.tenant AND c.id = o.contact \
             JOIN pii n ON n.id = c.phone JOIN pii b ON b.id = o.body ",
            $rest
        )
    };
}

impl Tx {
    /// The messages with these ids, ready for the gateway.
    pub async fn outgoing(&mut self, ids: &[MessageId]) -> Result<Vec<Outgoing>, StoreError> {
        let rows = self
            .bulk(
                select_outgoing!(
                    "WHERE o.id IN (SELECT id FROM {rows}) ORDER BY o.not_before, o.id"
                ),
                &[],
                &id_rows(ids),
            )
            .await?;
        rows.iter().map(outgoing).collect()
    }

    /// Messages whose last attempt has no known answer although its deadline has passed by the database's
    /// clock.
    pub async fn overdue_sends(
        &mut self,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<Outgoing>, StoreError> {
        let rows = self
            .rows(
                select_outgoing!(
                    "WHERE o.state = 'sending' AND o.deadline <= $1 ORDER BY o.deadline, o.id LIMIT $2"
                ),
                &params![now, limit],
            )
            .await?;
        rows.iter().map(outgoing).collect()
    }

    /// Writes what became of an attempt; false if the row has moved on meanwhile.
    pub async fn sent(
        &mut self,
        (id, attempt): (MessageId, i64),
        state: &str,
        provider_ref: Option<&str>,
        error: Option<&str>,
    ) -> Result<bool, StoreError> {
        self.holds(Part::Answer);
        let now = self.now();
        let changed = self
            .execute(
                "UPDATE outbox SET state = $3, provider_ref = $4, error = $5,
                    sent_at = CASE WHEN $3 = 'sent' THEN $6 ELSE sent_at END
                 WHERE id = $1 AND attempt = $2 AND state = 'sending'",
                &params![id, attempt, state, provider_ref, error, now],
            )
            .await?;
        Ok(changed > 0)
    }

    /// Queues an attempt anew that surely did not reach the provider. Waits go on counting from when policy
    /// first let it go; where the provider takes nothing for longer than [`OUTAGE`], from the new attempt.
    pub async fn send_again(
        &mut self,
        (id, attempt): (MessageId, i64),
        at: Timestamp,
        error: &str,
    ) -> Result<(), StoreError> {
        self.holds(Part::Answer);
        self.note_outbox();
        self.execute(
            "UPDATE outbox SET state = 'queued', not_before = $3, error = $4,
                permitted_at = CASE WHEN COALESCE(permitted_at, not_before) > $5
                    THEN COALESCE(permitted_at, not_before) END
             WHERE id = $1 AND attempt = $2 AND state = 'sending'",
            &params![id, attempt, at, error, at - OUTAGE],
        )
        .await
        .map(drop)
    }

    /// Nobody can tell yet what became of an attempt: ask again at `at`.
    pub async fn ask_later(
        &mut self,
        (id, attempt): (MessageId, i64),
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.holds(Part::Answer);
        self.note_outbox();
        self.execute(
            "UPDATE outbox SET deadline = $3 WHERE id = $1 AND attempt = $2 AND state = 'sending'",
            &params![id, attempt, at],
        )
        .await
        .map(drop)
    }
}

fn outgoing(row: &Row) -> Result<Outgoing, StoreError> {
    Ok(Outgoing {
        id: row.id(0)?,
        tenant: row.text(1)?,
        kind: row.text(2)?,
        to: row.opt_text(3)?.unwrap_or_default(),
        body: row.opt_text(4)?.unwrap_or_default(),
        attempt: row.int(5)?,
        person: row.opt_id(6)?,
        request: row.opt_id(7)?,
        run: row.opt_id(8)?,
        start_by: row.opt_at(9)?,
    })
}
