//! `run …`: start, look at, steer.

use std::path::PathBuf;

use abide_engine::base::Span;
use clap::{Args, Subcommand};

use super::story::RUNS_MAX;

/// The commands on runs.
#[derive(Debug, Subcommand)]
pub enum RunCommand {
    /// Start a run of a method
    ///
    /// With `--wait` the exit code tells the outcome: 0 succeeded, 3 fell short, 1 failed or
    /// cancelled, 4 an approval is needed.
    Start(RunStart),
    /// List runs, newest first
    List(RunList),
    /// Show one run: where it stands, what it waits for, what it did
    Show(RunId),
    /// Say in plain words what a run waits for, what comes next, and who must act
    Explain(RunId),
    /// Play a copy of a live run forward, and say what will happen if people behave so
    ///
    /// The run itself is only read; nobody is texted.
    Forecast(RunForecast),
    /// Cancel a run
    Cancel(RunId),
    /// Pause a run where it stands
    Pause(RunId),
    /// Let a paused run go on
    Resume(RunId),
    /// Try the failed step of a run again
    Retry(RunId),
    /// Go on behind the step at which a run is paused, failed or stuck
    ///
    /// Its variable stays unset, or is bound to the value of `--out`. In a `foreach` the item at hand
    /// is passed over.
    Skip(RunSkip),
    /// Start a new run from a step of an old one, with the variables that it had there
    Fork(RunFork),
    /// Send a run a signal
    Signal(RunSignal),
    /// Move runs that wait to another version of their method, or say which step keeps them
    ///
    /// Exit code 1 where a run stays.
    Upgrade(RunUpgrade),
}

/// `abide run start`.
#[derive(Debug, Args)]
pub struct RunStart {
    /// The method's name
    pub method: String,
    /// What to reach, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub goal: String,
    /// The request it works for
    #[arg(long, value_name = "ID")]
    pub request: Option<String>,
    /// Variables to begin with, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub vars: Option<String>,
    /// Shadow mode: say what would be done, change and send nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Stay until the run has ended; the exit code tells the outcome
    #[arg(long)]
    pub wait: bool,
    /// What becomes of it where a live run does the same for the same request and role: it is
    /// refused, that run stands for it, or that run is cancelled for it
    #[arg(long, value_name = "P", default_value = "reject",
        value_parser = ["reject", "join", "replace"])]
    pub on_conflict: String,
    /// The same key starts the same run once
    #[arg(long, value_name = "K")]
    pub key: Option<String>,
}

/// `abide run list`.
#[derive(Debug, Args)]
pub struct RunList {
    /// Only runs in this status
    #[arg(long, value_name = "S", value_parser = ["pending", "running", "waiting", "paused",
        "completed", "failed", "cancelled"])]
    pub status: Option<String>,
    /// Only runs past the time by which they should have moved, with the cause and who must act
    #[arg(long)]
    pub stuck: bool,
    /// Only runs that wait
    #[arg(long)]
    pub waiting: bool,
    /// Only runs of this method
    #[arg(long, value_name = "M")]
    pub method: Option<String>,
    /// Only runs of this request
    #[arg(long, value_name = "ID")]
    pub request: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}

/// A run, by id.
#[derive(Debug, Args)]
pub struct RunId {
    /// The run's id, `run_…`
    pub run: String,
}

/// `abide run forecast`.
#[derive(Debug, Args)]
pub struct RunForecast {
    /// The run's id, `run_…`
    pub run: String,
    /// How people answer: `silent`, `typical`, `eager` or a model's file
    #[arg(long, value_name = "MODEL", default_value = "silent")]
    pub people: String,
    /// Play it so many times, with the seeds that follow, and tell what usually comes of it [default: 1
    /// where people keep silent, else 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=RUNS_MAX))]
    pub runs: Option<u64>,
    /// Seed of everything that is random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// How far to look ahead, such as `7days`, where the run does not end before
    #[arg(long = "for", value_name = "D", default_value = "7days")]
    pub lasts: Span,
    /// The price of one segment, to tell what it costs
    #[arg(long, value_name = "PRICE")]
    pub price: Option<f64>,
    /// Write one page with plots
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

/// `abide run signal`.
#[derive(Debug, Args)]
pub struct RunSignal {
    /// The run's id, `run_…`
    pub run: String,
    /// The signal's name
    pub name: String,
    /// What it carries, as JSON
    #[arg(long, value_name = "JSON")]
    pub data: Option<String>,
    /// The same key is delivered once
    #[arg(long, value_name = "K")]
    pub key: Option<String>,
}

/// `abide run upgrade`.
#[derive(Debug, Args)]
pub struct RunUpgrade {
    /// The run's id, `run_…`
    #[arg(required_unless_present_any = ["all", "undo"])]
    pub run: Option<String>,
    /// All runs of the method that `--method` names
    #[arg(long, requires = "method", conflicts_with = "run")]
    pub all: bool,
    /// The method, with `--all`
    #[arg(long, value_name = "M")]
    pub method: Option<String>,
    /// The version [default: the one that new runs begin with]
    #[arg(long, value_name = "VERSION")]
    pub to: Option<i64>,
    /// Only say what would become of them
    #[arg(long)]
    pub dry_run: bool,
    /// A step that was renamed
    #[arg(long, value_name = "OLD=NEW", value_parser = renamed)]
    pub map: Vec<(String, String)>,
    /// Take an order (`upg_…`) or the latest move of a run (`run_…`) back
    #[arg(long, value_name = "ID", conflicts_with_all = ["run", "all", "to", "map"])]
    pub undo: Option<String>,
}

fn renamed(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => {
            Ok((old.to_owned(), new.to_owned()))
        }
        _ => Err("it is written OLD=NEW, two steps".to_owned()),
    }
}

/// `abide run skip`.
#[derive(Debug, Args)]
pub struct RunSkip {
    /// The run's id, `run_…`
    pub run: String,
    /// What the step would have given, as JSON
    #[arg(long, value_name = "JSON")]
    pub out: Option<String>,
    /// The same key passes over one step once
    #[arg(long, value_name = "K")]
    pub key: Option<String>,
}

/// `abide run fork`.
#[derive(Debug, Args)]
pub struct RunFork {
    /// The old run's id, `run_…`
    pub run: String,
    /// The main step to begin at
    #[arg(long, value_name = "STEP")]
    pub from: String,
    /// Another goal than the old run's, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub goal: Option<String>,
    /// The same key starts the same run once
    #[arg(long, value_name = "K")]
    pub key: Option<String>,
}
