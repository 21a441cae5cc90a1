//! The commands: one file each, with a function from the command's arguments to an [`Exit`].

use abide_engine::driver::DriveMode;
use abide_engine::facade::StrandedRuns;
use abide_engine::library::Sources;
use abide_engine::policy::Settings;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::cli::{Cli, Command, Global};
use crate::exit::Exit;
use crate::link::{Found, Link, There};
use crate::logging::Tells;
use crate::open::Opening;
use crate::output::{self, view::View};
use crate::problem::ProblemDocument;
use crate::running::{Running, Start};
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

/// What every command needs: the global options and the settings.
pub(crate) struct Context {
    pub(crate) global: Global,
    pub(crate) settings: Settings,
}

/// Result of a command: an exit code, or the problem that stopped it.
pub(crate) type Outcome = Result<Exit, ProblemDocument>;

/// Runs a command.
///
/// # Errors
/// The problem that stopped the command.
pub(crate) async fn run(cli: Cli) -> Outcome {
    let tells = match cli.command {
        Command::Serve(_) | Command::Worker(_) => Tells::Life,
        Command::Torture(_) => Tells::Faults,
        _ => Tells::Warnings,
    };
    logging::install(&cli.global, tells);
    let global = cli.global.named();
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
    /// Opens a link to the routes: to the server of `--server`, to the server that drives the database, or
    /// to the same routes in this process.
    pub(crate) async fn link(&self) -> Result<Link, ProblemDocument> {
        if let Some(url) = &self.global.server {
            return There::at(url, &self.global.tenant, None).map(Link::There);
        }
        Link::open(&self.opening(DriveMode::InLine)).await
    }

    /// As [`Self::link`], for a command that keeps running. If no server drives the database, this process
    /// serves it until the command ends, so that other commands find it.
    pub(crate) async fn lingering_link(&self) -> Result<(Link, Option<Running>), ProblemDocument> {
        if self.global.server.is_some() {
            return Ok((self.link().await?, None));
        }
        match Found::on(&self.opening(DriveMode::Tasks(serve::WORKERS))).await? {
            Found::Server(there) => Ok((Link::There(there), None)),
            Found::Nobody(engine) => {
                let listen = Some((std::net::Ipv4Addr::LOCALHOST, 0).into());
                let start = Start { engine, listen, dev: false, drives: true, metrics: None };
                let running = Running::start(start).await?;
                let beacon = running.beacon().cloned();
                let (url, key) = beacon.map(|beacon| (beacon.url, beacon.key)).unzip();
                let there = There::at(&url.unwrap_or_default(), &self.global.tenant, key)?;
                Ok((Link::There(there), Some(running)))
            }
        }
    }

    /// Returns how to open the engine on the selected database.
    pub(crate) fn opening(&self, drive_mode: DriveMode) -> Opening<'_> {
        Opening {
            address: database::address(self.global.db.as_deref()),
            home: self.global.home.as_deref(),
            settings: &self.settings,
            drive_mode,
            tenant: &self.global.tenant,
            stranded_runs: StrandedRuns::Ignore,
        }
    }

    /// Loads the built-in content, extended or overridden by the home folder.
    pub(crate) fn sources(&self) -> Result<Sources, ProblemDocument> {
        Ok(library::sources(self.global.home.as_deref())?)
    }

    /// Returns the view for output to this terminal: the current time, in the zone of the settings.
    pub(crate) async fn view(&self, link: &Link) -> View {
        let zone = TimeZone::get(&self.settings.time_zone).unwrap_or(TimeZone::UTC);
        View::new(link.now().await, zone)
    }

    /// Prints `data` as JSON if `--json` is set. Returns whether it did; if not, the caller prints text.
    pub(crate) fn json(&self, data: &Value) -> bool {
        if self.global.json {
            output::json(data);
        }
        self.global.json
    }
}
