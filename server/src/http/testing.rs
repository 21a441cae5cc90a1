//! The API for tests. It runs an engine on a new database, and tests call its routes without a socket.

use abide_engine::driver::DriveMode;
use abide_engine::facade::Engine;
use abide_engine::policy::Settings;
use abide_engine::store::Address;
use abide_trade::files::FileStore;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::Value;
use tokio::sync::watch;
use tower::ServiceExt as _;

use super::openapi::contract;
use super::{App, Guard, SameProcess};
use crate::open::OpenOptions;

/// An HTTP response: its status and its JSON body. The body is null if it is not JSON.
pub(super) type StatusAndBody = (u16, Value);

/// Initial time of the virtual clock: a Tuesday afternoon in Chicago.
const NOW: &str = "2025-09-30T14:20:00-05:00";

/// The kind of clock that the engine uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TestClock {
    Real,
    Virtual,
}

/// The routes of the API, with an engine of their own.
pub(super) struct TestApi {
    pub(super) engine: Engine,
    pub(super) routes: Router,
    _stop: watch::Sender<bool>,
    folder: tempfile::TempDir,
}

impl TestApi {
    /// Creates the API with an empty database.
    pub(super) async fn empty(clock: TestClock) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let files = FileStore::in_folder(folder.path().join("files"));
        let options = OpenOptions {
            address: Address::Sqlite(folder.path().join("t.db")),
            home: None,
            files: files.clone(),
            archives: None,
            settings: &Settings::default(),
            model: None,
            drive_mode: DriveMode::InLine,
            tenant: "default",
            stranded_runs: abide_engine::facade::StrandedRuns::Ignore,
            sms: crate::cli::SmsKind::Loopback,
        };
        let engine = match clock {
            TestClock::Real => options.open_with_system_clock().await,
            TestClock::Virtual => options.open_with_virtual_clock(NOW.parse().ok()).await,
        };
        let engine = engine.expect("opens");
        let (stop, stopping) = watch::channel(false);
        let app = App::new(engine.clone(), files, None, stopping);
        let routes = app.router(Guard { dev: false, key: "k".into() });
        Self { engine, routes, _stop: stop, folder }
    }

    /// Creates the API with the demo church in its database. The virtual clock starts on a Tuesday.
    pub(super) async fn seeded() -> Self {
        let api = Self::empty(TestClock::Virtual).await;
        assert_eq!(api.post("/v1/seed", "").await.0, 200);
        api
    }

    /// Returns the folder with the database and the files.
    pub(super) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub(super) async fn get(&self, path: &str) -> StatusAndBody {
        self.send("GET", path, "", "").await
    }

    pub(super) async fn post(&self, path: &str, body: &str) -> StatusAndBody {
        self.send("POST", path, "", body).await
    }

    /// Sends a request with a body and an idempotency key.
    /// If `key` is empty, the request has no idempotency key.
    pub(super) async fn send(
        &self,
        method: &str,
        path: &str,
        key: &str,
        body: &str,
    ) -> StatusAndBody {
        let (status, body) = self.send_raw(method, path, key, body).await;
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    /// Like [`Self::send`], but returns the body of the response as bytes.
    /// Checks the response against the description of the API.
    pub(super) async fn send_raw(
        &self,
        method: &str,
        path: &str,
        key: &str,
        body: &str,
    ) -> (u16, Vec<u8>) {
        let (status, answer) = send_request(&self.routes, method, path, key, body).await;
        contract::check(method, path, status, &answer);
        (status, answer)
    }
}

/// Sends a request to `routes` within this process.
pub(super) async fn send_request(
    routes: &Router,
    method: &str,
    path: &str,
    key: &str,
    body: &str,
) -> (u16, Vec<u8>) {
    let mut request = Request::builder().method(method).uri(path);
    if !key.is_empty() {
        request = request.header("idempotency-key", key);
    }
    let mut request = request.body(Body::from(body.to_owned())).expect("a request");
    request.extensions_mut().insert(SameProcess);
    let response = routes.clone().oneshot(request).await.expect("an answer");
    let status = response.status().as_u16();
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    if kind == Some("text/event-stream") {
        return (status, Vec::new()); // a stream has no end
    }
    let body = to_bytes(response.into_body(), 16 << 20).await.expect("a body");
    (status, body.to_vec())
}
