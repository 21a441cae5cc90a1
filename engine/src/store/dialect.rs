//! Expands a portable SQL string into the SQL of one of the two databases.
//!
//! * `{rows}` becomes a derived table `v` of the rows that are bound to the statement.
//! * `{for_update}` and `{for_share}` become row locks, and `{skip_locked}` their option `SKIP LOCKED`, on
//!   PostgreSQL, which has several writers; all become nothing on SQLite, which has one.
//! * `{log_place}` becomes the position of a new event in the event log,
//!   and `{log_pos}` the position of a stored event.
//! * `{log_order}` becomes the columns by which the event log is sorted,
//!   and `{log_after}` the condition for events of the tenant `$1` after the position `($2, $3)`.
//! * `{r.id}` becomes an expression with the value of the column `r.id`, and `{id}` with that of `id`. The indexes by
//!   which the rows of a tenant are read in the order of their ids hold this expression instead of the column. Only a
//!   statement that names it can use them, and such a statement cannot use the primary key. So no planner can choose
//!   the primary key and read the rows of all tenants in its order. A statement that looks rows up by their ids instead
//!   names the tenant as `tenant || ''`, which keeps it from the indexes that begin with the tenant.
//! * `id IN (SELECT id FROM {rows})` compares with a list, if the rows have no other column.
//! * `r.id {in} SELECT … {end}` is true for the ids among the rows of a subquery, which may name the tables to its left:
//!   it is evaluated once for each of their rows, and `r` is then read by its ids.
//! * `{each t u} u.a = v.id {end each}` joins the rows of the table `t`, called `u`, for which the condition holds. They are
//!   looked up for each row to the left, by its values. From a plain `JOIN`, a server could also read `t` first, by an index
//!   of which it knows that it holds few rows, such as that of open signals. It does not know how many there are by now.
//!
//! Parameters are `$n` on both databases. On SQLite, the parameter of a `LIMIT` is written as a sum,
//! because SQLite prepares a statement again whenever a bare `LIMIT` parameter is bound.
//! Expanded SQL is cached, because the same statements are sent again and again.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock, RwLock};

use super::param::ColumnType;

/// The kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// SQLite: embedded, with one writer.
    Sqlite,
    /// PostgreSQL: a server with many writers.
    Postgres,
}

/// The columns of `{rows}`, and the number of the first parameter that holds their values.
pub(super) type RowsAt = (&'static [(&'static str, ColumnType)], usize);

/// The cache of expanded SQL. Its key is the dialect, the address and the length of the portable SQL, and
/// a number for the columns of `{rows}`. The address identifies the portable SQL, which is `'static`.
type Texts = HashMap<(Dialect, usize, usize, usize), Arc<str>>;

static EXPANDED: LazyLock<RwLock<Texts>> = LazyLock::new(RwLock::default);

/// The position that is stored with a new event on SQLite. It is always 0, because the log is read in the
/// order of row ids instead: with one writer, that is the order of commits.
const PLACE_SQLITE: &str = "0";
const POS_SQLITE: &str = "rowid";
const ORDER_SQLITE: &str = "rowid";
/// The condition for events after a position, among events that are looked up by their streams. The `+` keeps
/// SQLite from using the index over all events of the tenant instead.
const AFTER_SQLITE: &str = "+tenant = $1 AND rowid > $2 AND $3 IS NOT NULL";
/// The position of a new event on PostgreSQL, which has several writers: the number of the event's
/// transaction. The server may assign this number long before the transaction writes the event. So an
/// earlier event of the same stream may come from a transaction with a higher number, for which this
/// transaction waited. The new event then gets the higher number too, so that the events of a stream are
/// read in the order in which they were written.
const PLACE_POSTGRES: &str = "GREATEST(CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT), COALESCE(\
    (SELECT l.pos FROM ledger l WHERE l.stream = v.stream AND l.seq < v.seq ORDER BY l.seq DESC LIMIT 1), 0))";
const POS_POSTGRES: &str = "pos";
const ORDER_POSTGRES: &str = "pos, id";
/// The condition for events after a given position. It leaves out events whose own position is not lower
/// than the number of the oldest open transaction. An open or future transaction can write events only at
/// such positions, so no further event can appear between the events that the condition selects.
const AFTER_POSTGRES: &str = "tenant = $1 AND (pos, id) > ($2, $3) \
    AND pos < CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT)";

/// The columns of which an index can hold an expression instead.
const KEYS: [&str; 9] =
    ["due_at", "id", "notice", "partition_key", "run_id", "state", "stream", "tenant", "unasked"];

/// Replaces `{r.id}` by an expression with the value of the column.
fn keys_as_expressions(text: &str) -> String {
    let mut parts = text.split('{');
    let mut expanded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let word = part.split_once('}').filter(|(word, _)| {
            KEYS.contains(&word.rsplit_once('.').map_or(*word, |(_, column)| column))
        });
        let _ = match word {
            Some((column, rest)) => write!(expanded, "COALESCE({column}, {column}){rest}"),
            None => write!(expanded, "{{{part}"),
        };
    }
    expanded
}

/// Replaces `{each t u} … {end each}` by a join whose right side is looked up for each row of its left side.
fn looked_up(dialect: Dialect, text: &str) -> String {
    let mut parts = text.split("{each ");
    let mut joined = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let split = part.split_once('}').and_then(|(table, rest)| {
            let (condition, rest) = rest.split_once("{end each}")?;
            Some((table, condition, rest))
        });
        let Some((table, condition, rest)) = split else {
            let _ = write!(joined, "{{each {part}");
            continue;
        };
        let name = table.rsplit(' ').next().unwrap_or(table);
        let _ = match dialect {
            Dialect::Sqlite => write!(joined, "CROSS JOIN {table} ON {condition}{rest}"),
            // The rows are looked up before any other condition is tried, because of `OFFSET`.
            Dialect::Postgres => write!(
                joined,
                "CROSS JOIN LATERAL (SELECT * FROM {table} WHERE {condition} OFFSET 0) AS {name}{rest}"
            ),
        };
    }
    joined
}

/// Makes SQLite read the given rows before the table that a statement joins to them.
fn rows_first(text: &str) -> String {
    let mut parts = text.split("{rows}");
    let mut ordered = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start();
        ordered.push_str(if rest.starts_with("JOIN ") { "{rows} CROSS " } else { "{rows}" });
        ordered.push_str(if rest.starts_with("JOIN ") { rest } else { part });
    }
    ordered
}

/// Makes PostgreSQL look for the values of a list one by one. From a subquery, it could also read the table first, and look
/// for the value of each row in the list.
fn lists_as_arrays(text: String, (columns, at): RowsAt) -> String {
    let [(name, kind)] = columns else { return text };
    let array = format!("(${at}::{}[])", kind.on_postgres());
    [format!("(SELECT {name} FROM {{rows}})"), format!("(SELECT v.{name} FROM {{rows}})")]
        .iter()
        .fold(text, |text, list| {
            text.replace(&format!("NOT IN {list}"), &format!("<> ALL {array}"))
                .replace(&format!("IN {list}"), &format!("= ANY {array}"))
        })
}

/// The words with which statements change rows.
const CHANGES: [&str; 3] = ["INSERT INTO ", "UPDATE ", "DELETE FROM "];

impl Dialect {
    /// Whether a portable SQL string only reads: it changes no row, and locks none on this database.
    pub(super) fn only_reads(self, sql: &str) -> bool {
        let sql = sql.trim_start();
        let locks =
            self == Self::Postgres && (sql.contains("{for_update}") || sql.contains("{for_share}"));
        let selects = sql.starts_with("SELECT ")
            || (sql.starts_with("WITH ") && !CHANGES.iter().any(|word| sql.contains(word)));
        selects && !locks
    }

    /// Returns the SQL to send to the database for a portable SQL string.
    pub(super) fn expand(self, sql: &'static str, rows: Option<RowsAt>) -> Arc<str> {
        let first = rows.map_or(0, |(columns, at)| columns.as_ptr() as usize ^ at);
        let key = (self, sql.as_ptr() as usize, sql.len(), first);
        let read = EXPANDED.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(text) = read.get(&key) {
            return Arc::clone(text);
        }
        drop(read);
        let text: Arc<str> = self.fill(sql, rows).into();
        let mut write = EXPANDED.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        Arc::clone(write.entry(key).or_insert(text))
    }

    fn fill(self, sql: &str, rows: Option<RowsAt>) -> String {
        let (update, share, skip) = match self {
            Self::Sqlite => ("", "", ""),
            Self::Postgres => ("FOR NO KEY UPDATE", "FOR SHARE", "SKIP LOCKED"),
        };
        let (place, pos, order, after) = match self {
            Self::Sqlite => (PLACE_SQLITE, POS_SQLITE, ORDER_SQLITE, AFTER_SQLITE),
            Self::Postgres => (PLACE_POSTGRES, POS_POSTGRES, ORDER_POSTGRES, AFTER_POSTGRES),
        };
        let limit = match self {
            Self::Sqlite => "LIMIT 0 + $",
            Self::Postgres => "LIMIT $",
        };
        let (within, end) = match self {
            Self::Sqlite => ("IN (", ")"),
            Self::Postgres => ("= ANY (ARRAY(", "))"),
        };
        let text = looked_up(self, &keys_as_expressions(sql))
            .replace("{in}", within)
            .replace("{end}", end)
            .replace("{for_update}", update)
            .replace("{for_share}", share)
            .replace("{skip_locked}", skip)
            .replace("LIMIT $", limit)
            .replace("{log_place}", place)
            .replace("{log_pos}", pos)
            .replace("{log_order}", order)
            .replace("{log_after}", after);
        // SQLite would guess which of two tables to read first: from the few rows, it finds those of the table.
        let text = match (self, rows) {
            (Self::Sqlite, _) => rows_first(&text),
            (Self::Postgres, Some(rows)) => lists_as_arrays(text, rows),
            (Self::Postgres, None) => text,
        };
        match rows {
            None => text,
            Some((columns, at)) => text.replace("{rows}", &self.rows_source(columns, at)),
        }
    }

    fn rows_source(self, columns: &[(&str, ColumnType)], at: usize) -> String {
        match self {
            Self::Postgres => {
                let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
                let mut arrays = String::new();
                for (i, (_, kind)) in columns.iter().enumerate() {
                    let comma = if i == 0 { "" } else { ", " };
                    let _ = write!(arrays, "{comma}${}::{}[]", at + i, kind.on_postgres());
                }
                format!("unnest({arrays}) AS v({})", names.join(", "))
            }
            Self::Sqlite => {
                let mut select = String::new();
                for (i, (name, kind)) in columns.iter().enumerate() {
                    let comma = if i == 0 { "" } else { ", " };
                    let _ = match kind {
                        ColumnType::Int | ColumnType::Text => {
                            write!(select, "{comma}value->>{i} AS {name}")
                        }
                        ColumnType::Id | ColumnType::Bytes => {
                            write!(select, "{comma}unhex(value->>{i}) AS {name}")
                        }
                    };
                }
                format!("(SELECT {select} FROM jsonb_each(${at})) AS v")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[(&str, ColumnType)] = &[("id", ColumnType::Id), ("n", ColumnType::Int)];

    #[test]
    fn one_text_serves_both_databases() {
        let sql = "UPDATE t SET n = v.n FROM {rows} WHERE t.id = v.id AND t.k = $1";
        assert_eq!(
            &*Dialect::Sqlite.expand(sql, Some((COLUMNS, 2))),
            "UPDATE t SET n = v.n FROM (SELECT unhex(value->>0) AS id, value->>1 AS n \
             FROM jsonb_each($2)) AS v WHERE t.id = v.id AND t.k = $1"
        );
        assert_eq!(
            &*Dialect::Postgres.expand(sql, Some((COLUMNS, 2))),
            "UPDATE t SET n = v.n FROM unnest($2::uuid[], $3::bigint[]) AS v(id, n) \
             WHERE t.id = v.id AND t.k = $1"
        );
    }

    #[test]
    fn a_list_is_an_array_of_a_server() {
        const IDS: &[(&str, ColumnType)] = &[("id", ColumnType::Id)];
        let sql = "DELETE FROM t WHERE a = $1 AND (b IN (SELECT id FROM {rows}) OR c NOT IN (SELECT v.id FROM {rows}))";
        assert_eq!(
            &*Dialect::Postgres.expand(sql, Some((IDS, 2))),
            "DELETE FROM t WHERE a = $1 AND (b = ANY ($2::uuid[]) OR c <> ALL ($2::uuid[]))"
        );
        let of_two = "DELETE FROM t WHERE (a, b) IN (SELECT id, n FROM {rows})";
        assert_eq!(
            &*Dialect::Postgres.expand(of_two, Some((COLUMNS, 1))),
            "DELETE FROM t WHERE (a, b) IN (SELECT id, n FROM unnest($1::uuid[], $2::bigint[]) AS v(id, n))"
        );
    }

    #[test]
    fn a_bound_of_the_rows_does_not_have_sqlite_prepare_anew() {
        let sql = "SELECT 1 FROM t WHERE n > $1 LIMIT $2";
        assert_eq!(
            &*Dialect::Sqlite.expand(sql, None),
            "SELECT 1 FROM t WHERE n > $1 LIMIT 0 + $2"
        );
        assert_eq!(&*Dialect::Postgres.expand(sql, None), sql);
    }

    #[test]
    fn a_key_is_named_as_the_indexes_hold_it() {
        let sql =
            "SELECT {for_update} FROM t WHERE t.id {in} SELECT {u.id} FROM u WHERE {id} > $1 {end}";
        assert_eq!(
            &*Dialect::Sqlite.expand(sql, None),
            "SELECT  FROM t WHERE t.id IN ( SELECT COALESCE(u.id, u.id) FROM u WHERE COALESCE(id, id) > $1 )"
        );
        assert_eq!(
            &*Dialect::Postgres.expand(sql, None),
            "SELECT FOR NO KEY UPDATE FROM t WHERE t.id = ANY (ARRAY( SELECT COALESCE(u.id, u.id) FROM u \
             WHERE COALESCE(id, id) > $1 ))"
        );
    }

    #[test]
    fn rows_are_looked_up_for_each_row_to_the_left() {
        let sql = "SELECT u.n FROM {rows} {each t u} u.a = v.id AND u.id {in} SELECT 1 {end} {end each} WHERE u.n > 1";
        assert_eq!(
            &*Dialect::Sqlite.expand(sql, None),
            "SELECT u.n FROM {rows} CROSS JOIN t u ON  u.a = v.id AND u.id IN ( SELECT 1 )  WHERE u.n > 1"
        );
        assert_eq!(
            &*Dialect::Postgres.expand(sql, None),
            "SELECT u.n FROM {rows} CROSS JOIN LATERAL (SELECT * FROM t u WHERE  u.a = v.id \
             AND u.id = ANY (ARRAY( SELECT 1 ))  OFFSET 0) AS u WHERE u.n > 1"
        );
    }

    #[test]
    fn row_locks_vanish_where_there_is_one_writer() {
        let sql = "SELECT 1 FROM t {for_update} {skip_locked}";
        assert_eq!(&*Dialect::Sqlite.expand(sql, None), "SELECT 1 FROM t  ");
        assert_eq!(
            &*Dialect::Postgres.expand(sql, None),
            "SELECT 1 FROM t FOR NO KEY UPDATE SKIP LOCKED"
        );
    }
}
