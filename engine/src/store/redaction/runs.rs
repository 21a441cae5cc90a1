//! Redacts the state and the values of runs, what was sent to them, and the large values that they name.

use std::collections::BTreeSet;

use super::PAGE_ROWS;
use super::rows::{TextCursor, TextPage, next_key};
use crate::base::{Digest, EventId};
use crate::erasure::Redactor;
use crate::params;
use crate::store::copy::digests_in;
use crate::store::error::StoreError;
use crate::store::param::{ColumnType, Param};
use crate::store::row::Row;
use crate::store::rows::Rows;
use crate::store::tx::Tx;

/// Whether the rows that are read are also locked, because they are to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Plain,
    Locking,
}

/// A table with texts that belong to runs.
struct RunTexts {
    /// The columns that identify a row, then the texts.
    columns: &'static [(&'static str, ColumnType)],
    /// The number of columns that identify a row.
    keys: usize,
    /// The text that differs from row to row, and must do so when it is redacted.
    unique: &'static str,
    read: &'static str,
    lock: &'static str,
    write: &'static str,
}

/// Builds the two texts of a query: without and with locks.
macro_rules! reads {
    ($columns:literal, $end:literal, $write:literal, $keys:literal, $unique:literal, $list:expr) => {
        RunTexts {
            columns: $list,
            keys: $keys,
            unique: $unique,
            read: concat!("SELECT ", $columns, " IN (SELECT id FROM {rows}) ORDER BY ", $end),
            lock: concat!(
                "SELECT ",
                $columns,
                " IN (SELECT id FROM {rows}) ORDER BY ",
                $end,
                " {for_update}"
            ),
            write: concat!("UPDATE ", $write),
        }
    };
}

const TEXTS: [RunTexts; 3] = [
    reads!(
        "id AS k_id, state, start_key FROM run WHERE id",
        "id",
        "run SET state = v.state, start_key = v.start_key FROM {rows} WHERE run.id = v.k_id",
        1,
        "start_key",
        &[("k_id", ColumnType::Id), ("state", ColumnType::Text), ("start_key", ColumnType::Text)]
    ),
    reads!(
        "run_id AS k_run_id, name AS k_name, value FROM var WHERE run_id",
        "run_id, name",
        "var SET value = v.value FROM {rows} WHERE var.run_id = v.k_run_id AND var.name = v.k_name",
        2,
        "",
        &[("k_run_id", ColumnType::Id), ("k_name", ColumnType::Text), ("value", ColumnType::Text)]
    ),
    reads!(
        "run_id AS k_run_id, id AS k_id, dedupe, payload FROM signal WHERE run_id",
        "run_id, id",
        "signal SET dedupe = v.dedupe, payload = v.payload FROM {rows}
            WHERE signal.run_id = v.k_run_id AND signal.id = v.k_id",
        2,
        "dedupe",
        &[
            ("k_run_id", ColumnType::Id),
            ("k_id", ColumnType::Id),
            ("dedupe", ColumnType::Text),
            ("payload", ColumnType::Text)
        ]
    ),
];

const LARGE: &[(&str, ColumnType)] = &[("digest", ColumnType::Bytes), ("bytes", ColumnType::Text)];

impl Tx {
    /// Looks for personal data in the texts of the next runs of a tenant.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn runs_with_data(
        &mut self,
        tenant: &str,
        after: &TextCursor,
        redactor: &Redactor,
    ) -> Result<TextPage<bool>, StoreError> {
        let (runs, next) = self.next_runs(tenant, after).await?;
        let found = !self.redacted_of_runs(&runs, redactor, Reading::Plain).await?.is_empty();
        Ok(TextPage { redacted: found, next })
    }

    /// Redacts the texts of the next runs of a tenant. Returns the number of changed rows.
    ///
    /// A large value keeps its digest as its key, although its text is no longer that of the digest.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn redact_runs(
        &mut self,
        tenant: &str,
        after: &TextCursor,
        redactor: &Redactor,
    ) -> Result<u64, StoreError> {
        let (runs, _) = self.next_runs(tenant, after).await?;
        // Whoever steps a run writes its turn first.
        let turns = "SELECT run_id FROM turn WHERE run_id IN (SELECT id FROM {rows}) ORDER BY run_id {for_update}";
        self.bulk(turns, &[], &runs).await?;
        let redacted = self.redacted_of_runs(&runs, redactor, Reading::Locking).await?;
        let mut changed = 0;
        for (write, rows) in redacted {
            changed += rows.len() as u64;
            self.bulk(write, &[], &rows).await?;
        }
        Ok(changed)
    }

    async fn next_runs(
        &mut self,
        tenant: &str,
        after: &TextCursor,
    ) -> Result<(Rows, Option<TextCursor>), StoreError> {
        let sql =
            "SELECT r.id FROM run r WHERE r.tenant = $1 AND {r.id} > $3 ORDER BY {r.id} LIMIT $2";
        let mut params = params![tenant, PAGE_ROWS].to_vec();
        params.extend(after.iter().cloned());
        let found = self.rows(sql, &params).await?;
        let mut rows = Rows::new(&[("id", ColumnType::Id)]);
        for row in &found {
            rows.push([row.param("id", ColumnType::Id)?]);
        }
        let key_of = |row: &Row| Ok(vec![row.param("id", ColumnType::Id)?]);
        Ok((rows, next_key(&found, key_of)?))
    }

    /// Returns the redacted rows of these runs, each set with the statement that writes it.
    async fn redacted_of_runs(
        &mut self,
        runs: &Rows,
        redactor: &Redactor,
        reading: Reading,
    ) -> Result<Vec<(&'static str, Rows)>, StoreError> {
        if runs.is_empty() {
            return Ok(Vec::new());
        }
        let (mut all, mut digests) = (Vec::new(), BTreeSet::new());
        for table in &TEXTS {
            let sql = if reading == Reading::Locking { table.lock } else { table.read };
            let mut rows = Rows::new(table.columns);
            for row in &self.bulk(sql, &[], runs).await? {
                if table.unique == "start_key" {
                    digests.extend(digests_in(&row.param("state", ColumnType::Text)?));
                }
                if let Some(redacted) = redacted(row, table, redactor, || self.mint())? {
                    rows.add(redacted);
                }
            }
            if !rows.is_empty() {
                all.push((table.write, rows));
            }
        }
        let named = "SELECT blob AS digest FROM var WHERE run_id IN (SELECT id FROM {rows}) AND blob IS NOT NULL
            UNION SELECT args AS digest FROM undo WHERE run_id IN (SELECT id FROM {rows})";
        for row in &self.bulk(named, &[], runs).await? {
            digests.insert(row.digest("digest")?);
        }
        let large = self.redacted_large(&digests, redactor).await?;
        if !large.is_empty() {
            let write = "UPDATE blob SET bytes = v.bytes FROM {rows} WHERE blob.digest = v.digest";
            all.push((write, large));
        }
        Ok(all)
    }

    async fn redacted_large(
        &mut self,
        digests: &BTreeSet<Digest>,
        redactor: &Redactor,
    ) -> Result<Rows, StoreError> {
        let (mut wanted, mut rows) =
            (Rows::new(&[("digest", ColumnType::Bytes)]), Rows::new(LARGE));
        digests.iter().for_each(|digest| wanted.push([(*digest).into()]));
        if wanted.is_empty() {
            return Ok(rows);
        }
        let sql = "SELECT digest, bytes FROM blob WHERE digest IN (SELECT digest FROM {rows})";
        for row in &self.bulk(sql, &[], &wanted).await? {
            if let Some(bytes) = redactor.redact(&row.text("bytes")?) {
                rows.push([row.digest("digest")?.into(), bytes.into()]);
            }
        }
        Ok(rows)
    }
}

/// Returns a row with its texts redacted; `None` if they contain no personal data. A text that must differ from row to row
/// ends in `suffix`.
fn redacted(
    row: &Row,
    table: &RunTexts,
    redactor: &Redactor,
    suffix: impl Fn() -> EventId,
) -> Result<Option<Vec<Param>>, StoreError> {
    let mut changed = false;
    let values = table.columns.iter().enumerate().map(|(at, (name, kind))| {
        let value = row.param(name, *kind)?;
        let Param::Text(Some(text)) = &value else { return Ok(value) };
        let Some(new) = (at >= table.keys).then(|| redactor.redact(text)).flatten() else {
            return Ok(value);
        };
        changed = true;
        Ok(Param::from(if *name == table.unique { format!("{new} {}", suffix()) } else { new }))
    });
    let values = values.collect::<Result<Vec<_>, StoreError>>()?;
    Ok(changed.then_some(values))
}
