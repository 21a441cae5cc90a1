//! The connection of a command to the routes of the API, in a running server or in this process.

mod local;
mod remote;

use std::time::Duration;

use abide_engine::base::{Problem, Timestamp};
use abide_engine::clock::{Clock as _, SystemClock};
use abide_engine::facade::Engine;
use abide_engine::store::Dialect;
use abide_engine::transaction;
use serde_json::Value;

use crate::api_request::{ApiRequest, read_answer};
use crate::open::OpenOptions;
use crate::problem::ProblemDocument;
use crate::server_address::{self, ServerAddress};

pub(crate) use local::LocalRoutes;
pub(crate) use remote::RemoteServer;

/// A connection to the routes of the API.
pub(crate) enum Link {
    /// A connection to a server in another process.
    Remote(RemoteServer),
    /// A connection to the router in this process.
    Local(Box<LocalRoutes>),
}

/// The response to one request, not yet parsed.
struct RawAnswer {
    /// HTTP status.
    status: u16,
    /// Bytes of the body.
    body: Vec<u8>,
}

/// Maximum time for which a command waits while another command uses the database.
/// After this time, the command reports that the database is in use.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// Interval between two attempts of a waiting command to open the database.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// The process that drives a database.
pub(crate) enum DatabaseOwner {
    /// A server in another process.
    Server(RemoteServer),
    /// This process, which has opened the engine because no server drives the database.
    ThisProcess(Engine),
}

impl DatabaseOwner {
    /// Finds the server that drives the database, or else opens the engine.
    /// Waits up to 5 s if another command is using the database.
    pub(crate) async fn find(options: &OpenOptions<'_>) -> Result<Self, ProblemDocument> {
        let mut retries = tokio::time::interval(RETRY_INTERVAL);
        let mut left = WAIT_MAX.as_millis() / RETRY_INTERVAL.as_millis();
        loop {
            retries.tick().await;
            let problem = match options.open_with_stored_clock().await {
                Ok(engine) => return Self::beside(engine, options.tenant).await,
                Err(problem) => problem,
            };
            if let Some(address) = ServerAddress::in_problem(&problem)
                && let Some(server) = RemoteServer::connect(&address, options.tenant).await
            {
                return Ok(Self::Server(server));
            }
            if problem.code != "database_in_use" || left == 0 {
                return Err(problem.into());
            }
            left -= 1;
        }
    }

    /// Looks for a server after the engine was opened. On PostgreSQL, the engine can be opened although
    /// a server is running. The server has stored its address in the table `meta`.
    /// Returns that server if it responds, and otherwise the engine.
    async fn beside(engine: Engine, tenant: &str) -> Result<Self, ProblemDocument> {
        if engine.dialect() == Dialect::Postgres
            && let Some(address) = address_in_database(&engine).await?
            && let Some(server) = RemoteServer::connect(&address, tenant).await
        {
            return Ok(Self::Server(server));
        }
        Ok(Self::ThisProcess(engine))
    }
}

impl Link {
    /// Connects to the server that drives the database, or else opens an engine in this process.
    pub(crate) async fn open(options: &OpenOptions<'_>) -> Result<Self, ProblemDocument> {
        Ok(match DatabaseOwner::find(options).await? {
            DatabaseOwner::Server(server) => Self::Remote(server),
            DatabaseOwner::ThisProcess(engine) => {
                let files = options.files.clone();
                Self::Local(Box::new(LocalRoutes::new(engine, files, options.tenant)))
            }
        })
    }

    /// Sends `request` and returns the body of the response. If the routes are in this process and the
    /// request changes data, the engine works until nothing is due before this function returns.
    /// A server in another process works by itself.
    ///
    /// # Errors
    /// The problem that the route reported.
    pub(crate) async fn send(&self, request: ApiRequest) -> Result<Value, ProblemDocument> {
        let RawAnswer { status, body } = self.send_raw(&request).await?;
        read_answer(status, &body)
    }

    /// Sends `request` and returns the response as a string, for routes that draw a graph.
    ///
    /// # Errors
    /// The problem that the route reported.
    pub(crate) async fn send_for_text(
        &self,
        request: ApiRequest,
    ) -> Result<String, ProblemDocument> {
        let body = self.send_for_bytes(request).await?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    /// Sends `request` and returns the response as it is, for routes that return a file.
    ///
    /// # Errors
    /// The problem that the route reported.
    pub(crate) async fn send_for_bytes(
        &self,
        request: ApiRequest,
    ) -> Result<Vec<u8>, ProblemDocument> {
        let RawAnswer { status, body } = self.send_raw(&request).await?;
        if status >= 400 {
            return read_answer(status, &body).map(|_| Vec::new());
        }
        Ok(body)
    }

    async fn send_raw(&self, request: &ApiRequest) -> Result<RawAnswer, ProblemDocument> {
        match self {
            Self::Remote(server) => server.send(request).await,
            Self::Local(routes) => routes.send(request).await,
        }
    }

    /// Whether another process works on runs. If so, a request may not have taken full effect yet
    /// when its response arrives.
    #[must_use]
    pub(crate) fn is_remote(&self) -> bool {
        matches!(self, Self::Remote(_))
    }

    /// Returns the time of the virtual clock, if the server or engine has one.
    /// Without a virtual clock, returns the time of this machine's clock.
    pub(crate) async fn now(&self) -> Timestamp {
        let clock = self.send(ApiRequest::get("/v1/clock")).await.ok();
        let now = clock.as_ref().and_then(|clock| clock["now"].as_str()?.parse().ok());
        now.unwrap_or_else(|| SystemClock.now())
    }
}

/// Reads the address that a server has stored in the table `meta`.
async fn address_in_database(engine: &Engine) -> Result<Option<ServerAddress>, Problem> {
    let read = transaction!(|tx| Ok(tx.meta(server_address::META_KEY).await?));
    let text = engine.read(read).await?;
    Ok(text.as_deref().and_then(ServerAddress::parse))
}
