//! A new PostgreSQL database for the benchmark, on a server that does not lose committed data.

use abide_engine::base::Problem;
use abide_engine::store::DurabilitySetting;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};

use super::failed;

/// Refuses a database that may lose committed data. Such a database commits faster than a durable database,
/// so its figures would be too good.
///
/// # Errors
/// `not_durable`, with each unsafe setting and the remedy.
pub(in crate::bench) fn require_durable(facts: &[DurabilitySetting]) -> Result<(), Problem> {
    let is_unsafe = |fact: &&DurabilitySetting| {
        !fact.safe || (fact.name == "synchronous_commit" && fact.value != "on")
    };
    let unsafe_settings: Vec<&DurabilitySetting> = facts.iter().filter(is_unsafe).collect();
    if unsafe_settings.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> =
        unsafe_settings.iter().map(|f| format!("`{}` is `{}`", f.name, f.value)).collect();
    let message = format!("the database may lose committed data: {}", shown.join(", "));
    let names: Vec<String> = unsafe_settings.iter().map(|f| format!("`{}`", f.name)).collect();
    Err(Problem::operator("not_durable", message).with_hint(format!(
        "set {} to `on` in `postgresql.conf` (and for this database and role), reload, and measure again",
        names.join(" and ")
    )))
}

/// A database that is created for the benchmark and dropped afterwards.
pub(in crate::bench) struct FreshDatabase {
    server: PgConnectOptions,
    name: String,
}

impl FreshDatabase {
    /// Creates a database on the PostgreSQL server at `url`.
    ///
    /// # Errors
    /// `database_unreachable`, also if the role may not create databases.
    pub(in crate::bench) async fn create(url: &str, name: String) -> Result<Self, Problem> {
        let server: PgConnectOptions = url.parse().map_err(failed("read the database URL"))?;
        let created = Self { server, name };
        created.execute(format!("CREATE DATABASE {}", created.name)).await.map_err(|error| {
            failed("create a database")(error)
                .with_hint("use the URL of a running server, with a role that has `CREATEDB`")
        })?;
        Ok(created)
    }

    /// Returns the URL of the database.
    pub(in crate::bench) fn url(&self) -> String {
        self.server.clone().database(&self.name).to_url_lossy().to_string()
    }

    /// Drops the database, even if there are still connections to it.
    pub(in crate::bench) async fn remove(self) -> Result<(), Problem> {
        let text = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        self.execute(text).await.map_err(failed("drop its database"))
    }

    async fn execute(&self, text: String) -> Result<(), sqlx::Error> {
        let mut conn = PgConnection::connect_with(&self.server).await?;
        conn.execute(sqlx::raw_sql(AssertSqlSafe(text))).await?;
        conn.close().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(name: &'static str, value: &str, safe: bool) -> DurabilitySetting {
        DurabilitySetting { name, value: value.to_owned(), safe }
    }

    #[test]
    fn a_database_that_may_lose_data_is_refused_with_a_hint() {
        let on = |name| fact(name, "on", true);
        let all = [on("fsync"), on("full_page_writes"), on("synchronous_commit")];
        assert!(require_durable(&all).is_ok());
        let loose = [fact("fsync", "off", false), fact("synchronous_commit", "local", true)];
        let problem = require_durable(&loose).expect_err("is refused");
        assert_eq!(problem.code, "not_durable");
        assert!(problem.message.contains("`fsync` is `off`, `synchronous_commit` is `local`"));
        assert!(problem.hint.is_some_and(|hint| hint.contains("`fsync` and `synchronous_commit`")));
    }
}
