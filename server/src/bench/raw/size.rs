//! Measures how many bytes each table takes, with its indexes.

use std::collections::BTreeMap;

use abide_engine::base::Problem;
use abide_engine::store::Address;

use super::conn::{Conn, with};
use super::failed;

/// Bytes of each table, with its indexes.
pub(in crate::bench) type TableSizes = BTreeMap<String, u64>;

const SIZES_SQLITE: &str = "SELECT coalesce(m.tbl_name, d.name), CAST(SUM(d.pgsize) AS INTEGER)
    FROM dbstat d LEFT JOIN sqlite_schema m ON m.name = d.name WHERE d.aggregate = TRUE GROUP BY 1";
/// The size of the whole file, for a build of SQLite without the table `dbstat`.
const SIZE_SQLITE: &str = "SELECT 'database', p.page_count * s.page_size
    FROM pragma_page_count p, pragma_page_size s";
const SIZES_POSTGRES: &str =
    "SELECT CAST(relname AS TEXT), pg_total_relation_size(oid) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace)";

/// Returns the bytes of each table, with its indexes.
///
/// # Errors
/// `database_unreachable`.
pub(in crate::bench) async fn measure_sizes(address: &Address) -> Result<TableSizes, Problem> {
    let question = match address {
        Address::Sqlite(_) => SIZES_SQLITE,
        Address::Postgres(_) => SIZES_POSTGRES,
    };
    let mut conn = Conn::open(address).await?;
    let mut found: Result<Vec<(String, i64)>, _> = with!(&mut conn, conn => {
        sqlx::query_as(question).fetch_all(conn).await
    });
    if let (Err(_), Conn::Sqlite(conn)) = (&found, &mut conn) {
        found = sqlx::query_as(SIZE_SQLITE).fetch_all(conn.as_mut()).await;
    }
    let sizes = found.map_err(failed("measure the tables"))?.into_iter();
    Ok(sizes.map(|(table, bytes)| (table, u64::try_from(bytes).unwrap_or(0))).collect())
}
