//! A table without an index, into which a bare server inserts texts.

use abide_engine::base::Problem;
use abide_engine::store::Address;
use sqlx::Executor as _;

use super::conn::{Conn, with};
use super::failed;

/// A table of texts, and the connection that writes it.
pub(in crate::bench) struct BareTable(Conn);

impl BareTable {
    /// Creates the table.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(in crate::bench) async fn create(address: &Address) -> Result<Self, Problem> {
        let mut conn = Conn::open(address).await?;
        run(&mut conn, "CREATE TABLE bare (body TEXT NOT NULL)").await?;
        Ok(Self(conn))
    }

    /// Inserts texts in one commit.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(in crate::bench) async fn insert(&mut self, bodies: &[&str]) -> Result<(), Problem> {
        self.0.begin().await?;
        for body in bodies {
            let done = with!(&mut self.0, conn => {
                sqlx::query("INSERT INTO bare (body) VALUES ($1)").bind(*body).execute(conn).await.map(drop)
            });
            done.map_err(failed("insert"))?;
        }
        self.0.commit().await
    }

    /// Removes the table.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(in crate::bench) async fn remove(mut self) -> Result<(), Problem> {
        run(&mut self.0, "DROP TABLE bare").await
    }
}

async fn run(conn: &mut Conn, sql: &'static str) -> Result<(), Problem> {
    let done = with!(conn, conn => conn.execute(sqlx::raw_sql(sql)).await.map(drop));
    done.map_err(failed("create a table"))
}
