//! The commands. Each command has its own file,
//! with a function that takes its arguments and returns an [`Exit`].

use abide_adapters::{ModelSettings, Secrets};

use crate::cli::{Cli, Command};
use crate::logging::LogLevel;
use crate::settings::ProcessSettings;
use crate::{logging, output, settings};

mod approvals;
mod archive;
mod ask;
mod audit;
mod bench;
mod capacity;
mod chat;
mod context;
mod demo;
mod docs;
mod doctor;
mod eval;
mod file;
mod goals;
mod graph;
mod import;
mod inbox;
mod init;
mod insights;
mod json_option;
mod kb;
mod lint;
mod logs;
mod method;
mod migrate;
mod operator;
mod pack;
mod people;
mod person;
mod run;
mod say;
mod schedule;
mod schema;
mod seed;
mod serve;
mod service;
mod shadow_report;
mod simulate;
mod tenant;
mod token;
mod tools;
mod top;
mod torture;

use context::{CommandResult, Context};

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
    let ProcessSettings { settings, model } = settings::load(global.config.as_deref())?;
    let model = model.or_else(|| ModelSettings::from_environment(&Secrets::from_environment()));
    let context = Context { global, settings, model };
    match cli.command {
        Command::Demo(args) => demo::run(&context, &args).await,
        Command::Simulate(args) => simulate::run(&context, &args).await,
        Command::Seed(args) => seed::run(&context, &args).await,
        Command::Say(args) => say::run(&context, args).await,
        Command::Chat(args) => chat::run(&context, args).await,
        Command::Init(args) => init::run(&context, &args).await,
        Command::Import(command) => import::run(&context, command).await,
        Command::Approvals(command) => approvals::run(&context, command).await,
        Command::Inbox(command) => inbox::run(&context, command).await,
        Command::People(command) => people::run(&context, command).await,
        Command::Person(command) => person::run(&context, command).await,
        Command::Run(command) => run::run(&context, command).await,
        Command::Service(command) => service::run(&context, command).await,
        Command::Schedule(command) => schedule::run(&context, command).await,
        Command::Method(command) => method::run(&context, command).await,
        Command::Capacity(command) => capacity::run(&context, command).await,
        Command::Tenant(command) => tenant::run(&context, command).await,
        Command::Token(command) => token::run(&context, command).await,
        Command::Goals(command) => goals::run(&context, command).await,
        Command::Insights(args) => insights::run(&context, args).await,
        Command::Ask(args) => ask::run(&context, args).await,
        Command::Operator(args) => operator::run(&context, args).await,
        Command::Tools(command) => tools::run(&context, command).await,
        Command::File(command) => file::run(&context, command).await,
        Command::Kb(command) => kb::run(&context, command).await,
        Command::Migrate(args) => migrate::run(&context, &args).await,
        Command::Lint(args) => lint::run(&context, &args).await,
        Command::Pack(command) => pack::run(&context, command).await,
        Command::Graph(args) => graph::run(&context, &args).await,
        Command::Schema(args) => schema::run(&context, &args),
        Command::Docs(args) => docs::run(&context, &args),
        Command::Torture(args) => torture::run(&context, &args).await,
        Command::Audit(args) => audit::run(&context, args).await,
        Command::Archive(args) => archive::run(&context, args).await,
        Command::Logs(args) => logs::run(&context, args).await,
        Command::Top(args) => top::run(&context, &args).await,
        Command::Bench(args) => Box::pin(bench::run(&context, &args)).await,
        Command::Doctor => doctor::run(&context).await,
        Command::Eval(args) => eval::run(&context, &args),
        Command::Serve(args) => serve::serve(&context, &args).await,
        Command::Worker(args) => serve::worker(&context, &args).await,
    }
}
