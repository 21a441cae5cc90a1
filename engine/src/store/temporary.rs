//! Creates and removes temporary databases on a PostgreSQL server, for simulations and tests.

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

use super::address::Address;
use super::error::StoreError;

/// A temporary database on a PostgreSQL server.
#[derive(Debug)]
pub struct TemporaryDatabase {
    server: PgConnectOptions,
    name: String,
    address: Address,
}

impl TemporaryDatabase {
    /// Creates an empty database on the server with the URL `url`.
    /// The database's name contains the process id and the number `nth`, which must be new in the process.
    ///
    /// # Errors
    /// Fails if the server cannot be reached, or does not allow this user to create a database.
    pub async fn create_on(url: &str, process: u32, nth: u32) -> Result<Self, StoreError> {
        let server: PgConnectOptions = url.parse()?;
        let name = format!("abide_scratch_{process}_{nth}");
        order(&server, format!("CREATE DATABASE {name}")).await?;
        let own = server.clone().database(&name);
        let address = Address::Postgres(own.to_url_lossy().to_string());
        Ok(Self { server, name, address })
    }

    /// Returns the address of the database.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Returns the number of deadlocks that the server has resolved in this database. First ends every
    /// connection to the database, because only a connection that ends is certain to report its deadlocks.
    ///
    /// # Errors
    /// Fails if the server cannot be reached, or refuses one of the statements.
    pub async fn deadlocks(&self) -> Result<i64, StoreError> {
        let mut conn: PgConnection = self.server.connect().await?;
        let end = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1";
        sqlx::query(end).bind(&self.name).execute(&mut conn).await?;
        let count = "SELECT deadlocks FROM pg_stat_database WHERE datname = $1";
        let deadlocks = sqlx::query_scalar(count).bind(&self.name).fetch_one(&mut conn).await?;
        conn.close().await?;
        Ok(deadlocks)
    }

    /// Drops the database and ends every connection to it.
    ///
    /// # Errors
    /// Fails if the server cannot be reached, or refuses to drop the database.
    pub async fn remove(self) -> Result<(), StoreError> {
        order(&self.server, format!("DROP DATABASE {} WITH (FORCE)", self.name)).await
    }
}

async fn order(server: &PgConnectOptions, sql: String) -> Result<(), StoreError> {
    let mut conn: PgConnection = server.connect().await?;
    sqlx::query(AssertSqlSafe(sql)).execute(&mut conn).await?;
    Ok(conn.close().await?)
}
