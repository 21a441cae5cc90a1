//! A server in this process: the routes on a socket, and the driver that works on runs.

use std::net::SocketAddr;
use std::time::Duration;

use abide_engine::base::Problem;
use abide_engine::facade::Engine;
use abide_engine::store::Dialect;
use abide_engine::transaction;
use abide_simulator::domains;
use abide_trade::files::FileStore;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::http::{App, Guard};
use crate::problem::ProblemDocument;
use crate::server_address::{self, ServerAddress};

/// When the process is asked to stop, it may take this long to finish the responses under way.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);

/// Options to start a server.
pub(crate) struct ServerOptions {
    /// Engine of the server. It was opened with a maximum number of runs to work on at a time.
    pub(crate) engine: Engine,
    /// Files that the routes store and return.
    pub(crate) files: FileStore,
    /// Address to listen on; `None` for a worker without routes.
    pub(crate) listen: Option<SocketAddr>,
    /// Whether clients on this machine need no token.
    pub(crate) dev: bool,
    /// Whether this process works on runs.
    pub(crate) drives: bool,
    /// Metrics of this process, if they are recorded.
    pub(crate) metrics: Option<PrometheusHandle>,
}

/// A running server.
pub(crate) struct Server {
    engine: Engine,
    address: Option<ServerAddress>,
    stop: watch::Sender<bool>,
    routes: Option<JoinHandle<std::io::Result<()>>>,
    driver: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts the routes and the driver, and publishes the address of the server.
    ///
    /// # Errors
    /// `cannot_listen` if the address is in use or does not belong to this machine.
    pub(crate) async fn start(options: ServerOptions) -> Result<Self, ProblemDocument> {
        let ServerOptions { engine, files, listen, dev, drives, metrics } = options;
        let (stop, stopping) = watch::channel(false);
        let mut server =
            Self { engine: engine.clone(), address: None, stop, routes: None, driver: None };
        if let Some(listen) = listen {
            let listener = bind(listen).await?;
            let bound = listener.local_addr().map_err(|e| cannot_listen(listen, &e))?;
            let address = ServerAddress::with_new_key(format!("http://{bound}"))?;
            let app = App::new(engine.clone(), files, metrics, stopping.clone());
            let guard = Guard { dev, key: address.key.as_str().into() };
            let routes = app.router(guard).into_make_service_with_connect_info::<SocketAddr>();
            let mut stop_routes = stopping.clone();
            let served = axum::serve(listener, routes).with_graceful_shutdown(async move {
                let _ = stop_routes.wait_for(|stop| *stop).await;
            });
            server.routes = Some(tokio::spawn(served.into_future()));
            publish_address(&engine, &address).await?;
            server.address = Some(address);
        }
        if drives {
            tokio::spawn(finish_erasures(engine.clone()));
            server.driver = Some(tokio::spawn(async move { engine.serve(stopping).await }));
        }
        Ok(server)
    }

    /// Returns the address and access key of the server, or `None` if it listens on no socket.
    pub(crate) fn address(&self) -> Option<&ServerAddress> {
        self.address.as_ref()
    }

    /// Resolves only if the driver stops because it cannot continue. Returns the reason.
    pub(crate) async fn driver_stopped(&mut self) -> Problem {
        match &mut self.driver {
            None => std::future::pending().await,
            Some(driver) => {
                let _ = driver.await;
                self.driver = None;
                let stopped = || Problem::bug("the driver stopped unexpectedly");
                self.engine.check().err().unwrap_or_else(stopped)
            }
        }
    }

    /// Stops claiming runs, and finishes the commits and the responses under way.
    pub(crate) async fn stop(self) {
        let _ = self.stop.send(true);
        if let Some(driver) = self.driver {
            let _ = driver.await;
        }
        if let Some(routes) = self.routes {
            // The timeout keeps idle connections from delaying the end of the process.
            let _ = tokio::time::timeout(SHUTDOWN_GRACE, routes).await;
        }
    }
}

async fn bind(address: SocketAddr) -> Result<TcpListener, ProblemDocument> {
    TcpListener::bind(address).await.map_err(|e| cannot_listen(address, &e))
}

fn cannot_listen(address: SocketAddr, cause: &std::io::Error) -> ProblemDocument {
    ProblemDocument::new(503, "cannot_listen", format!("cannot listen on {address}: {cause}"))
        .with_hint("choose another address with `--listen`; port 0 picks a free port")
}

/// Carries out the erasures that an earlier process has begun. If that fails, the next start tries again.
async fn finish_erasures(engine: Engine) {
    match engine.finish_erasures(domains::text_tables()).await {
        Ok(0) => {}
        Ok(number) => tracing::info!(number, "finished erasures that had been interrupted"),
        Err(problem) => {
            tracing::error!(code = %problem.code, "an erasure cannot be finished: {}", problem.message);
        }
    }
}

/// Publishes the address of the server. On SQLite, the address is in a file next to the database file.
/// On PostgreSQL, the address is in the table `meta`.
async fn publish_address(engine: &Engine, address: &ServerAddress) -> Result<(), Problem> {
    engine.announce(&address.to_text())?;
    if engine.dialect() == Dialect::Postgres {
        let write = transaction!([text = address.to_text()], |tx| Ok(tx
            .set_meta(server_address::META_KEY, &text)
            .await?));
        engine.write(write).await?;
    }
    Ok(())
}
