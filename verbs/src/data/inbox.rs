//! Rows of the inbox of staff: one row for each message that staff must look at.

use abide_engine::base::{MessageId, PersonId, RequestId, RunId, Timestamp};
use abide_engine::params;
use abide_engine::store::{ContactId, Row, StoreError, Tx};

use super::notice::{StaffNotice, starter_key};
use super::thread::Takeover;
use crate::inbox::{InboxState, Reason};

/// A person with their name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPerson {
    /// The person's id.
    pub id: PersonId,
    /// The person's name.
    pub name: String,
}

/// A message in the inbox, with its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxRow {
    /// The id of the message.
    pub message: MessageId,
    /// Whether staff still have to deal with the message.
    pub state: InboxState,
    /// Why the message is in the inbox.
    pub reason: Reason,
    /// The person whom the message concerns; `None` if no person in the directory has the number.
    pub person: Option<NamedPerson>,
    /// The member of staff who deals with the message; `None` if nobody was named.
    pub assigned_to: Option<NamedPerson>,
    /// Who has taken over the thread with the number; `None` if nobody has.
    pub taken_over: Option<Takeover>,
    /// The contact of the phone number.
    pub contact: Option<ContactId>,
    /// The phone number of the sender, or of the recipient of an outbound message; `None` if it was erased.
    pub phone: Option<String>,
    /// Whether the message is outbound.
    pub outbound: bool,
    /// The body of the message; `None` if it was erased.
    pub text: Option<String>,
    /// When the message was received; for an outbound message, when its delivery was found to be unknown.
    pub received_at: Timestamp,
    /// The run that the message concerns.
    pub run: Option<RunId>,
    /// The request that the message concerns.
    pub request: Option<RequestId>,
    /// What happened, if no message says it.
    pub note: Option<String>,
}

/// A filter of the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InboxFilter {
    /// Selects messages in this state; `None` selects messages in any state.
    pub state: Option<InboxState>,
    /// Selects messages that are older than the message with this id.
    pub before: Option<MessageId>,
    /// Maximum number of rows.
    pub limit: i64,
}

/// A message to put in the inbox, or something else that staff must look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxEntry {
    /// The id of the message; an id of its own if the entry is about no message.
    pub message: MessageId,
    /// When the message was received; for an outbound message, when its delivery was found to be unknown.
    pub received_at: Timestamp,
    /// The person whom the message concerns; `None` if no person in the directory has the number.
    pub person: Option<PersonId>,
    /// Why staff must look at the message.
    pub reason: Reason,
    /// The run that the entry is about, if it is about no message.
    pub run: Option<RunId>,
    /// What happened, if no message says it. Names nobody.
    pub note: Option<String>,
    /// The member of staff who started what the entry is about; `None` if nobody in particular did.
    pub starter: Option<PersonId>,
}

impl InboxEntry {
    /// Builds the entry of a message, about nobody in the directory.
    #[must_use]
    pub const fn of_message(message: MessageId, received_at: Timestamp, reason: Reason) -> Self {
        Self { message, received_at, person: None, reason, run: None, note: None, starter: None }
    }
}

/// Returns the active member of staff whose message set a run going; `None` if no message of staff did.
pub async fn starter_of(
    tx: &mut Tx,
    tenant: &str,
    run: RunId,
) -> Result<Option<PersonId>, StoreError> {
    tx.row(
        "SELECT p.id FROM run r JOIN inbound i ON i.id = r.correlation
         JOIN person p ON p.tenant || '' = i.tenant AND p.contact = i.sender AND p.active = 1
         JOIN person_role s ON s.person = p.id AND s.tenant || '' = p.tenant AND s.role IN ('staff', 'supervisor')
         WHERE r.id = $1 AND r.tenant || '' = $2 ORDER BY p.id LIMIT 1",
        &params![run, tenant],
    )
    .await?
    .map(|row| row.id("id"))
    .transpose()
}

/// Puts a message in the inbox. Does nothing if the message is already in the inbox.
pub async fn put(tx: &mut Tx, tenant: &str, entry: &InboxEntry) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO inbox (message, tenant, person, reason, state, received_at, run_id, note, starter)
         VALUES ($1, $2, $3, $4, 'open', $5, $6, $7, $8) ON CONFLICT (message) DO NOTHING",
        &params![
            entry.message,
            tenant,
            entry.person,
            entry.reason.as_str(),
            entry.received_at,
            entry.run,
            entry.note.as_deref(),
            entry.starter
        ],
    )
    .await
    .map(drop)
}

/// Selects inbox rows with their people, phone numbers and bodies, in the columns that [`read`] expects.
macro_rules! select_inbox {
    ($rest:literal) => {
        concat!(
            "SELECT b.message, b.state, b.reason, b.person, p.name, b.assigned_to, a.name AS assigned_name, \
             c.id AS contact, n.value AS phone, h.taken_by, h.taken_at, o.id AS outbound, t.value AS text, \
             b.received_at, COALESCE(b.run_id, i.run_id, o.run_id) AS run, b.note, q.id AS request FROM inbox b \
             LEFT JOIN person p ON p.id = b.person \
             LEFT JOIN person a ON a.id = b.assigned_to \
             LEFT JOIN inbound i ON i.id = b.message \
             LEFT JOIN outbox o ON o.id = b.message \
             LEFT JOIN contact c ON c.id = COALESCE(i.sender, o.contact) \
             LEFT JOIN thread h ON h.tenant = c.tenant AND h.contact = c.id \
             LEFT JOIN pii n ON n.id = c.phone \
             LEFT JOIN pii t ON t.id = COALESCE(i.body, o.body) \
             LEFT JOIN request q ON q.id = COALESCE(i.partition_key, o.partition_key) ",
            $rest
        )
    };
}

fn read(row: &Row) -> Result<InboxRow, StoreError> {
    let (state, reason) = (row.text("state")?, row.text("reason")?);
    let named = |id: Option<PersonId>, name: Option<String>| {
        id.zip(name).map(|(id, name)| NamedPerson { id, name })
    };
    let taken = row.opt_text("taken_by")?.zip(row.opt_at("taken_at")?);
    Ok(InboxRow {
        message: row.id("message")?,
        state: InboxState::parse(&state).ok_or_else(|| unknown("state", &state))?,
        reason: Reason::parse(&reason).ok_or_else(|| unknown("reason", &reason))?,
        person: named(row.opt_id("person")?, row.opt_text("name")?),
        assigned_to: named(row.opt_id("assigned_to")?, row.opt_text("assigned_name")?),
        taken_over: taken.map(|(by, at)| Takeover { by, at }),
        contact: row.opt_digest("contact")?.map(ContactId::from_digest),
        phone: row.opt_text("phone")?,
        outbound: row.opt_id::<MessageId>("outbound")?.is_some(),
        text: row.opt_text("text")?,
        received_at: row.at("received_at")?,
        run: row.opt_id("run")?,
        request: row.opt_id("request")?,
        note: row.opt_text("note")?,
    })
}

fn unknown(member: &str, text: &str) -> StoreError {
    StoreError::Corrupt(format!("inbox.{member} is `{text}`"))
}

/// Returns a page of messages in the inbox, newest first.
pub async fn list(
    tx: &mut Tx,
    tenant: &str,
    filter: InboxFilter,
) -> Result<Vec<InboxRow>, StoreError> {
    let InboxFilter { state, before, limit } = filter;
    let from = i64::from(before.is_none());
    let rows = match state {
        // The SQL contains the state `open` as a literal, not as a parameter:
        // only then can the database use the partial index on open rows.
        Some(InboxState::Open) => {
            let text = select_inbox!(
                "WHERE b.tenant = $1 AND b.state = 'open' AND ($2 = 1 OR b.message < $3)
                 ORDER BY b.message DESC LIMIT $4"
            );
            tx.rows(text, &params![tenant, from, before, limit]).await?
        }
        Some(InboxState::Closed) => {
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

/// Returns the message with this id; `None` if it is not in the inbox.
pub async fn find(
    tx: &mut Tx,
    tenant: &str,
    message: MessageId,
) -> Result<Option<InboxRow>, StoreError> {
    let text = select_inbox!("WHERE b.tenant = $1 AND b.message = $2");
    let row = tx.row(text, &params![tenant, message]).await?;
    row.as_ref().map(read).transpose()
}

/// Returns the open entries of a notice, from its first one on, the earliest first.
pub async fn since(
    tx: &mut Tx,
    tenant: &str,
    notice: &StaffNotice,
    limit: i64,
) -> Result<Vec<InboxRow>, StoreError> {
    let text = select_inbox!(
        "WHERE b.tenant = $1 AND b.state = 'open' AND b.message >= $2 AND b.reason = $3
         AND COALESCE(b.starter, $4) = $5 ORDER BY b.message LIMIT $6"
    );
    let reason = notice.reason.as_str();
    let (nobody, starter) = (starter_key(None), starter_key(notice.starter));
    let rows = tx
        .rows(text, &params![tenant, notice.first_message, reason, nobody, starter, limit])
        .await?;
    rows.iter().map(read).collect()
}

/// Closes a message of the inbox. Returns false if the message was not open.
pub async fn close(tx: &mut Tx, tenant: &str, message: MessageId) -> Result<bool, StoreError> {
    let changed = tx
        .execute(
            "UPDATE inbox SET state = 'closed' WHERE tenant = $1 AND message = $2 AND state = 'open'",
            &params![tenant, message],
        )
        .await?;
    Ok(changed > 0)
}

/// Assigns a message of the inbox to a person. Returns false if it was assigned to this person already.
pub async fn assign(
    tx: &mut Tx,
    tenant: &str,
    message: MessageId,
    person: PersonId,
) -> Result<bool, StoreError> {
    let changed = tx
        .execute(
            "UPDATE inbox SET assigned_to = $3
             WHERE tenant = $1 AND message = $2 AND (assigned_to IS NULL OR assigned_to <> $3)",
            &params![tenant, message, person],
        )
        .await?;
    Ok(changed > 0)
}
