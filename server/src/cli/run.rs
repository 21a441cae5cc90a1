//! `run …`: starting, inspecting and controlling runs.

use std::path::PathBuf;

use abide_engine::base::Span;
use clap::{Args, Subcommand};

use super::simulation::RUNS_MAX;

/// Subcommands of `abide run`.
#[derive(Debug, Subcommand)]
pub enum RunCommand {
    /// Start a run of a method
    ///
    /// With `--wait` the exit code reports the outcome: 0 if the run succeeded, 3 if it fell short of its
    /// goal, 1 if it failed or was cancelled. Exit code 4 means that the run needs an approval first.
    Start(RunStartArgs),
    /// List runs, newest first
    List(RunListArgs),
    /// Show a run: its position, wait, variables, receipts and messages
    Show(RunIdArgs),
    /// Explain in plain language what a run waits for, what happens next and who must act
    Explain(RunIdArgs),
    /// Forecast a live run by simulating a copy of it
    ///
    /// The run itself is only read, and no one is texted.
    Forecast(RunForecastArgs),
    /// Cancel a run
    Cancel(RunIdArgs),
    /// Pause a run at its current position
    Pause(RunIdArgs),
    /// Resume a paused or quarantined run
    Resume(RunIdArgs),
    /// Retry the failed step of a run
    Retry(RunIdArgs),
    /// Skip the step at which a run is paused, failed or stuck
    ///
    /// The step's variable stays unset, or gets the value of `--out`. In a `foreach`, only the current item
    /// is skipped.
    Skip(RunSkipArgs),
    /// Start a new run from a step of an existing run, with the variables that the existing run had there
    Fork(RunForkArgs),
    /// Send a signal to a run
    Signal(RunSignalArgs),
    /// Move waiting runs to another version of their method
    ///
    /// For runs that cannot be moved, prints the step that prevents it; the exit code is then 1.
    Upgrade(RunUpgradeArgs),
}

/// Arguments of `abide run start`.
#[derive(Debug, Args)]
pub struct RunStartArgs {
    /// Name of the method; without it, the method is chosen that serves the goal
    pub method: Option<String>,
    /// Goal of the run, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub goal: String,
    /// Request that the run works for
    #[arg(long, value_name = "ID")]
    pub request: Option<String>,
    /// Initial variables, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub vars: Option<String>,
    /// Start a shadow run: it reports what it would do, and changes and sends nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Wait until the run has ended; the exit code reports the outcome
    #[arg(long)]
    pub wait: bool,
    /// What to do if a live run has the same method, request and role
    ///
    /// `reject` refuses the new run, `join` returns the live run, `replace` cancels the live run and starts
    /// the new one.
    #[arg(long, value_name = "POLICY", default_value = "reject",
        value_parser = ["reject", "join", "replace"])]
    pub on_conflict: String,
    /// Idempotency key: repeating the command with the same key starts no second run
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
}

/// Arguments of `abide run list`.
#[derive(Debug, Args)]
pub struct RunListArgs {
    /// List only runs in this status
    #[arg(long, value_name = "STATUS", value_parser = ["pending", "running", "waiting", "paused",
        "completed", "failed", "cancelled"])]
    pub status: Option<String>,
    /// List only stuck (overdue) runs, with the cause and who must act
    #[arg(long)]
    pub stuck: bool,
    /// List only waiting runs
    #[arg(long)]
    pub waiting: bool,
    /// List only runs of this method
    #[arg(long, value_name = "METHOD")]
    pub method: Option<String>,
    /// List only runs of this request
    #[arg(long, value_name = "ID")]
    pub request: Option<String>,
    /// Maximum number of runs to list
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}

/// Arguments of the commands that take only the id of a run.
#[derive(Debug, Args)]
pub struct RunIdArgs {
    /// Id of the run, `run_…`
    pub run: String,
}

/// Arguments of `abide run forecast`.
#[derive(Debug, Args)]
pub struct RunForecastArgs {
    /// Id of the run, `run_…`
    pub run: String,
    /// Model of how people answer: `silent`, `typical`, `eager`, `learned` (as these people have answered before)
    /// or a file
    #[arg(long, value_name = "MODEL", default_value = "silent")]
    pub people: String,
    /// Number of simulations, with consecutive seeds, to summarize [default: 1 if no one answers, else 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=RUNS_MAX))]
    pub runs: Option<u64>,
    /// Seed of all random choices; the first seed with `--runs`
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Maximum time to look ahead, such as `7days`
    #[arg(long = "for", value_name = "DURATION", default_value = "7days")]
    pub lasts: Span,
    /// Price of one message segment, to compute the cost
    #[arg(long, value_name = "PRICE")]
    pub price: Option<f64>,
    /// Write an HTML report with charts to this file
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

/// Arguments of `abide run signal`.
#[derive(Debug, Args)]
pub struct RunSignalArgs {
    /// Id of the run, `run_…`
    pub run: String,
    /// Name of the signal
    pub name: String,
    /// Data of the signal, as JSON
    #[arg(long, value_name = "JSON")]
    pub data: Option<String>,
    /// Idempotency key: repeating the command with the same key sends no second signal
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
}

/// Arguments of `abide run upgrade`.
#[derive(Debug, Args)]
pub struct RunUpgradeArgs {
    /// Id of the run, `run_…`
    #[arg(required_unless_present_any = ["all", "undo"])]
    pub run: Option<String>,
    /// Move all waiting runs of the method given by `--method`
    #[arg(long, requires = "method", conflicts_with = "run")]
    pub all: bool,
    /// Method whose runs `--all` moves
    #[arg(long, value_name = "METHOD")]
    pub method: Option<String>,
    /// Version to move to [default: the version that new runs use]
    #[arg(long, value_name = "VERSION")]
    pub to: Option<i64>,
    /// Report which runs could be moved, without moving them
    #[arg(long)]
    pub dry_run: bool,
    /// Id of a renamed step, in the old and the new version; repeatable
    #[arg(long, value_name = "OLD=NEW", value_parser = renamed)]
    pub map: Vec<(String, String)>,
    /// Undo an upgrade order (`upg_…`), or the latest move of a run (`run_…`)
    #[arg(long, value_name = "ID", conflicts_with_all = ["run", "all", "to", "map"])]
    pub undo: Option<String>,
}

fn renamed(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => {
            Ok((old.to_owned(), new.to_owned()))
        }
        _ => Err("write OLD=NEW, two step ids".to_owned()),
    }
}

/// Arguments of `abide run skip`.
#[derive(Debug, Args)]
pub struct RunSkipArgs {
    /// Id of the run, `run_…`
    pub run: String,
    /// Result to use for the skipped step, as JSON
    #[arg(long, value_name = "JSON")]
    pub out: Option<String>,
    /// Idempotency key: repeating the command with the same key skips no second step
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
}

/// Arguments of `abide run fork`.
#[derive(Debug, Args)]
pub struct RunForkArgs {
    /// Id of the existing run, `run_…`
    pub run: String,
    /// Main step to start from
    #[arg(long, value_name = "STEP")]
    pub from: String,
    /// Goal of the new run, as a JSON object [default: the goal of the existing run]
    #[arg(long, value_name = "JSON")]
    pub goal: Option<String>,
    /// Idempotency key: repeating the command with the same key starts no second run
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
}
