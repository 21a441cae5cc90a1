//! The connection of a command to the routes: of a running server, or of the same router in this process.

mod here;
mod there;

use std::time::Duration;

use abide_engine::base::{Problem, Timestamp};
use abide_engine::clock::{Clock as _, SystemClock};
use abide_engine::facade::Engine;
use abide_engine::store::Dialect;
use abide_engine::transaction;
use serde_json::Value;

use crate::ask::{self, Ask};
use crate::beacon::{self, Beacon};
use crate::open::Opening;
use crate::problem::ProblemDocument;

pub(crate) use here::Here;
pub(crate) use there::There;

/// A connection to the routes.
pub(crate) enum Link {
    /// To a server in another process.
    There(There),
    /// To the router in this process.
    Here(Box<Here>),
}

/// How long to wait for another command that holds the database before reporting it as in use, and how
/// often to retry until then.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(50);

impl Link {
    /// Connects to the server that drives the database, else opens an engine in this process.
    pub(crate) async fn open(opening: &Opening<'_>) -> Result<Self, ProblemDocument> {
        Ok(match Found::on(opening).await? {
            Found::Server(there) => Self::There(there),
            Found::Nobody(engine) => Self::Here(Box::new(Here::over(engine, opening.tenant))),
        })
    }
}

/// What drives a database.
pub(crate) enum Found {
    /// A server.
    Server(There),
    /// No server; this process has opened the engine.
    Nobody(Engine),
}

impl Found {
    /// Finds the server that drives the database, or opens the engine. Waits up to 5 s for another command
    /// that holds the database.
    pub(crate) async fn on(opening: &Opening<'_>) -> Result<Self, ProblemDocument> {
        let mut looks = tokio::time::interval(LOOK_EVERY);
        let mut left = PATIENCE.as_millis() / LOOK_EVERY.as_millis();
        loop {
            looks.tick().await;
            let problem = match opening.as_it_goes().await {
                Ok(engine) => return Self::over(engine, opening.tenant).await,
                Err(problem) => problem,
            };
            if let Some(beacon) = Beacon::of(&problem)
                && let Some(there) = There::answering(&beacon, opening.tenant).await
            {
                return Ok(Self::Server(there));
            }
            if problem.code != "database_in_use" || left == 0 {
                return Err(problem.into());
            }
            left -= 1;
        }
    }

    /// Looks for a server after the engine was opened. On PostgreSQL, opening succeeds next to a running
    /// server, which is found by its beacon in the table `meta`.
    async fn over(engine: Engine, tenant: &str) -> Result<Self, ProblemDocument> {
        if engine.dialect() == Dialect::Postgres
            && let Some(beacon) = left_in_tables(&engine).await?
            && let Some(there) = There::answering(&beacon, tenant).await
        {
            return Ok(Self::Server(there));
        }
        Ok(Self::Nobody(engine))
    }
}

impl Link {
    /// Sends `ask` and returns the answer. After a change in this process, the engine works until nothing is
    /// due; a server works by itself.
    ///
    /// # Errors
    /// The problem that the route answered.
    pub(crate) async fn send(&self, ask: Ask) -> Result<Value, ProblemDocument> {
        let (status, body) = self.raw(&ask).await?;
        ask::read(status, &body)
    }

    /// Sends `ask` and returns the answer as text, for routes that draw.
    ///
    /// # Errors
    /// The problem that the route answered.
    pub(crate) async fn text(&self, ask: Ask) -> Result<String, ProblemDocument> {
        let (status, body) = self.raw(&ask).await?;
        if status >= 400 {
            return ask::read(status, &body).map(|_| String::new());
        }
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    async fn raw(&self, ask: &Ask) -> Result<(u16, Vec<u8>), ProblemDocument> {
        match self {
            Self::There(there) => there.raw(ask).await,
            Self::Here(here) => here.raw(ask).await,
        }
    }

    /// Whether another process works on runs, so that the effect of a request can come a little later.
    #[must_use]
    pub(crate) fn drives_itself(&self) -> bool {
        matches!(self, Self::There(_))
    }

    /// Returns the current time of the server or engine, which may be that of a virtual clock. If it does not
    /// answer, returns the time of this machine.
    pub(crate) async fn now(&self) -> Timestamp {
        let clock = self.send(Ask::get("/v1/clock")).await.ok();
        let now = clock.as_ref().and_then(|clock| clock["now"].as_str()?.parse().ok());
        now.unwrap_or_else(|| SystemClock.now())
    }
}

async fn left_in_tables(engine: &Engine) -> Result<Option<Beacon>, Problem> {
    let read = transaction!(|tx| Ok(tx.meta(beacon::META).await?));
    let text = engine.read(read).await?;
    Ok(text.as_deref().and_then(Beacon::read))
}
