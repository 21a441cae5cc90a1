//! The state that all routes share, and the functions with which routes read and write the database.

use std::ops::Deref;
use std::sync::Arc;

use abide_engine::base::Problem;
use abide_engine::facade::Engine;
use abide_engine::store::Tx;
use abide_engine::transaction;
use abide_judgement::obligations::Asker;
use abide_judgement::operator::Operator;
use abide_simulator::domains;
use abide_trade::files::FileStore;
use axum::Json;
use axum::http::StatusCode;
use futures_util::future::BoxFuture;
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use tokio::sync::watch;

use super::idempotency::IdempotencyKey;
use crate::problem::ProblemDocument;

/// The state that all routes share. Cheap to clone: the router clones it several times for each request.
#[derive(Clone)]
pub struct App(Arc<AppState>);

impl Deref for App {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.0
    }
}

/// What the routes share.
pub struct AppState {
    /// The engine.
    pub engine: Engine,
    /// Files that the routes store and return.
    pub files: FileStore,
    /// The operator of the engine.
    pub operator: Operator,
    /// What answers texts.
    pub asker: Asker,
    /// Metrics of this process, if it records metrics.
    pub metrics: Option<PrometheusHandle>,
    /// Becomes true when the process is about to stop.
    pub stopping: watch::Receiver<bool>,
}

/// The result of most routes: a status and a JSON body, or a problem document.
pub(super) type ApiResult<T> = Result<(StatusCode, Json<T>), ProblemDocument>;

impl App {
    /// Creates the state of the routes of an engine.
    #[must_use]
    pub fn new(
        engine: Engine,
        files: FileStore,
        metrics: Option<PrometheusHandle>,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        let layers = domains::operator_layers(&engine.library(), files.clone());
        let operator = Operator::new(engine.clone(), layers);
        let asker = domains::asker(&engine);
        Self(Arc::new(AppState { engine, files, operator, asker, metrics, stopping }))
    }

    /// Calls the function `read` on a snapshot of the database, and answers with its result and the
    /// status 200. After a conflict, the function is called again with the same `input`, so it only
    /// borrows `input`.
    pub(super) async fn read<I, T, R>(&self, input: I, read: R) -> ApiResult<T>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        R: for<'a> Fn(&'a mut Tx, &'a I) -> BoxFuture<'a, Result<T, Problem>>,
        R: Send + Sync + 'static,
    {
        let task = transaction!([shared = Arc::new((input, read))], |tx| {
            let (input, read) = &*shared;
            read(tx, input).await
        });
        Ok((StatusCode::OK, Json(self.engine.read(task).await?)))
    }

    /// Calls the function `write` in a transaction, and answers with its result and `status`.
    /// The answer is stored under the request's idempotency key in the same commit.
    /// After a conflict, the function is called again with the same `input`, so it only borrows `input`.
    pub(super) async fn write_once<I, T, W>(
        &self,
        key: IdempotencyKey,
        status: StatusCode,
        input: I,
        write: W,
    ) -> ApiResult<T>
    where
        I: Send + Sync + 'static,
        T: Serialize + Send + Sync + 'static,
        W: for<'a> Fn(&'a mut Tx, &'a I) -> BoxFuture<'a, Result<T, Problem>>,
        W: Send + Sync + 'static,
    {
        let task = transaction!([shared = Arc::new((key, input, write))], |tx| {
            let (key, input, write) = &*shared;
            let answer = write(tx, input).await?;
            key.store_answer(tx, status, &answer).await?;
            Ok(answer)
        });
        Ok((status, Json(self.engine.try_write(task).await?)))
    }
}
