//! What every command needs: the global options, the settings, and a link to the API.

use std::path::Path;
use std::time::Duration;

use abide_adapters::ModelSettings;
use abide_engine::driver::DriveMode;
use abide_engine::facade::StrandedRuns;
use abide_engine::library::Sources;
use abide_engine::policy::Settings;
use abide_trade::files::FileStore;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::cli::{GlobalOptions, SmsKind};
use crate::exit::Exit;
use crate::link::{DatabaseOwner, Link, RemoteServer};
use crate::open::{OpenOptions, WORKERS};
use crate::output::{self, times::TimeFormat};
use crate::problem::ProblemDocument;
use crate::server::{Server, ServerOptions};
use crate::{database, library};

/// How long a process goes on with due work at most when its command has ended. No other process would do the work before the next
/// command.
const FINISH_MAX: Duration = Duration::from_secs(5);

/// Context of a command: the global options, and the settings of the process.
pub(crate) struct Context {
    pub(crate) global: GlobalOptions,
    pub(crate) settings: Settings,
    /// The language model; `None` for none.
    pub(crate) model: Option<ModelSettings>,
}

/// Result of a command: an exit code, or the problem that stopped it.
pub(crate) type CommandResult = Result<Exit, ProblemDocument>;

impl Context {
    /// Opens a link to the routes of the API: on the server that `--server` names, with the token of
    /// `--token`, or else on the server that drives the database, or else in this process.
    pub(crate) async fn link(&self) -> Result<Link, ProblemDocument> {
        if let Some(url) = &self.global.server {
            let token = self.global.token.as_ref().map(|token| token.reveal().to_owned());
            return RemoteServer::new(url, &self.global.tenant, token).map(Link::Remote);
        }
        Link::open(&self.open_options(DriveMode::InLine)).await
    }

    /// As [`Self::link`], for a command that archives into a folder of its own.
    ///
    /// # Errors
    /// `archive_folder` if a server drives the database: it archives only into its own folder.
    pub(crate) async fn link_with_archives(&self, folder: &Path) -> Result<Link, ProblemDocument> {
        let mut options = self.open_options(DriveMode::InLine);
        options.archives = Some(folder);
        let link = match &self.global.server {
            Some(_) => self.link().await?,
            None => Link::open(&options).await?,
        };
        if link.is_remote() {
            let detail = "a server writes archives only into its own folder";
            return Err(ProblemDocument::new(422, "archive_folder", detail)
                .with_hint("leave `--to` out, or stop the server first"));
        }
        Ok(link)
    }

    /// Runs a command that keeps running. The command gets a link to the server that `--server` names, or
    /// else to the server that drives the database. If no server drives the database, this process runs a
    /// server until the command ends, so that other commands can use the server. It then finishes what is due, such as the
    /// invitations that a text has asked for.
    pub(crate) async fn with_lasting_link(
        &self,
        command: impl AsyncFnOnce(&Link) -> CommandResult,
    ) -> CommandResult {
        if self.global.server.is_some() {
            return command(&self.link().await?).await;
        }
        match DatabaseOwner::find(&self.open_options(DriveMode::Tasks(WORKERS))).await? {
            DatabaseOwner::Server(server) => command(&Link::Remote(server)).await,
            DatabaseOwner::ThisProcess(engine) => {
                let listen = Some((std::net::Ipv4Addr::LOCALHOST, 0).into());
                let files = self.files();
                let options = ServerOptions {
                    engine: engine.clone(),
                    files,
                    listen,
                    dev: false,
                    drives: true,
                    metrics: None,
                };
                let server = Server::start(options).await?;
                let (url, key) = server.address().cloned().map(|own| (own.url, own.key)).unzip();
                let client = RemoteServer::new(&url.unwrap_or_default(), &self.global.tenant, key)?;
                let result = command(&Link::Remote(client)).await;
                let _ = tokio::time::timeout(FINISH_MAX, engine.tick()).await;
                server.stop().await;
                result
            }
        }
    }

    /// Returns the options to open the engine on the selected database.
    pub(crate) fn open_options(&self, drive_mode: DriveMode) -> OpenOptions<'_> {
        OpenOptions {
            address: database::address(self.global.db.as_deref()),
            home: self.global.home.as_deref(),
            files: self.files(),
            archives: None,
            settings: &self.settings,
            model: self.model.as_ref(),
            drive_mode,
            tenant: &self.global.tenant,
            stranded_runs: StrandedRuns::Ignore,
            sms: SmsKind::Loopback,
        }
    }

    /// Returns the store of files that belongs to the selected database.
    pub(crate) fn files(&self) -> FileStore {
        let address = database::address(self.global.db.as_deref());
        FileStore::in_folder(database::files_folder(self.global.files.as_deref(), &address))
    }

    /// Loads the built-in content, extended or overridden by the home folder.
    pub(crate) fn sources(&self) -> Result<Sources, ProblemDocument> {
        Ok(library::sources(self.global.home.as_deref())?)
    }

    /// Returns the format for times on the terminal: relative to now, in the time zone of the settings.
    pub(crate) async fn time_format(&self, link: &Link) -> TimeFormat {
        let zone = TimeZone::get(&self.settings.time_zone).unwrap_or(TimeZone::UTC);
        TimeFormat::new(link.now().await, zone)
    }

    /// Prints a problem to stderr: as JSON with `--json`, else as text.
    pub(crate) fn print_problem(&self, problem: &ProblemDocument) {
        if self.global.json {
            problem.print_json();
        } else {
            problem.print_text();
        }
    }

    /// If `--json` is set, prints `data` as JSON and returns true.
    /// If `--json` is not set, returns false, and the caller must print text.
    pub(crate) fn json(&self, data: &Value) -> bool {
        if self.global.json {
            output::json(data);
        }
        self.global.json
    }
}
