//! Reads a page of rows, the newest first.

use std::fmt::Write as _;

use abide_engine::base::Value;
use abide_engine::store::{Dialect, Param, StoreError, Tx};

use super::interned::interned;
use super::rows::{StoredRow, listed};
use crate::cell::Cell;
use crate::table::{Column, Table};

/// A condition on the rows of a list: what a column, or a member of the body of a record, holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// The column has one of these values.
    Column {
        /// The column.
        column: &'static Column,
        /// The values; [`Cell::Null`] stands for a row without a value.
        values: Vec<Cell>,
    },
    /// The member of the record's body has one of these values.
    Member {
        /// The name of the member.
        name: String,
        /// The values; null stands for a record without the member.
        values: Vec<Value>,
    },
}

/// A period in which the value of a column must be.
#[derive(Debug, Clone, PartialEq)]
pub struct Period {
    /// The column.
    pub column: &'static Column,
    /// The first value of the period; no limit if it is [`Cell::Null`].
    pub since: Cell,
    /// The first value after the period; no limit if it is [`Cell::Null`].
    pub until: Cell,
}

/// Selects a page of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ListQuery<'a> {
    /// The table.
    pub table: &'static Table,
    /// The tenant that owns the rows.
    pub tenant: &'a str,
    /// The conditions that each row meets.
    pub filters: Vec<Filter>,
    /// The period in which each row is.
    pub period: Period,
    /// The id of the last row of the page before.
    pub after: Option<&'a str>,
    /// Maximum number of rows.
    pub limit: i64,
}

/// Returns the rows that a query selects, the newest first.
pub async fn list(tx: &mut Tx, query: &ListQuery<'_>) -> Result<Vec<StoredRow>, StoreError> {
    let mut statement = Statement::new(query.table, query.tenant, tx.dialect());
    query.filters.iter().for_each(|filter| statement.filter(filter));
    let Period { column, since, until } = &query.period;
    for (cell, comparison) in [(since, ">="), (until, "<")] {
        if *cell != Cell::Null {
            statement.compare(column.name, comparison, column.param(cell));
        }
    }
    if let Some(after) = query.after {
        statement.compare("id", "<", after.into());
    }
    let limit = statement.bind(query.limit.into());
    let _ = write!(statement.sql, " ORDER BY id DESC LIMIT {limit}");
    let rows = tx.rows(interned(statement.sql), &statement.params).await?;
    rows.iter().map(|row| StoredRow::read(query.table, row)).collect()
}

/// A query that is being built, with its parameters.
struct Statement {
    sql: String,
    params: Vec<Param>,
    dialect: Dialect,
}

impl Statement {
    fn new(table: &Table, tenant: &str, dialect: Dialect) -> Self {
        let sql = format!("SELECT {} FROM {} WHERE tenant = $1", listed(table), table.name);
        Self { sql, params: vec![tenant.into()], dialect }
    }

    /// Adds a parameter and returns its place in the text.
    fn bind(&mut self, param: Param) -> String {
        self.params.push(param);
        format!("${}", self.params.len())
    }

    fn compare(&mut self, column: &str, comparison: &str, param: Param) {
        let place = self.bind(param);
        let _ = write!(self.sql, " AND {column} {comparison} {place}");
    }

    fn filter(&mut self, filter: &Filter) {
        match filter {
            Filter::Column { column, values } => {
                let given = values.iter().filter(|cell| **cell != Cell::Null);
                let given: Vec<Param> = given.map(|cell| column.param(cell)).collect();
                let missing = given.len() < values.len();
                self.one_of(column.name, given, missing);
            }
            Filter::Member { name, values } => {
                let name = self.bind(name.into());
                let given = values.iter().filter(|value| !value.is_null());
                let given: Vec<Param> = given.map(|value| value.to_string().into()).collect();
                let missing = given.len() < values.len();
                self.one_of(&self.member(&name), given, missing);
            }
        }
    }

    /// Returns the expression for the JSON text of a member of the body. The two databases name the type
    /// of JSON texts differently: SQLite reads them from any text.
    fn member(&self, name: &str) -> String {
        match self.dialect {
            Dialect::Sqlite => format!("CAST(body -> {name} AS TEXT)"),
            Dialect::Postgres => format!("CAST(CAST(body AS JSON) -> {name} AS TEXT)"),
        }
    }

    /// Adds the condition that an expression has one of the given values, or none if it may be missing.
    fn one_of(&mut self, expression: &str, given: Vec<Param>, missing: bool) {
        let places: Vec<String> = given.into_iter().map(|param| self.bind(param)).collect();
        let equal = match places.as_slice() {
            [] => String::new(),
            [place] => format!("{expression} = {place}"),
            places => format!("{expression} IN ({})", places.join(", ")),
        };
        let absent = if missing { format!("{expression} IS NULL") } else { String::new() };
        let either = if equal.is_empty() || absent.is_empty() { "" } else { " OR " };
        let _ = write!(self.sql, " AND ({equal}{either}{absent})");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::table::table;

    fn condition(filter: &Filter, dialect: Dialect) -> (String, usize) {
        let leads = table("leads").expect("a table");
        let mut statement = Statement::new(leads, "t", dialect);
        let before = statement.sql.len();
        statement.filter(filter);
        (statement.sql[before..].to_owned(), statement.params.len())
    }

    #[test]
    fn conditions_contain_no_values() {
        let status = table("leads").and_then(|leads| leads.column("status")).expect("a column");
        let of = |values: &[Cell]| Filter::Column { column: status, values: values.to_vec() };
        let cell = |text: &str| Cell::Text(text.to_owned());
        let cases = [
            (of(&[cell("won")]), " AND (status = $2)", 2),
            (of(&[cell("won"), cell("lost")]), " AND (status IN ($2, $3))", 3),
            (of(&[Cell::Null]), " AND (status IS NULL)", 1),
            (of(&[Cell::Null, cell("won")]), " AND (status = $2 OR status IS NULL)", 2),
        ];
        for (filter, sql, params) in cases {
            assert_eq!(condition(&filter, Dialect::Sqlite), (sql.to_owned(), params));
            assert_eq!(condition(&filter, Dialect::Postgres), (sql.to_owned(), params));
        }
        let member =
            Filter::Member { name: "a' --".to_owned(), values: vec![json!("b"), Value::Null] };
        let body = "CAST(body -> $2 AS TEXT)";
        let expected = format!(" AND ({body} = $3 OR {body} IS NULL)");
        assert_eq!(condition(&member, Dialect::Sqlite), (expected, 3));
        let (sql, _) = condition(&member, Dialect::Postgres);
        assert!(sql.contains("CAST(CAST(body AS JSON) -> $2 AS TEXT)"), "{sql}");
    }
}
