//! The commands. Each command has its own file,
//! with a function that takes its arguments and returns an [`Exit`].

use abide_engine::driver::DriveMode;
use abide_engine::facade::StrandedRuns;
use abide_engine::library::Sources;
use abide_engine::policy::Settings;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::cli::{Cli, Command, GlobalOptions, SmsKind};
use crate::exit::Exit;
use crate::link::{DatabaseOwner, Link, RemoteServer};
use crate::logging::LogLevel;
use crate::open::OpenOptions;
use crate::output::{self, times::TimeFormat};
use crate::problem::ProblemDocument;
use crate::server::{Server, ServerOptions};
use crate::{database, library, logging, settings};

mod audit;
mod bench;
mod capacity;
mod chat;
mod demo;
mod docs;
mod doctor;
mod eval;
mod graph;
mod import;
mod inbox;
mod init;
mod json_option;
mod kb;
mod lint;
mod logs;
mod method;
mod migrate;
mod people;
mod run;
mod say;
mod schedule;
mod schema;
mod seed;
mod serve;
mod simulate;
mod tenant;
mod top;
mod torture;

/// Context of a command: the global options and the settings.
pub(crate) struct Context {
    pub(crate) global: GlobalOptions,
    pub(crate) settings: Settings,
}

/// Result of a command: an exit code, or the problem that stopped it.
pub(crate) type CommandResult = Result<Exit, ProblemDocument>;

/// Runs a command.
///
/// # Errors
/// The problem that stopped the command.
pub(crate) async fn run(cli: Cli) -> CommandResult {
    let level = match cli.command {
        Command::Serve(_) | Command::Worker(_) => LogLevel::Info,
        Command::Torture(_) => LogLevel::Error,
        _ => LogLevel::Warn,
    };
    logging::install(&cli.global, level);
    let global = cli.global.without_empty_values();
    if global.quiet {
        output::be_quiet();
    }
    let settings = settings::load(global.config.as_deref())?;
    let context = Context { global, settings };
    match cli.command {
        Command::Demo(args) => demo::run(&context, &args).await,
        Command::Simulate(args) => simulate::run(&context, &args).await,
        Command::Seed => seed::run(&context).await,
        Command::Say(args) => say::run(&context, args).await,
        Command::Chat(args) => chat::run(&context, args).await,
        Command::Init(args) => init::run(&context, &args),
        Command::Import(command) => import::run(&context, command).await,
        Command::Inbox(command) => inbox::run(&context, command).await,
        Command::People(command) => people::run(&context, command).await,
        Command::Run(command) => run::run(&context, command).await,
        Command::Schedule(command) => schedule::run(&context, command).await,
        Command::Method(command) => method::run(&context, command).await,
        Command::Capacity(command) => capacity::run(&context, command).await,
        Command::Tenant(command) => tenant::run(&context, command).await,
        Command::Kb(command) => kb::run(&context, command).await,
        Command::Migrate(args) => migrate::run(&context, &args).await,
        Command::Lint(args) => lint::run(&context, &args).await,
        Command::Graph(args) => graph::run(&context, &args).await,
        Command::Schema(args) => schema::run(&context, &args),
        Command::Docs(args) => docs::run(&context, &args),
        Command::Torture(args) => torture::run(&context, &args).await,
        Command::Audit => audit::run(&context).await,
        Command::Logs(args) => logs::run(&context, args).await,
        Command::Top(args) => top::run(&context, &args).await,
        Command::Bench(args) => Box::pin(bench::run(&context, &args)).await,
        Command::Doctor => doctor::run(&context).await,
        Command::Eval(args) => eval::run(&args),
        Command::Serve(args) => serve::serve(&context, &args).await,
        Command::Worker(args) => serve::worker(&context, &args).await,
    }
}

impl Context {
    /// Opens a link to the routes of the API: on the server that `--server` names, or else on the server
    /// that drives the database, or else in this process.
    pub(crate) async fn link(&self) -> Result<Link, ProblemDocument> {
        if let Some(url) = &self.global.server {
            return RemoteServer::new(url, &self.global.tenant, None).map(Link::Remote);
        }
        Link::open(&self.open_options(DriveMode::InLine)).await
    }

    /// Runs a command that keeps running, with a link as [`Self::link`] returns it. If no server drives
    /// the database, this process runs a server until the command ends, so that other commands can use it.
    pub(crate) async fn with_lasting_link(
        &self,
        command: impl AsyncFnOnce(&Link) -> CommandResult,
    ) -> CommandResult {
        if self.global.server.is_some() {
            return command(&self.link().await?).await;
        }
        match DatabaseOwner::find(&self.open_options(DriveMode::Tasks(serve::WORKERS))).await? {
            DatabaseOwner::Server(server) => command(&Link::Remote(server)).await,
            DatabaseOwner::ThisProcess(engine) => {
                let listen = Some((std::net::Ipv4Addr::LOCALHOST, 0).into());
                let options =
                    ServerOptions { engine, listen, dev: false, drives: true, metrics: None };
                let server = Server::start(options).await?;
                let (url, key) = server.address().cloned().map(|own| (own.url, own.key)).unzip();
                let client = RemoteServer::new(&url.unwrap_or_default(), &self.global.tenant, key)?;
                let result = command(&Link::Remote(client)).await;
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
            settings: &self.settings,
            drive_mode,
            tenant: &self.global.tenant,
            stranded_runs: StrandedRuns::Ignore,
            sms: SmsKind::Loopback,
        }
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
    /// If it is not set, the caller must print text.
    pub(crate) fn json(&self, data: &Value) -> bool {
        if self.global.json {
            output::json(data);
        }
        self.global.json
    }
}
