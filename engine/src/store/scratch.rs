//! An empty database beside another one on the same server, for a play or a trial that needs its own.

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

use super::address::Address;
use super::error::StoreError;

/// A database that was made to be thrown away.
#[derive(Debug)]
pub struct Scratch {
    server: PgConnectOptions,
    name: String,
    address: Address,
}

impl Scratch {
    /// Makes an empty database on the server that `url` reaches. Its name says which process made it and
    /// the how-manieth of that process it is.
    ///
    /// # Errors
    /// The server cannot be reached, or does not let this user make one.
    pub async fn beside(url: &str, (process, nth): (u32, u32)) -> Result<Self, StoreError> {
        let server: PgConnectOptions = url.parse()?;
        let name = format!("abide_scratch_{process}_{nth}");
        order(&server, format!("CREATE DATABASE {name}")).await?;
        let own = server.clone().database(&name);
        let address = Address::Postgres(own.to_url_lossy().to_string());
        Ok(Self { server, name, address })
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Throws it away, with whatever still holds on to it.
    ///
    /// # Errors
    /// As [`Self::beside`].
    pub async fn remove(self) -> Result<(), StoreError> {
        order(&self.server, format!("DROP DATABASE {} WITH (FORCE)", self.name)).await
    }
}

async fn order(server: &PgConnectOptions, sql: String) -> Result<(), StoreError> {
    let mut conn: PgConnection = server.connect().await?;
    sqlx::query(AssertSqlSafe(sql)).execute(&mut conn).await?;
    Ok(conn.close().await?)
}
