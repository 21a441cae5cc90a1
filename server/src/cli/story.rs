//! Commands that play, print or measure something: `demo say chat simulate torture logs top bench eval`.

use std::path::PathBuf;

use abide_engine::base::Span;
use clap::Args;

/// Arguments of `abide demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Seed of all random choices [default: the seed of the demo scenario]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Keep the database in this folder, to inspect it afterwards
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}

/// Arguments of `abide say`.
#[derive(Debug, Args)]
pub struct SayArgs {
    /// Phone number of the sender, in E.164 format
    #[arg(long, value_name = "PHONE")]
    pub from: String,
    /// Phone number that receives the text [default: the setting `sms_from`]
    #[arg(long, value_name = "PHONE")]
    pub to: Option<String>,
    /// Message id from the provider; a repeated id is processed once [default: a new id]
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Text of the message
    #[arg(required = true, value_name = "TEXT")]
    pub text: Vec<String>,
}

/// Arguments of `abide chat`.
#[derive(Debug, Args)]
pub struct ChatArgs {
    /// Phone number of the sender, in E.164 format
    #[arg(long, value_name = "PHONE")]
    pub from: String,
    /// Phone number that receives the texts [default: the setting `sms_from`]
    #[arg(long, value_name = "PHONE")]
    pub to: Option<String>,
}

/// Arguments of `abide simulate`.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// Scenario file, or the name of a method to simulate with the demo church
    #[arg(value_name = "SCENARIO.yaml|METHOD")]
    pub scenario: String,
    /// Seed of all random choices; the first seed with `--runs` [default: the seed of the scenario]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Number of simulations, with consecutive seeds; the results are summarized
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=RUNS_MAX))]
    pub runs: u64,
    /// Model of how people answer: `silent`, `typical`, `eager` or a file [default: typical for a method;
    /// in a scenario only its own replies]
    #[arg(long, value_name = "MODEL")]
    pub people: Option<String>,
    /// Goal of the method, as a JSON object [default: five nursery places]
    #[arg(long, value_name = "JSON")]
    pub goal: Option<String>,
    /// Time to simulate for a method, such as `7days`
    #[arg(long = "for", value_name = "DURATION", default_value = "7days")]
    pub lasts: Span,
    /// Price of one message segment, to compute the cost
    #[arg(long, value_name = "PRICE")]
    pub price: Option<f64>,
    /// Compare with another version of the method, under the same seeds and people
    #[arg(long, value_name = "FILE.yaml")]
    pub against: Option<String>,
    /// Write an HTML report with charts to this file
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

/// Maximum number of simulations per command. More would take hours without changing the result.
pub(super) const RUNS_MAX: u64 = 100_000;

/// Arguments of `abide torture`.
#[derive(Debug, Args)]
pub struct TortureArgs {
    /// Scenario files to play
    #[arg(value_name = "SCENARIO.yaml", required_unless_present_any = ["all", "swarm"],
        conflicts_with_all = ["all", "swarm"])]
    pub scenarios: Vec<PathBuf>,
    /// Play every built-in scenario, and those in the `scenarios` folder of the home folder
    #[arg(long)]
    pub all: bool,
    /// Crash at every commit, even in a scenario with more than 1,000 commits
    ///
    /// Without it, such a scenario is crashed only at the first and the last commit of each kind and at a
    /// random selection of the others.
    #[arg(long)]
    pub every_commit: bool,
    /// Test only every N-th commit point, starting from one that the scenario's seed selects
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with_all = ["point", "swarm"])]
    pub one_in: usize,
    /// Also run each scenario with N seeds of random faults
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seeds: u64,
    /// Run N random mixes of all scenarios under random faults instead, and check that all laws hold
    #[arg(long, value_name = "N", conflicts_with_all = ["all", "every_commit", "seeds", "point"],
        value_parser = clap::value_parser!(u64).range(1..))]
    pub swarm: Option<u64>,
    /// Test only the random faults of this seed; the first seed with `--swarm`
    #[arg(long, value_name = "N", conflicts_with_all = ["all", "point", "seeds"])]
    pub seed: Option<u64>,
    /// Test only this commit, counted from 1
    #[arg(long, value_name = "N", requires = "side", conflicts_with = "all",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub point: Option<u64>,
    /// Side of the commit to crash at
    #[arg(long, requires = "point")]
    pub side: Option<Side>,
}

/// Side of a commit at which the process is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Side {
    /// Right before the commit: everything is written, nothing is committed
    Before,
    /// Right after the commit: everything is committed, no caller has been told
    After,
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
    /// Print only events of this run, request or event stream
    #[arg(long, value_name = "ID")]
    pub correlation: Option<String>,
    /// Print only events younger than this, such as `2h`
    #[arg(long, value_name = "DURATION")]
    pub since: Option<Span>,
}

/// Arguments of `abide top`.
#[derive(Debug, Args)]
pub struct TopArgs {
    /// Refresh interval, such as `2s`
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = interval)]
    pub interval: Span,
}

/// Parses a refresh interval: at least 100 ms, because no one reads faster.
fn interval(text: &str) -> Result<Span, String> {
    let span: Span = text.parse().map_err(|_| "write a duration such as `2s`".to_owned())?;
    if span >= Span::from_micros(100_000) { Ok(span) } else { Err("use at least `100ms`".into()) }
}

/// Arguments of `abide bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Measure for less time: under half a minute per database, instead of about two minutes
    #[arg(long)]
    pub quick: bool,
}

/// Arguments of `abide eval`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Parser to evaluate
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(crate::eval::names()))]
    pub kind: String,
}
