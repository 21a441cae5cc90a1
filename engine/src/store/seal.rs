//! Stores what the audit remembers: how far an audit has come that has not ended, and what the last clean one has checked.

use super::error::StoreError;
use super::tx::Tx;
use crate::base::{Value, text};
use crate::params;

crate::words! {
    /// A row of the audit's memory.
    pub enum SealName {
        /// How far an audit has come that has not ended.
        Progress = "progress",
        /// What the last clean audit has checked.
        Last = "last",
    }
}

impl Tx {
    /// Returns what the audit remembers under a name.
    pub async fn seal(&mut self, name: SealName) -> Result<Option<Value>, StoreError> {
        let sql = "SELECT body FROM seal WHERE name = $1";
        let row = self.row(sql, &params![name.as_str()]).await?;
        row.map(|row| row.json("body")).transpose()
    }

    /// Lets the audit remember `body` under a name.
    pub async fn put_seal(&mut self, name: SealName, body: &Value) -> Result<(), StoreError> {
        let now = self.now();
        self.execute(
            "INSERT INTO seal (name, body, written_at) VALUES ($1, $2, $3)
             ON CONFLICT (name) DO UPDATE SET body = excluded.body, written_at = excluded.written_at",
            &params![name.as_str(), text::json(body), now],
        )
        .await
        .map(drop)
    }

    /// Lets the audit forget what it remembers under a name.
    pub async fn end_seal(&mut self, name: SealName) -> Result<(), StoreError> {
        self.execute("DELETE FROM seal WHERE name = $1", &params![name.as_str()]).await.map(drop)
    }
}
