//! The server that is measured: the routes and the driver of `abide serve`, in this process.

use std::path::Path;

use abide_engine::base::Problem;
use abide_engine::driver::DriveMode;
use abide_engine::facade::StrandedRuns;
use abide_engine::policy::Settings;
use abide_engine::store::Address;
use abide_trade::files::FileStore;
use serde_json::json;
use tempfile::TempDir;

use crate::bench::engine::TENANT;
use crate::cli::SmsKind;
use crate::open::{OpenOptions, WORKERS};
use crate::problem::ProblemDocument;
use crate::server::{Server, ServerOptions};
use crate::server_address::ServerAddress;

/// Name of the method whose runs await a signal.
pub(super) const LISTENS: &str = "bench_listens";

const LISTENING: &str = "\
method: bench_listens
steps:
  - await: { signal: go, timeout: 7days, out: answer }
";

/// A server in this process, with a home of its own.
pub(super) struct ChurchServer {
    server: Server,
    address: ServerAddress,
    _home: TempDir,
}

impl ChurchServer {
    /// Starts a server on the database, at a free port of this machine. No limit of messages holds it up.
    ///
    /// # Errors
    /// Any problem of starting a server.
    pub(super) async fn start(address: &Address) -> Result<Self, Problem> {
        let home = TempDir::with_prefix("abide-bench.").map_err(unwritable)?;
        write(&home.path().join("methods"), "bench_listens.yaml", LISTENING)?;
        let unlimited = json!({
            "quiet_hours": "none", "per_person_per_week": null, "fan_out_per_minute": null,
        });
        let settings = Settings::default().overridden(&unlimited)?;
        let files = FileStore::in_folder(home.path().join("files"));
        let options = OpenOptions {
            address: address.clone(),
            home: Some(home.path()),
            files: files.clone(),
            archives: Some(home.path()),
            settings: &settings,
            model: None,
            drive_mode: DriveMode::Tasks(WORKERS),
            tenant: TENANT,
            stranded_runs: StrandedRuns::Refuse,
            sms: SmsKind::Loopback,
        };
        let engine = options.open_with_system_clock().await?;
        let listen = Some(std::net::SocketAddr::from(([127, 0, 0, 1], 0)));
        let options =
            ServerOptions { engine, files, listen, dev: true, drives: true, metrics: None };
        let server = Server::start(options).await.map_err(|problem: ProblemDocument| {
            Problem::bug("the server of the benchmark does not start")
                .with_detail(serde_json::to_string(&problem).unwrap_or_default())
        })?;
        let address = server.address().cloned();
        let address = address.ok_or_else(|| Problem::bug("the server has no address"))?;
        Ok(Self { server, address, _home: home })
    }

    /// Returns the address of the server, with the key of its owner.
    pub(super) fn address(&self) -> &ServerAddress {
        &self.address
    }

    /// Stops the server.
    pub(super) async fn stop(self) {
        self.server.stop().await;
    }
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), Problem> {
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    std::fs::write(folder.join(name), text).map_err(unwritable)
}

fn unwritable(error: std::io::Error) -> Problem {
    Problem::operator("database_unreachable", "the benchmark cannot write a folder")
        .with_detail(error.to_string())
        .with_hint("set `TMPDIR` to a writable folder")
}
