//! Redacts the texts of tables whose rows name their tenant.

use crate::base::EventId;
use crate::erasure::Redactor;
use crate::store::error::StoreError;
use crate::store::param::{ColumnType, Param};
use crate::store::row::Row;
use crate::store::rows::Rows;
use crate::store::tx::Tx;

use super::{PAGE_ROWS, tables};

/// A table with texts that may contain personal data.
#[derive(Debug, Clone, Copy)]
pub struct TextTable {
    /// The name of the table.
    pub name: &'static str,
    /// The columns that identify a row of a tenant, named `k_` and the column's name.
    pub keys: &'static [(&'static str, ColumnType)],
    /// The columns with texts.
    pub texts: &'static [&'static str],
    /// Those columns with texts whose values differ from row to row. A redacted value differs too.
    pub unique: &'static [&'static str],
    /// The keys, then the texts: the columns of the rows that `write` takes.
    pub columns: &'static [(&'static str, ColumnType)],
    /// Reads the keys and texts of a tenant's next rows. `$1` is the tenant, `$2` the number of rows; then follow the
    /// keys of the last row that was read.
    pub read: &'static str,
    /// As `read`, and locks the rows.
    pub lock: &'static str,
    /// Writes the texts of rows of the tenant `$1`.
    pub write: &'static str,
}

/// The keys of the last row that was read.
pub type TextCursor = Vec<Param>;

/// Describes a table with texts: its keys with their types, and its texts. `unique` lists those of the texts
/// whose values must differ from row to row. With `by "tenant", "{id}"`, the rows are read through an index that holds the key
/// as an expression.
#[macro_export]
macro_rules! text_table {
    ($table:literal, [$first:ident $first_kind:ident $(, $key:ident $kind:ident)*],
     [$text:ident $(, $more:ident)*] $(, by $owner:literal, $order:literal)? $(, unique [$($unique:ident),*])?) => {
        $crate::store::TextTable {
            name: $table,
            keys: &[
                (concat!("k_", stringify!($first)), $crate::store::ColumnType::$first_kind)
                $(, (concat!("k_", stringify!($key)), $crate::store::ColumnType::$kind))*
            ],
            texts: &[stringify!($text) $(, stringify!($more))*],
            unique: &[$($(stringify!($unique)),*)?],
            columns: &[
                (concat!("k_", stringify!($first)), $crate::store::ColumnType::$first_kind),
                $((concat!("k_", stringify!($key)), $crate::store::ColumnType::$kind),)*
                (stringify!($text), $crate::store::ColumnType::Text)
                $(, (stringify!($more), $crate::store::ColumnType::Text))*
            ],
            read: $crate::text_table!(@read $table, $($owner, $order,)? [$first $(, $key)*], [$text $(, $more)*], ""),
            lock: $crate::text_table!(@read $table, $($owner, $order,)? [$first $(, $key)*], [$text $(, $more)*], " {for_update}"),
            write: concat!(
                "UPDATE ", $table, " SET ", stringify!($text), " = v.", stringify!($text)
                $(, ", ", stringify!($more), " = v.", stringify!($more))*,
                " FROM {rows} WHERE ", $table, ".tenant = $1 AND ", $table, ".", stringify!($first), " = v.k_",
                stringify!($first)
                $(, " AND ", $table, ".", stringify!($key), " = v.k_", stringify!($key))*
            ),
        }
    };
    (@read $table:literal, [$first:ident $(, $key:ident)*], [$($text:ident),*], $end:literal) => {
        concat!(
            "SELECT ", stringify!($first), " AS k_", stringify!($first)
            $(, ", ", stringify!($key), " AS k_", stringify!($key))* $(, ", ", stringify!($text))*,
            " FROM ", $table, " WHERE tenant = $1 AND ", $crate::text_table!(@after $first $(, $key)*),
            " ORDER BY ", stringify!($first) $(, ", ", stringify!($key))*, " LIMIT $2", $end
        )
    };
    (@read $table:literal, $owner:literal, $order:literal, [$key:ident], [$($text:ident),*], $end:literal) => {
        concat!(
            "SELECT ", stringify!($key), " AS k_", stringify!($key) $(, ", ", stringify!($text))*,
            " FROM ", $table, " WHERE ", $owner, " = $1 AND ", $order, " > $3 ORDER BY ", $order, " LIMIT $2", $end
        )
    };
    (@after $a:ident) => { concat!(stringify!($a), " > $3") };
    (@after $a:ident, $b:ident) => { concat!("(", stringify!($a), ", ", stringify!($b), ") > ($3, $4)") };
    (@after $a:ident, $b:ident, $c:ident) => {
        concat!("(", stringify!($a), ", ", stringify!($b), ", ", stringify!($c), ") > ($3, $4, $5)")
    };
    (@after $a:ident, $b:ident, $c:ident, $d:ident) => {
        concat!(
            "(", stringify!($a), ", ", stringify!($b), ", ", stringify!($c), ", ", stringify!($d),
            ") > ($3, $4, $5, $6)"
        )
    };
}

impl TextTable {
    /// Returns the tables of the engine.
    pub fn of_engine() -> impl Iterator<Item = &'static TextTable> {
        tables::TABLES.iter()
    }

    /// Returns the position before the first row.
    #[must_use]
    pub fn beginning(&self) -> TextCursor {
        let lowest = |(_, kind): &(&str, ColumnType)| match kind {
            ColumnType::Int => Param::Int(Some(i64::MIN)),
            ColumnType::Text => Param::Text(Some(String::new())),
            ColumnType::Id => Param::Id(Some(uuid::Uuid::nil())),
            ColumnType::Bytes => Param::Bytes(Some(Vec::new())),
        };
        self.keys.iter().map(lowest).collect()
    }

    fn key_of(&self, row: &Row) -> Result<TextCursor, StoreError> {
        self.keys.iter().map(|(name, kind)| row.param(name, *kind)).collect()
    }
}

/// What a look at a page of texts found.
#[derive(Debug)]
pub struct TextPage<T> {
    /// The rows that contain personal data, redacted; or whether there are any.
    pub redacted: T,
    /// Where the next page begins; `None` after the last row.
    pub next: Option<TextCursor>,
}

impl Tx {
    /// Looks for personal data in a page of a table.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn rows_with_data(
        &mut self,
        tenant: &str,
        table: &'static TextTable,
        after: &TextCursor,
        redactor: &Redactor,
    ) -> Result<TextPage<bool>, StoreError> {
        let found = self.text_rows(table.read, tenant, after).await?;
        let redacted = !self.redacted(table, &found, redactor)?.is_empty();
        Ok(TextPage { redacted, next: next_key(&found, |row| table.key_of(row))? })
    }

    /// Redacts a page of a table. Returns the number of rows that it has changed.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn redact_rows(
        &mut self,
        tenant: &str,
        table: &'static TextTable,
        after: &TextCursor,
        redactor: &Redactor,
    ) -> Result<u64, StoreError> {
        let found = self.text_rows(table.lock, tenant, after).await?;
        let redacted = self.redacted(table, &found, redactor)?;
        if !redacted.is_empty() {
            self.bulk(table.write, &[Param::from(tenant)], &redacted).await?;
        }
        Ok(redacted.len() as u64)
    }

    async fn text_rows(
        &mut self,
        sql: &'static str,
        tenant: &str,
        after: &TextCursor,
    ) -> Result<Vec<Row>, StoreError> {
        let mut params = vec![Param::from(tenant), Param::from(PAGE_ROWS)];
        params.extend(after.iter().cloned());
        self.rows(sql, &params).await
    }

    /// Returns the rows that contain personal data, redacted.
    fn redacted(
        &self,
        table: &'static TextTable,
        found: &[Row],
        redactor: &Redactor,
    ) -> Result<Rows, StoreError> {
        let mut rows = Rows::new(table.columns);
        for row in found {
            let (mut texts, mut changed) = (Vec::with_capacity(table.texts.len()), false);
            for column in table.texts {
                let text = row.opt_text(column)?;
                let redacted = text.as_deref().and_then(|text| redactor.redact(text));
                changed |= redacted.is_some();
                let redacted = redacted.map(|text| match table.unique.contains(column) {
                    true => format!("{text} {}", self.mint::<EventId>()),
                    false => text,
                });
                texts.push(Param::Text(redacted.or(text)));
            }
            if changed {
                rows.add(table.key_of(row)?.into_iter().chain(texts).collect());
            }
        }
        Ok(rows)
    }
}

/// Returns the key of the last row of a full page; `None` if no more rows follow.
pub(super) fn next_key(
    page: &[Row],
    key: impl Fn(&Row) -> Result<TextCursor, StoreError>,
) -> Result<Option<TextCursor>, StoreError> {
    let is_full = i64::try_from(page.len()).is_ok_and(|rows| rows == PAGE_ROWS);
    page.last().filter(|_| is_full).map(key).transpose()
}
