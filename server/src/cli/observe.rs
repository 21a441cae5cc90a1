//! Arguments of the commands `audit`, `archive`, `logs`, `top`, `bench` and `eval`.

use std::path::PathBuf;

use abide_engine::base::Span;
use clap::Args;

/// Arguments of `abide audit`.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Check only what has changed since the last clean audit
    #[arg(long)]
    pub since_seal: bool,
    /// Continue the last audit, which was interrupted
    #[arg(long, conflicts_with = "since_seal")]
    pub resume: bool,
}

/// Arguments of `abide archive`.
#[derive(Debug, Args)]
pub struct ArchiveArgs {
    /// Archive what ended before this: a date, a time or a duration before now, such as `2026-01-31` or `90d`
    /// [default: as the settings `keep_runs`, `keep_messages` and `keep_events` say]
    #[arg(long, value_name = "WHEN")]
    pub before: Option<String>,
    /// Folder for the file; only without a server, which has a folder of its own [default: `archive` beside the database
    /// file, or `.abide/archive` with PostgreSQL]
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
}

/// Arguments of `abide logs`.
#[derive(Debug, Args)]
pub struct LogsArgs {
    /// Keep printing new events as they arrive
    #[arg(long)]
    pub follow: bool,
    /// Print only events of this run
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Print only what one message or one API request set going: its `cor_…`, or the id of a message, run or request
    #[arg(long, value_name = "ID")]
    pub correlation: Option<String>,
    /// Print only events younger than this, such as `2h`
    #[arg(long, value_name = "DURATION")]
    pub since: Option<Span>,
    /// Print phone numbers and texts of people, which are redacted otherwise; needs the role `supervisor`
    #[arg(long)]
    pub show_pii: bool,
}

/// Arguments of `abide top`.
#[derive(Debug, Args)]
pub struct TopArgs {
    /// Refresh interval, such as `2s`
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = parse_interval)]
    pub interval: Span,
}

/// Parses a refresh interval of at least 100 ms. No one could read figures that change faster.
fn parse_interval(text: &str) -> Result<Span, String> {
    let span: Span = text.parse().map_err(|_| "write a duration such as `2s`".to_owned())?;
    if span >= Span::from_micros(100_000) { Ok(span) } else { Err("use at least `100ms`".into()) }
}

/// Maximum number of waiting runs in a benchmark. They take about 10 GB of disk.
const WAITING_RUNS_MAX: u64 = 5_000_000;

/// Arguments of `abide bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Measure for less time: under half a minute per database, instead of about two minutes
    #[arg(long)]
    pub quick: bool,
    /// Measure the load while 1,000, 10,000 and so on up to N runs already wait, and a restart
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=WAITING_RUNS_MAX))]
    pub waiting: Option<u64>,
    /// Draw the rates over the number of waiting runs into this SVG file
    #[arg(long, value_name = "FILE", requires = "waiting")]
    pub plot: Option<std::path::PathBuf>,
    /// Measure what clients see over HTTP: starts, signals, and people who all answer at once
    #[arg(long, conflicts_with = "waiting")]
    pub http: bool,
    /// Serve the database for a benchmark, which kills this process
    #[arg(long, hide = true, conflicts_with_all = ["quick", "waiting", "http"])]
    pub reopen: bool,
}

/// Arguments of `abide eval`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Parser to evaluate
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(crate::eval::names()))]
    pub kind: String,
}
