//! Reads and writes single rows.

use abide_engine::base::{Timestamp, Value};
use abide_engine::store::{LockRank, Param, Row, StoreError, Tx};
use serde_json::Map;

use super::interned::interned;
use crate::cell::Cell;
use crate::table::{Column, Table, UPDATED_AT};

/// A row as it is stored, with all its columns but the tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRow {
    table: &'static Table,
    /// The values, in the sequence of [`Table::all_columns`].
    cells: Vec<Cell>,
}

impl StoredRow {
    /// Creates a row that is not stored yet and has only the values that its table gives each row.
    #[must_use]
    pub fn new(table: &'static Table, id: String, now: Timestamp) -> Self {
        let cells = table.all_columns().map(Column::default).collect();
        let mut row = Self { table, cells };
        row.set("id", Cell::Text(id));
        row.set("created_at", Cell::Int(now.micros()));
        row.set("updated_at", Cell::Int(now.micros()));
        row
    }

    /// Returns the table of the row.
    #[must_use]
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// Returns the id of the row.
    #[must_use]
    pub fn id(&self) -> &str {
        self.text("id")
    }

    /// Returns the text in a column; the empty text, if the row has none there.
    #[must_use]
    pub fn text(&self, column: &str) -> &str {
        match self.cell(column) {
            Cell::Text(text) => text,
            Cell::Null | Cell::Int(_) => "",
        }
    }

    /// Returns the whole number in a column; 0, if the row has none there.
    #[must_use]
    pub fn int(&self, column: &str) -> i64 {
        match self.cell(column) {
            Cell::Int(number) => *number,
            Cell::Null | Cell::Text(_) => 0,
        }
    }

    /// Returns the value of a column; no value, if the table has no such column.
    #[must_use]
    pub fn cell(&self, column: &str) -> &Cell {
        self.cells().find(|(known, _)| known.name == column).map_or(&Cell::Null, |(_, cell)| cell)
    }

    /// Returns the columns and their values.
    pub fn cells(&self) -> impl Iterator<Item = (&'static Column, &Cell)> {
        self.table.all_columns().zip(&self.cells)
    }

    /// Returns the row as JSON: its columns by name, without those that have no value.
    ///
    /// # Errors
    /// A sentence, if a stored value is not one of its column.
    pub fn shown(&self) -> Result<Map<String, Value>, String> {
        let mut members = Map::new();
        for (column, cell) in self.cells().filter(|(_, cell)| **cell != Cell::Null) {
            members.insert(column.name.to_owned(), column.shown(cell)?);
        }
        Ok(members)
    }

    /// Changes the value of a column.
    pub fn set(&mut self, column: &str, cell: Cell) {
        if let Some(at) = self.table.all_columns().position(|known| known.name == column) {
            self.cells[at] = cell;
        }
    }

    pub(super) fn read(table: &'static Table, row: &Row) -> Result<Self, StoreError> {
        let cells = table.all_columns().map(|column| {
            Ok(if column.is_number() {
                row.opt_int(column.name)?.map_or(Cell::Null, Cell::Int)
            } else {
                row.opt_text(column.name)?.map_or(Cell::Null, Cell::Text)
            })
        });
        Ok(Self { table, cells: cells.collect::<Result<_, StoreError>>()? })
    }
}

/// Returns the names of all columns of a row, as a query lists them.
pub(super) fn listed(table: &Table) -> String {
    table.all_columns().map(|column| column.name).collect::<Vec<_>>().join(", ")
}

/// Inserts a row. Returns false, and inserts nothing, if a row with the same unique value is already there.
/// Waits for a concurrent transaction that inserts the same value.
pub async fn insert_unless_known(
    tx: &mut Tx,
    tenant: &str,
    row: &StoredRow,
) -> Result<bool, StoreError> {
    tx.lock_at(LockRank::Rows)?;
    let table = row.table;
    let conflict = table.unique_column().map_or(String::new(), |column| {
        format!(" ON CONFLICT (tenant, {}) DO NOTHING", column.name)
    });
    let places: String = (2..row.cells.len() + 2).map(|number| format!(", ${number}")).collect();
    let sql = format!(
        "INSERT INTO {} (tenant, {}) VALUES ($1{places}){conflict}",
        table.name,
        listed(table)
    );
    let own = row.cells().map(|(column, cell)| column.param(cell));
    let params: Vec<Param> = std::iter::once(tenant.into()).chain(own).collect();
    Ok(tx.execute(interned(sql), &params).await? == 1)
}

/// Returns a row; `None` if the tenant has no row with this id.
pub async fn find(
    tx: &mut Tx,
    table: &'static Table,
    tenant: &str,
    id: &str,
) -> Result<Option<StoredRow>, StoreError> {
    let sql = format!("SELECT {} FROM {} WHERE tenant = $1 AND id = $2", listed(table), table.name);
    one(tx, table, sql, &[tenant.into(), id.into()]).await
}

/// Locks and returns a row; `None` if the tenant has no row with this id.
pub async fn lock(
    tx: &mut Tx,
    table: &'static Table,
    tenant: &str,
    id: &str,
) -> Result<Option<StoredRow>, StoreError> {
    tx.lock_at(LockRank::Rows)?;
    let sql = format!(
        "SELECT {} FROM {} WHERE tenant = $1 AND id = $2 {{for_update}}",
        listed(table),
        table.name
    );
    one(tx, table, sql, &[tenant.into(), id.into()]).await
}

/// Returns the row with this value in the unique column of the table; `None` if there is none.
pub async fn find_by_unique_value(
    tx: &mut Tx,
    table: &'static Table,
    tenant: &str,
    cell: &Cell,
) -> Result<Option<StoredRow>, StoreError> {
    let Some(column) = table.unique_column() else { return Ok(None) };
    let sql = format!(
        "SELECT {} FROM {} WHERE tenant = $1 AND {} = $2",
        listed(table),
        table.name,
        column.name
    );
    one(tx, table, sql, &[tenant.into(), column.param(cell)]).await
}

/// Whether the tenant has a row with this id.
pub async fn exists(
    tx: &mut Tx,
    table: &Table,
    tenant: &str,
    id: &str,
) -> Result<bool, StoreError> {
    let sql = format!("SELECT 1 FROM {} WHERE tenant = $1 AND id = $2", table.name);
    Ok(tx.row(interned(sql), &[tenant.into(), id.into()]).await?.is_some())
}

/// Writes some columns of a row that the caller has locked, and `now` as the time of the change.
pub async fn update(
    tx: &mut Tx,
    tenant: &str,
    row: &mut StoredRow,
    columns: &[&'static Column],
    now: Timestamp,
) -> Result<(), StoreError> {
    row.set(UPDATED_AT.name, Cell::Int(now.micros()));
    let places = columns.iter().enumerate();
    let set: String =
        places.map(|(ix, column)| format!(", {} = ${}", column.name, ix + 4)).collect();
    let sql =
        format!("UPDATE {} SET updated_at = $3{set} WHERE tenant = $1 AND id = $2", row.table.name);
    let mut params: Vec<Param> = vec![tenant.into(), row.id().into()];
    params.push(UPDATED_AT.param(row.cell(UPDATED_AT.name)));
    params.extend(columns.iter().map(|column| column.param(row.cell(column.name))));
    tx.execute(interned(sql), &params).await.map(drop)
}

/// Deletes a row.
pub async fn delete(tx: &mut Tx, tenant: &str, row: &StoredRow) -> Result<(), StoreError> {
    tx.lock_at(LockRank::Rows)?;
    let sql = format!("DELETE FROM {} WHERE tenant = $1 AND id = $2", row.table.name);
    tx.execute(interned(sql), &[tenant.into(), row.id().into()]).await.map(drop)
}

async fn one(
    tx: &mut Tx,
    table: &'static Table,
    sql: String,
    params: &[Param],
) -> Result<Option<StoredRow>, StoreError> {
    let row = tx.row(interned(sql), params).await?;
    row.map(|row| StoredRow::read(table, &row)).transpose()
}
