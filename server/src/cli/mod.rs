//! What can be typed: the global flags and one file a group of commands.
//!
//! Definitions only. Clap reads the environment here and nowhere else; `commands` does the work.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand};

mod capacity;
mod content;
mod import;
mod inbox;
mod kb;
mod method;
mod people;
mod run;
mod schedule;
mod serve;
mod story;
mod tenant;

pub use capacity::{CapacityCommand, CapacitySet};
pub use content::{Format, GraphArgs, InitArgs, LintArgs, MigrateArgs, SchemaArgs};
pub use import::{ImportCommand, ImportPeople};
pub use inbox::{InboxCommand, InboxId, InboxList};
pub use kb::{KbCommand, KbList, KbPut, KbRetire};
pub use method::{
    MethodCommand, MethodDelete, MethodDiff, MethodList, MethodPublish, MethodRollback, MethodShow,
};
pub use people::{PeopleCommand, PeopleList, PeopleShow};
pub use run::{
    RunCommand, RunForecast, RunFork, RunId, RunList, RunSignal, RunSkip, RunStart, RunUpgrade,
};
pub use schedule::{ScheduleAdd, ScheduleCommand, ScheduleList, ScheduleRemove};
pub use serve::{ClockKind, ServeArgs, SmsKind, WorkerArgs};
pub use story::{
    BenchArgs, ChatArgs, DemoArgs, EvalArgs, LogsArgs, SayArgs, Side, SimulateArgs, TopArgs,
    TortureArgs,
};

pub use tenant::{
    Limit, Switch, TenantBudget, TenantCommand, TenantId, TenantList, TenantResume, TenantSet,
    TenantShadow,
};

/// Durable workflows for work that waits on people.
#[derive(Debug, Parser)]
#[command(name = "abide", version, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Start with `abide demo`: the whole story, in seconds, with nothing to set up."
)]
pub struct Cli {
    /// Flags that every command takes.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The database: a path, `sqlite://PATH` or `postgres://…` [default: .abide/abide.db]
    #[arg(long, global = true, env = "ABIDE_DB", value_name = "URL", hide_env = true)]
    pub db: Option<String>,
    /// A folder whose `methods/ templates/ contracts/` extend or override the built-in ones
    #[arg(long, global = true, env = "ABIDE_HOME", value_name = "DIR", hide_env = true,
        value_parser = path())]
    pub home: Option<PathBuf>,
    /// Settings, in TOML
    #[arg(long, global = true, env = "ABIDE_CONFIG", value_name = "FILE", hide_env = true,
        value_parser = path())]
    pub config: Option<PathBuf>,
    /// The tenant to act for
    #[arg(long, global = true, value_name = "ID", default_value = "default")]
    pub tenant: String,
    /// Talk to this server, whichever drives the database
    #[arg(long, global = true, value_name = "URL")]
    pub server: Option<String>,
    /// Print data as JSON, and problems as JSON on stderr
    #[arg(long, global = true)]
    pub json: bool,
    /// Say more on stderr; twice for everything
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
    /// Say less on stderr
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

/// A path that may be empty, as one from the environment is that was set to nothing.
fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

impl Global {
    /// What is set to nothing, as `ABIDE_DB=` does, is not set.
    #[must_use]
    pub fn named(mut self) -> Self {
        self.db = self.db.filter(|db| !db.trim().is_empty());
        self.server = self.server.filter(|url| !url.trim().is_empty());
        self.home = self.home.filter(|home| !home.as_os_str().is_empty());
        self.config = self.config.filter(|config| !config.as_os_str().is_empty());
        self
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play the main job in seconds: a request by text, replies, a crash, a timeout, the audit
    Demo(DemoArgs),
    /// Serve the HTTP API and run the work, in one process
    Serve(ServeArgs),
    /// Run the work without HTTP, beside a `serve --workers 0`
    Worker(WorkerArgs),
    /// Put the demo church into the database; again changes nothing
    Seed,
    /// Bring in what others wrote down before
    #[command(subcommand)]
    Import(ImportCommand),
    /// Look up people of the directory
    #[command(subcommand)]
    People(PeopleCommand),
    /// Send a text as a person's phone would, and print what came back
    Say(SayArgs),
    /// Talk as a person's phone would, line by line
    Chat(ChatArgs),
    /// Read the texts that wait for a person
    #[command(subcommand)]
    Inbox(InboxCommand),
    /// Start runs, look at them, steer them
    #[command(subcommand)]
    Run(RunCommand),
    /// Have methods started by themselves, again and again or once
    #[command(subcommand)]
    Schedule(ScheduleCommand),
    /// Publish methods, look at their versions, take one back
    #[command(subcommand)]
    Method(MethodCommand),
    /// Say how much there is of what runs reserve
    #[command(subcommand)]
    Capacity(CapacityCommand),
    /// Manage tenants: settings, the kill switch
    #[command(subcommand)]
    Tenant(TenantCommand),
    /// Look after the knowledge base
    #[command(subcommand)]
    Kb(KbCommand),
    /// Make a folder with a method, a template and a scenario to begin with
    Init(InitArgs),
    /// Bring the database to the newest schema
    Migrate(MigrateArgs),
    /// Check methods, templates, contracts and scenarios
    Lint(LintArgs),
    /// Draw the step graph of a method
    Graph(GraphArgs),
    /// Print the JSON Schema of a kind of file, for editors
    Schema(SchemaArgs),
    /// Play a scenario in virtual time
    Simulate(SimulateArgs),
    /// Kill a scenario at every commit and compare what it leaves
    Torture(TortureArgs),
    /// Check the ledger's chain, the receipts and the invariants
    Audit,
    /// Print the event log
    Logs(LogsArgs),
    /// Watch how things stand: runs, timers, messages, throughput
    Top(TopArgs),
    /// Measure the engine beside the raw limit of the same database
    Bench(BenchArgs),
    /// Check that this machine, database and library are fit to run
    Doctor,
    /// Answer one JSON object a line: the parsers, held against your own cases
    Eval(EvalArgs),
}

/// Parses the process's arguments; wrong usage prints its help and exits 2.
#[must_use]
pub fn parse() -> Cli {
    Cli::parse()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn global_flags_may_stand_after_the_command() {
        let cli = Cli::try_parse_from(["abide", "run", "list", "--json", "--db", "x.db"]);
        let cli = cli.expect("parses");
        assert!(cli.global.json);
        assert_eq!(cli.global.db.as_deref(), Some("x.db"));
    }

    #[test]
    fn what_is_set_to_nothing_is_not_set() {
        let cli = Cli::try_parse_from(["abide", "--db", "", "--home", "", "audit"]);
        let global = cli.expect("parses").global.named();
        assert_eq!((global.db, global.home), (None, None));
    }

    #[test]
    fn quiet_and_verbose_exclude_each_other() {
        assert!(Cli::try_parse_from(["abide", "audit", "-q", "-v"]).is_err());
    }
}
