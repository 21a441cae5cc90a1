//! Binds many rows to one statement, so that a batch of 128 runs needs as many statements as one run.

use uuid::Uuid;

use super::param::{ColumnType, Param};
use crate::base::{TypedId, text};

/// The values of the placeholder `{rows}` in a statement.
/// The placeholder becomes a derived table `v` with these columns.
///
/// PostgreSQL gets one array per column (`unnest`), SQLite one JSON string (`jsonb_each`, which parses it once).
#[derive(Debug, Clone)]
pub struct Rows {
    columns: &'static [(&'static str, ColumnType)],
    values: Vec<Vec<Param>>,
}

impl Rows {
    /// Creates an empty set of rows with these columns.
    #[must_use]
    pub fn new(columns: &'static [(&'static str, ColumnType)]) -> Self {
        Self { columns, values: Vec::new() }
    }

    /// Creates rows from values; the values of each row are in the order of the columns.
    pub(super) fn of(
        columns: &'static [(&'static str, ColumnType)],
        values: Vec<Vec<Param>>,
    ) -> Self {
        Self { columns, values }
    }

    /// Creates rows with one column `id`, which hold these ids in ascending order.
    #[must_use]
    pub fn ids<'a, T: TypedId + 'a>(ids: impl IntoIterator<Item = &'a T>) -> Self {
        let mut sorted: Vec<Uuid> = ids.into_iter().map(|id| id.uuid()).collect();
        sorted.sort_unstable();
        let values = sorted.into_iter().map(|id| vec![Param::Id(Some(id))]).collect();
        Self { columns: &[("id", ColumnType::Id)], values }
    }

    /// Adds a row, with its values in the order of the columns.
    pub fn push<const N: usize>(&mut self, row: [Param; N]) {
        debug_assert_eq!(N, self.columns.len(), "a row has one value per column");
        self.values.push(row.into());
    }

    /// Adds a row that was built column by column, with its values in the order of the columns.
    pub(super) fn add(&mut self, row: Vec<Param>) {
        debug_assert_eq!(row.len(), self.columns.len(), "a row has one value per column");
        self.values.push(row);
    }

    /// Whether there are no rows, so that the statement can be skipped.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn columns(&self) -> &'static [(&'static str, ColumnType)] {
        self.columns
    }

    /// Returns the values of each row, in the order of the columns.
    pub(super) fn values(&self) -> &[Vec<Param>] {
        &self.values
    }

    /// Returns the values of column `ix`, from the first row to the last.
    pub(super) fn column(&self, ix: usize) -> impl Iterator<Item = &Param> {
        self.values.iter().map(move |row| &row[ix])
    }

    /// Writes all rows as one JSON array of arrays, with ids and bytes in hexadecimal.
    pub(super) fn to_json(&self) -> String {
        let mut out = String::with_capacity(self.values.len() * self.columns.len() * 24);
        out.push('[');
        for (i, row) in self.values.iter().enumerate() {
            out.push_str(if i == 0 { "[" } else { ",[" });
            for (j, value) in row.iter().enumerate() {
                if j > 0 {
                    out.push(',');
                }
                push_json(&mut out, value);
            }
            out.push(']');
        }
        out.push(']');
        out
    }
}

fn push_json(out: &mut String, value: &Param) {
    match value {
        Param::Int(Some(n)) => out.push_str(&n.to_string()),
        Param::Text(Some(text)) => {
            out.push_str(&text::json(text));
        }
        Param::Id(Some(id)) => push_hex(out, id.as_bytes()),
        Param::Bytes(Some(bytes)) => push_hex(out, bytes),
        Param::Int(None) | Param::Text(None) | Param::Id(None) | Param::Bytes(None) => {
            out.push_str("null");
        }
    }
}

fn push_hex(out: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.push('"');
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)] as char);
        out.push(DIGITS[usize::from(byte & 15)] as char);
    }
    out.push('"');
}
