//! Erases the texts of a person's messages, and redacts those of others.

use super::rows::{TextCursor, TextPage, next_key};
use super::{ErasureOrder, PAGE_ROWS};
use crate::erasure::{ERASED, Redactor, WORDS_MAX};
use crate::params;
use crate::store::error::StoreError;
use crate::store::param::{ColumnType, Param};
use crate::store::row::Row;
use crate::store::rows::Rows;
use crate::store::tx::Tx;

/// The direction of the messages that a statement reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageTable {
    /// Messages that came in.
    Inbound,
    /// Messages that go out.
    Outbox,
}

impl MessageTable {
    /// Both tables.
    pub const ALL: [Self; 2] = [Self::Inbound, Self::Outbox];

    const fn all_texts(self) -> &'static str {
        match self {
            Self::Inbound => {
                "SELECT m.id, m.body, m.sender AS contact, b.value AS text FROM inbound m JOIN pii b ON b.id = m.body
                 WHERE {m.tenant} = $1 AND {m.id} > $2 ORDER BY {m.id} LIMIT $3"
            }
            Self::Outbox => {
                "SELECT m.id, m.body, m.contact, b.value AS text FROM outbox m JOIN pii b ON b.id = m.body
                 WHERE {m.tenant} = $1 AND {m.id} > $2 ORDER BY {m.id} LIMIT $3"
            }
        }
    }

    const fn texts_of_number(self) -> &'static str {
        match self {
            Self::Inbound => {
                "SELECT m.id, m.body, b.value AS text FROM inbound m JOIN pii b ON b.id = m.body
                 WHERE m.tenant = $1 AND m.sender = $4 AND {m.id} > $2 ORDER BY {m.id} LIMIT $3"
            }
            Self::Outbox => {
                "SELECT m.id, m.body, b.value AS text FROM outbox m JOIN pii b ON b.id = m.body
                 WHERE m.tenant = $1 AND m.contact = $4 AND {m.id} > $2 ORDER BY {m.id} LIMIT $3"
            }
        }
    }
}

impl Tx {
    /// Returns the latest texts from the number of the person, if it is theirs alone.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn words_of(&mut self, order: &ErasureOrder) -> Result<Vec<String>, StoreError> {
        if order.is_number_shared {
            return Ok(Vec::new());
        }
        let most = i64::try_from(WORDS_MAX).unwrap_or(i64::MAX);
        let rows = self
            .rows(
                "SELECT b.value AS text FROM inbound m JOIN pii b ON b.id = m.body
                 WHERE m.tenant = $1 AND m.sender = $2 ORDER BY {m.id} DESC LIMIT $3",
                &params![&order.tenant, order.contact, most],
            )
            .await?;
        let texts = rows.iter().map(|row| row.opt_text("text"));
        texts.filter_map(Result::transpose).collect()
    }

    /// Reads a page of the messages of a tenant, and returns the texts that contain personal data, redacted. Leaves out those
    /// that are erased as a whole.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn redacted_messages(
        &mut self,
        order: &ErasureOrder,
        table: MessageTable,
        after: &TextCursor,
        redactor: &Redactor,
    ) -> Result<TextPage<Rows>, StoreError> {
        let mut params = vec![Param::from(&order.tenant)];
        params.extend(after.iter().cloned());
        params.push(PAGE_ROWS.into());
        let found = self.rows(table.all_texts(), &params).await?;
        let next = next_key(&found, key_of)?;
        let mut others = Vec::with_capacity(found.len());
        for row in found {
            let is_own = row.digest("contact")? == order.contact.digest();
            if order.is_number_shared || !is_own {
                others.push(row);
            }
        }
        let redacted = new_texts(&others, |text| redactor.redact(text))?;
        Ok(TextPage { redacted, next })
    }

    /// Reads a page of the messages with the person's number, and returns the texts that are still there, erased. If others
    /// share the number, there is nothing to erase as a whole: whose texts they are is not known.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn own_messages(
        &mut self,
        order: &ErasureOrder,
        table: MessageTable,
        after: &TextCursor,
    ) -> Result<TextPage<Rows>, StoreError> {
        if order.is_number_shared {
            return Ok(TextPage { redacted: Rows::new(TEXT), next: None });
        }
        let mut params = vec![Param::from(&order.tenant)];
        params.extend(after.iter().cloned());
        params.extend([PAGE_ROWS.into(), order.contact.into()]);
        let found = self.rows(table.texts_of_number(), &params).await?;
        let redacted = new_texts(&found, |text| (text != ERASED).then(|| ERASED.to_owned()))?;
        Ok(TextPage { redacted, next: next_key(&found, key_of)? })
    }

    /// Replaces stored texts of messages.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn write_texts(&mut self, texts: &Rows) -> Result<(), StoreError> {
        if texts.is_empty() {
            return Ok(());
        }
        let sql = "UPDATE pii SET value = v.value FROM {rows} WHERE pii.id = v.id";
        self.bulk(sql, &[], texts).await.map(drop)
    }

    /// Cancels what was to be sent to the person. Returns the number of messages.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn cancel_to_person(&mut self, order: &ErasureOrder) -> Result<u64, StoreError> {
        self.execute(
            "UPDATE outbox SET state = 'cancelled', error = 'the person was erased'
             WHERE tenant = $1 AND contact = $2 AND (state || '') = 'queued'
                AND ($4 = 0 OR person = $3)",
            &params![&order.tenant, order.contact, order.person, order.is_number_shared],
        )
        .await
    }

    /// Erases the number of the person, unless others share it, and in what words they agreed to texts. That the number
    /// has opted out stays on record, by a digest, so that it stays obeyed.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn erase_number(&mut self, order: &ErasureOrder) -> Result<(), StoreError> {
        if order.is_number_shared {
            return Ok(());
        }
        self.execute(
            "UPDATE pii SET value = $3 WHERE id = (SELECT phone FROM contact WHERE tenant || '' = $1 AND id = $2)",
            &params![&order.tenant, order.contact, ERASED],
        )
        .await?;
        self.execute(
            "UPDATE contact SET consent_source = NULL, consent_at = NULL, consent_wording = NULL
             WHERE tenant || '' = $1 AND id = $2",
            &params![&order.tenant, order.contact],
        )
        .await
        .map(drop)
    }
}

const TEXT: &[(&str, ColumnType)] = &[("id", ColumnType::Id), ("value", ColumnType::Text)];

fn new_texts(found: &[Row], new: impl Fn(&str) -> Option<String>) -> Result<Rows, StoreError> {
    let mut rows = Rows::new(TEXT);
    for row in found {
        if let Some(text) = row.opt_text("text")?.as_deref().and_then(&new) {
            rows.add(vec![row.param("body", ColumnType::Id)?, text.into()]);
        }
    }
    Ok(rows)
}

fn key_of(row: &Row) -> Result<TextCursor, StoreError> {
    Ok(vec![row.param("id", ColumnType::Id)?])
}
