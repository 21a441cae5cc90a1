//! What waits for a person, until somebody has dealt with it.

use abide_engine::base::{MessageId, PersonId, RequestId, RunId, Timestamp};
use abide_engine::params;
use abide_engine::store::{Row, StoreError, Tx};

use crate::inbox::{Reason, State};

/// A text before the staff, with what its message says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxRow {
    /// The message.
    pub message: MessageId,
    /// Whether it still waits.
    pub state: State,
    /// Why it is here.
    pub reason: Reason,
    /// Whom it concerns, and what they are called.
    pub person: Option<(PersonId, String)>,
    /// The number at the other end; none once it was erased.
    pub phone: Option<String>,
    /// True for a text of ours.
    pub outbound: bool,
    /// What it says; none once it was erased.
    pub text: Option<String>,
    /// When it came, or was written.
    pub received_at: Timestamp,
    /// The run that it concerned.
    pub run: Option<RunId>,
    /// The request that it concerned.
    pub request: Option<RequestId>,
}

/// Which part of the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InboxFilter {
    /// Only those in this state.
    pub state: Option<State>,
    /// Only those before this one: the newest come first.
    pub before: Option<MessageId>,
    /// At most so many.
    pub limit: i64,
}

/// Puts a text before the staff; the same text again is the same row.
pub async fn put(
    tx: &mut Tx,
    tenant: &str,
    (message, received_at): (MessageId, Timestamp),
    person: Option<PersonId>,
    reason: Reason,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO inbox (message, tenant, person, reason, state, received_at)
         VALUES ($1, $2, $3, $4, 'open', $5) ON CONFLICT (message) DO NOTHING",
        &params![message, tenant, person, reason.as_str(), received_at],
    )
    .await
    .map(drop)
}

/// Reads rows with their people, numbers and texts, in the form of [`read`].
macro_rules! select_inbox {
    ($rest:literal) => {
        concat!(
            "SELECT b.message, b.state, b.reason, b.person, p.name, n.value, o.id, t.value, b.received_at, \
             COALESCE(i.run_id, o.run_id), q.id FROM inbox b \
             LEFT JOIN person p ON p.id = b.person \
             LEFT JOIN inbound i ON i.id = b.message \
             LEFT JOIN outbox o ON o.id = b.message \
             LEFT JOIN contact c ON c.tenant = b.tenant AND c.id = COALESCE(i.sender, o.contact) \
             LEFT JOIN pii n ON n.id = c.phone \
             LEFT JOIN pii t ON t.id = COALESCE(i.body, o.body) \
             LEFT JOIN request q ON q.id = COALESCE(i.partition_key, o.partition_key) ",
            $rest
        )
    };
}

fn read(row: &Row) -> Result<InboxRow, StoreError> {
    let (state, reason) = (row.text(1)?, row.text(2)?);
    let person: Option<PersonId> = row.opt_id(3)?;
    Ok(InboxRow {
        message: row.id(0)?,
        state: State::parse(&state).ok_or_else(|| unknown("state", &state))?,
        reason: Reason::parse(&reason).ok_or_else(|| unknown("reason", &reason))?,
        person: person.zip(row.opt_text(4)?),
        phone: row.opt_text(5)?,
        outbound: row.opt_id::<MessageId>(6)?.is_some(),
        text: row.opt_text(7)?,
        received_at: row.at(8)?,
        run: row.opt_id(9)?,
        request: row.opt_id(10)?,
    })
}

fn unknown(member: &str, text: &str) -> StoreError {
    StoreError::Corrupt(format!("inbox.{member} is `{text}`"))
}

/// A part of the inbox, the newest first.
pub async fn list(
    tx: &mut Tx,
    tenant: &str,
    filter: InboxFilter,
) -> Result<Vec<InboxRow>, StoreError> {
    let InboxFilter { state, before, limit } = filter;
    let from = i64::from(before.is_none());
    let rows = match state {
        // The state stands in the text, so that the index over open rows alone serves it.
        Some(State::Open) => {
            let text = select_inbox!(
                "WHERE b.tenant = $1 AND b.state = 'open' AND ($2 = 1 OR b.message < $3)
                 ORDER BY b.message DESC LIMIT $4"
            );
            tx.rows(text, &params![tenant, from, before, limit]).await?
        }
        Some(State::Closed) => {
            let text = select_inbox!(
                "WHERE b.tenant = $1 AND b.state = 'closed' AND ($2 = 1 OR b.message < $3)
                 ORDER BY b.message DESC LIMIT $4"
            );
            tx.rows(text, &params![tenant, from, before, limit]).await?
        }
        None => {
            let text = select_inbox!(
                "WHERE b.tenant = $1 AND ($2 = 1 OR b.message < $3)
                 ORDER BY b.message DESC LIMIT $4"
            );
            tx.rows(text, &params![tenant, from, before, limit]).await?
        }
    };
    rows.iter().map(read).collect()
}

/// One of them.
pub async fn find(
    tx: &mut Tx,
    tenant: &str,
    message: MessageId,
) -> Result<Option<InboxRow>, StoreError> {
    let text = select_inbox!("WHERE b.tenant = $1 AND b.message = $2");
    let row = tx.row(text, &params![tenant, message]).await?;
    row.as_ref().map(read).transpose()
}

/// Takes one off the list; true if it still waited.
pub async fn close(tx: &mut Tx, tenant: &str, message: MessageId) -> Result<bool, StoreError> {
    let changed = tx
        .execute(
            "UPDATE inbox SET state = 'closed' WHERE tenant = $1 AND message = $2 AND state = 'open'",
            &params![tenant, message],
        )
        .await?;
    Ok(changed > 0)
}
