//! Definitions of the command line: the global options, and one file per group of commands.
//!
//! This module only defines arguments; the module `commands` carries out the commands.
//! Environment variables that set options are read only here, by clap.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand};

use crate::secret::Secret;

mod approvals;
mod ask;
mod capacity;
mod content;
mod file;
mod goals;
mod import;
mod inbox;
mod insights;
mod kb;
mod messages;
mod method;
mod observe;
mod operator;
mod pack;
mod people;
mod person;
mod run;
mod schedule;
mod seed;
mod serve;
mod service;
mod simulation;
mod tenant;
mod token;
mod tools;

pub use approvals::{ApprovalDecideArgs, ApprovalIdArgs, ApprovalsCommand, ApprovalsListArgs};
pub use ask::AskArgs;
pub use capacity::{CapacityCommand, CapacitySetArgs};
pub use content::{DocsArgs, GraphArgs, GraphFormat, InitArgs, LintArgs, MigrateArgs, SchemaArgs};
pub use file::{FileCommand, FileGetArgs, FilePutArgs};
pub use goals::{GoalsArgs, GoalsCommand, GoalsJournalArgs};
pub use import::{ImportCommand, ImportPeopleArgs};
pub use inbox::{InboxAnswerArgs, InboxAssignArgs, InboxCommand, InboxIdArgs, InboxListArgs};
pub use insights::InsightsArgs;
pub use kb::{KbCommand, KbListArgs, KbPutArgs, KbRetireArgs};
pub use messages::{ChatArgs, SayArgs};
pub use method::{
    MethodCommand, MethodDeleteArgs, MethodDiffArgs, MethodListArgs, MethodPublishArgs,
    MethodRollbackArgs, MethodShowArgs,
};
pub use observe::{ArchiveArgs, AuditArgs, BenchArgs, EvalArgs, LogsArgs, TopArgs};
pub use operator::{OperatorArgs, OperatorCommand, RollbackArgs};
pub use pack::{PackCommand, PackInstallArgs, PackLintArgs, PackTestArgs};
pub use people::{PeopleCommand, PeopleListArgs, PeopleShowArgs};
pub use person::{PersonArgs, PersonCommand};
pub use run::{
    RunCommand, RunForecastArgs, RunForkArgs, RunIdArgs, RunListArgs, RunSignalArgs, RunSkipArgs,
    RunStartArgs, RunUpgradeArgs,
};
pub use schedule::{ScheduleAddArgs, ScheduleCommand, ScheduleListArgs, ScheduleRemoveArgs};
pub use seed::SeedArgs;
pub use serve::{ClockKind, ServeArgs, SmsKind, WorkerArgs};
pub use service::{ServiceCommand, ServicePutArgs, ServiceRemoveArgs};
pub use simulation::{CommitSide, DemoArgs, SimulateArgs, TortureArgs};
pub use tenant::{
    MessageLimit, ShadowAction, TenantBudgetArgs, TenantCommand, TenantIdArgs, TenantListArgs,
    TenantResumeArgs, TenantSetArgs, TenantShadowArgs,
};
pub use token::{TokenCommand, TokenCreateArgs, TokenListArgs, TokenRevokeArgs};
pub use tools::{ToolCallArgs, ToolNameArgs, ToolReceiptsArgs, ToolsCommand, ToolsListArgs};

/// Durable workflows for work that waits on people.
#[derive(Debug, Parser)]
#[command(name = "abide", version, propagate_version = true, max_term_width = 100)]
#[command(help_expected = true)]
#[command(
    after_help = "To see abide at work, run `abide demo`: it takes seconds and needs no setup."
)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: GlobalOptions,
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalOptions {
    /// Database: a file, `sqlite://PATH` or `postgres://…` [env: ABIDE_DB] [default: .abide/abide.db]
    #[arg(long, global = true, env = "ABIDE_DB", value_name = "URL", hide_env = true)]
    pub db: Option<String>,
    /// Home folder: its `methods/` and `templates/` extend or override the built-in ones, its `contracts/`
    /// extend or tighten them [env: ABIDE_HOME]
    #[arg(long, global = true, env = "ABIDE_HOME", value_name = "DIR", hide_env = true,
        value_parser = path_or_empty())]
    pub home: Option<PathBuf>,
    /// File with the settings, in TOML [env: ABIDE_CONFIG]
    #[arg(long, global = true, env = "ABIDE_CONFIG", value_name = "FILE", hide_env = true,
        value_parser = path_or_empty())]
    pub config: Option<PathBuf>,
    /// Folder of stored files [env: ABIDE_FILES] [default: `files` beside the database file, or
    /// `.abide/files` with PostgreSQL]
    #[arg(long, global = true, env = "ABIDE_FILES", value_name = "DIR", hide_env = true,
        value_parser = path_or_empty())]
    pub files: Option<PathBuf>,
    /// Tenant to act for
    #[arg(long, global = true, value_name = "ID", default_value = "default")]
    pub tenant: String,
    /// Server to send requests to [default: the server of the database, if one is running]
    #[arg(long, global = true, value_name = "URL")]
    pub server: Option<String>,
    /// Token to send to the server that --server names [env: ABIDE_TOKEN]
    #[arg(long, global = true, env = "ABIDE_TOKEN", value_name = "TOKEN", hide_env = true)]
    pub token: Option<Secret>,
    /// Print data as JSON to stdout, and problems as JSON to stderr
    #[arg(long, global = true)]
    pub json: bool,
    /// Log more to stderr; repeat it to log everything
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
    /// Print no notes to stderr, and log only errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

/// Parses a path, which may be empty: an environment variable that is set to nothing gives an empty path.
fn path_or_empty() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

impl GlobalOptions {
    /// Removes options whose value is empty, for example after `ABIDE_DB=` in the environment.
    #[must_use]
    pub fn without_empty_values(mut self) -> Self {
        self.db = self.db.filter(|db| !db.trim().is_empty());
        self.server = self.server.filter(|url| !url.trim().is_empty());
        self.token = self.token.filter(|token| !token.is_blank());
        self.home = self.home.filter(|home| !home.as_os_str().is_empty());
        self.files = self.files.filter(|files| !files.as_os_str().is_empty());
        self.config = self.config.filter(|config| !config.as_os_str().is_empty());
        self
    }
}

/// Commands of `abide`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play a demo: a request by SMS, replies, a crash, a timeout and an audit
    ///
    /// Runs the real engine in virtual time on its own database. It takes seconds and texts no one.
    Demo(DemoArgs),
    /// Run the HTTP API and work on runs, in one process
    ///
    /// Prints `listening on http://…` to stderr as soon as it accepts requests. On SIGTERM or Ctrl-C it
    /// takes no more work, finishes the commits under way and exits with code 0.
    Serve(ServeArgs),
    /// Work on runs without the HTTP API
    ///
    /// Use it next to `abide serve` or other workers on the same PostgreSQL database.
    Worker(WorkerArgs),
    /// Load the demo church, or the demo of the trade (idempotent)
    ///
    /// The demo of the trade is a plumber and roofer in Australia, with leads, customers, quotes, jobs,
    /// invoices and an inspection. A tenant without people gets that region and time zone, unless its
    /// settings name others. A tenant in use keeps its region, which decides the tax in the demo.
    Seed(SeedArgs),
    /// Import data from files
    #[command(subcommand)]
    Import(ImportCommand),
    /// List and show the people in the directory
    #[command(subcommand)]
    People(PeopleCommand),
    /// Export or erase what is stored about one person
    #[command(subcommand)]
    Person(PersonCommand),
    /// Send a message as if from a person's phone, and print the replies
    Say(SayArgs),
    /// Chat as if from a person's phone, one message per line
    Chat(ChatArgs),
    /// Answer a text with what tools have computed or looked up, and verified
    Ask(AskArgs),
    /// Turn a message into a plan of calls, and perhaps run it
    ///
    /// The message is classified and planned; nothing runs in the modes `analyze` and `plan`. In the other modes the
    /// plan runs. If one of its calls has risk T2 or above, it first waits for an approval, and the exit code is 4.
    Operator(OperatorArgs),
    /// List the goals of a conversation, and their journal
    #[command(subcommand)]
    Goals(GoalsCommand),
    /// Show how often and how soon people answer
    ///
    /// Measured from the latest offers to each person, and from the latest texts and quotes to customers, leads and
    /// suppliers. `abide run forecast --people learned` and the setting `ask_order` use the same figures.
    Insights(InsightsArgs),
    /// Deal with messages that wait for staff: list, answer, assign and close them
    #[command(subcommand)]
    Inbox(InboxCommand),
    /// List calls that a person must decide about, approve and deny them
    #[command(subcommand)]
    Approvals(ApprovalsCommand),
    /// Start, inspect and control runs
    #[command(subcommand)]
    Run(RunCommand),
    /// Manage schedules: start methods at set times
    #[command(subcommand)]
    Schedule(ScheduleCommand),
    /// Publish methods and manage their versions
    #[command(subcommand)]
    Method(MethodCommand),
    /// List and set the capacity of resources that runs can reserve
    #[command(subcommand)]
    Capacity(CapacityCommand),
    /// Manage tenants: settings, message budget and the kill switch
    #[command(subcommand)]
    Tenant(TenantCommand),
    /// Create, list and revoke the tokens with which clients call the API
    #[command(subcommand)]
    Token(TokenCommand),
    /// List and call tools, and list the receipts of calls
    #[command(subcommand)]
    Tools(ToolsCommand),
    /// Store files, such as photos and documents, and return them
    #[command(subcommand)]
    File(FileCommand),
    /// Manage the facts of the knowledge base
    #[command(subcommand)]
    Kb(KbCommand),
    /// List, write and remove the weekly services of the church
    #[command(subcommand)]
    Service(ServiceCommand),
    /// Create a home folder with an example method, template and scenario
    Init(InitArgs),
    /// Migrate the database to the newest schema
    Migrate(MigrateArgs),
    /// Check methods, templates, contracts and scenarios for errors
    ///
    /// The files are checked together with the built-in content and the home folder. The exit code is 1 if
    /// there is an error, or any warning with `--deny warnings`.
    Lint(LintArgs),
    /// Check, test and install packs: folders of methods, templates, contracts and scenarios
    #[command(subcommand)]
    Pack(PackCommand),
    /// Draw the step graph of a method
    Graph(GraphArgs),
    /// Print the JSON Schema of a kind of file, for editors
    Schema(SchemaArgs),
    /// Print a page of the reference, such as the commands, the events or the HTTP API
    Docs(DocsArgs),
    /// Simulate a scenario or a method in virtual time
    ///
    /// Runs the real engine on a virtual clock: a week takes less than a second, and no one is texted. The
    /// exit code is 1 if an expectation of the scenario is not met.
    Simulate(SimulateArgs),
    /// Crash a scenario at every commit and compare the results
    ///
    /// Plays each scenario once without a crash. Then plays the scenario again for each commit, killing the
    /// process right before or right after that commit. A new process continues, and the final states are
    /// compared. The exit code is 1 if any result differs.
    Torture(TortureArgs),
    /// Check the ledger's hash chains, the receipts and the invariants
    ///
    /// Checks the archives together with the database. The exit code is 1 if anything is wrong. A clean audit leaves a
    /// seal, from which `--since-seal` goes on.
    Audit(AuditArgs),
    /// Move old runs, requests, messages and events into an archive
    ///
    /// The rows leave the database as lines of JSON with a seal. What is live, open or still needed stays, and so do people,
    /// consents and opt-outs. A server archives by itself once a day.
    Archive(ArchiveArgs),
    /// Print the event log
    Logs(LogsArgs),
    /// Show live figures: runs, timers, messages, throughput
    ///
    /// With `--json`, or if stdout is not a terminal, the figures are printed once.
    Top(TopArgs),
    /// Benchmark the engine against the raw speed of the same database
    ///
    /// Measures SQLite, and also PostgreSQL if `--db` names a server. Each benchmark uses a new database,
    /// which is deleted afterwards.
    Bench(BenchArgs),
    /// Check that the machine, the database and the library are fit for use
    ///
    /// The exit code is 1 if a check fails.
    Doctor,
    /// Evaluate a parser on your own cases: JSON lines from stdin to stdout
    ///
    /// Reads one JSON object per line and answers each with one line of JSON, in the same order.
    Eval(EvalArgs),
}

/// Parses the arguments of the process. On wrong usage prints an error and exits with code 2.
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
    fn every_command_has_help() {
        fn without_help(command: &clap::Command, path: &str, found: &mut Vec<String>) {
            for sub in command.get_subcommands() {
                let path = format!("{path} {}", sub.get_name());
                if sub.get_about().is_none() {
                    found.push(path.clone());
                }
                without_help(sub, &path, found);
            }
        }
        let mut found = Vec::new();
        without_help(&Cli::command(), "abide", &mut found);
        assert_eq!(found, [] as [&str; 0]);
    }

    #[test]
    fn global_flags_may_stand_after_the_command() {
        let cli = Cli::try_parse_from(["abide", "run", "list", "--json", "--db", "x.db"]);
        let cli = cli.expect("parses");
        assert!(cli.global.json);
        assert_eq!(cli.global.db.as_deref(), Some("x.db"));
    }

    #[test]
    fn an_empty_value_counts_as_absent() {
        let cli = Cli::try_parse_from(["abide", "--db", "", "--home", "", "audit"]);
        let global = cli.expect("parses").global.without_empty_values();
        assert_eq!((global.db, global.home), (None, None));
    }

    #[test]
    fn a_token_is_not_shown_by_the_debug_output_of_the_options() {
        let cli = Cli::try_parse_from(["abide", "audit", "--token", "abide_12"]).expect("parses");
        assert_eq!(cli.global.token.as_ref().map(Secret::reveal), Some("abide_12"));
        assert!(!format!("{cli:?}").contains("abide_12"));
    }

    #[test]
    fn quiet_and_verbose_exclude_each_other() {
        assert!(Cli::try_parse_from(["abide", "audit", "-q", "-v"]).is_err());
    }
}
