//! Commands that tell or measure something: `demo say chat simulate torture logs top bench eval`.

use std::path::PathBuf;

use abide_engine::base::Span;
use clap::Args;

/// `abide demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Seed of everything that is random [default: the story's]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Keep the database in this folder, to look at it afterwards
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}

/// `abide say`.
#[derive(Debug, Args)]
pub struct SayArgs {
    /// The sender's phone, in E.164
    #[arg(long, value_name = "PHONE")]
    pub from: String,
    /// The number of ours that it is sent to
    #[arg(long, value_name = "PHONE")]
    pub to: Option<String>,
    /// The provider's id of the message; the same id is heard once [default: a new one]
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// What is said
    #[arg(required = true, value_name = "TEXT")]
    pub text: Vec<String>,
}

/// `abide chat`.
#[derive(Debug, Args)]
pub struct ChatArgs {
    /// The sender's phone, in E.164
    #[arg(long, value_name = "PHONE")]
    pub from: String,
    /// The number of ours that it is sent to
    #[arg(long, value_name = "PHONE")]
    pub to: Option<String>,
}

/// `abide simulate`.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// A scenario file, or the name of a method to play with the demo church
    #[arg(value_name = "SCENARIO.yaml|METHOD")]
    pub scenario: String,
    /// Seed of everything that is random [default: the scenario's]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Play it so many times, with the seeds that follow, and tell what usually comes of it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=RUNS_MAX))]
    pub runs: u64,
    /// Who answers by chance: `silent`, `typical`, `eager` or a model's file [default: of a method typical, of a scenario nobody]
    #[arg(long, value_name = "MODEL")]
    pub people: Option<String>,
    /// What the method is to reach [default: five nursery places]
    #[arg(long, value_name = "JSON")]
    pub goal: Option<String>,
    /// How much time passes for a method, such as `7days`
    #[arg(long = "for", value_name = "D", default_value = "7days")]
    pub lasts: Span,
    /// The price of one segment, to tell what it costs
    #[arg(long, value_name = "PRICE")]
    pub price: Option<f64>,
    /// Another text of the method: both meet the same people
    #[arg(long, value_name = "FILE.yaml")]
    pub against: Option<String>,
    /// Write one page with plots
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

/// Stories of one command: more tell nothing new, and take hours.
pub(super) const RUNS_MAX: u64 = 100_000;

/// `abide torture`.
#[derive(Debug, Args)]
pub struct TortureArgs {
    /// Scenario files
    #[arg(value_name = "SCENARIO.yaml", required_unless_present_any = ["all", "swarm"],
        conflicts_with_all = ["all", "swarm"])]
    pub scenarios: Vec<PathBuf>,
    /// Every scenario that is built in, and those in the `scenarios` folder of the home
    #[arg(long)]
    pub all: bool,
    /// Every commit, also of a scenario with very many
    #[arg(long)]
    pub every_commit: bool,
    /// Of the points only one in so many, from one that the scenario's seed chooses
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with_all = ["point", "swarm"])]
    pub one_in: usize,
    /// So many more plays of each, with random faults drawn from seeds
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seeds: u64,
    /// So many stories that seeds draw from all scenarios, under faults that they draw, held against laws
    #[arg(long, value_name = "N", conflicts_with_all = ["all", "every_commit", "seeds", "point"],
        value_parser = clap::value_parser!(u64).range(1..))]
    pub swarm: Option<u64>,
    /// Only the random faults of this seed; of a swarm the first seed
    #[arg(long, value_name = "N", conflicts_with_all = ["all", "point", "seeds"])]
    pub seed: Option<u64>,
    /// Only this commit, counted from 1
    #[arg(long, value_name = "N", requires = "side", conflicts_with = "all",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub point: Option<u64>,
    /// Only this side of it
    #[arg(long, requires = "point")]
    pub side: Option<Side>,
}

/// A side of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Side {
    /// Everything is written, nothing is kept yet
    Before,
    /// Everything is kept, nobody has been told
    After,
}

/// `abide logs`.
#[derive(Debug, Args)]
pub struct LogsArgs {
    /// Go on printing as events come
    #[arg(long)]
    pub follow: bool,
    /// Only events of this run
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Only events with this correlation
    #[arg(long, value_name = "C")]
    pub correlation: Option<String>,
    /// Only events younger than this, such as `2h`
    #[arg(long, value_name = "D")]
    pub since: Option<Span>,
}

/// `abide top`.
#[derive(Debug, Args)]
pub struct TopArgs {
    /// How often it is drawn anew, such as `2s`
    #[arg(long, value_name = "D", default_value = "2s", value_parser = interval)]
    pub interval: Span,
}

/// How often a screen is drawn: no faster than anybody reads.
fn interval(text: &str) -> Result<Span, String> {
    let span: Span = text.parse().map_err(|_| "write a duration such as `2s`".to_owned())?;
    if span >= Span::from_micros(100_000) { Ok(span) } else { Err("at least `100ms`".into()) }
}

/// `abide bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// A smaller measurement, in seconds
    #[arg(long)]
    pub quick: bool,
}

/// `abide eval`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// What to evaluate
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(crate::eval::names()))]
    pub kind: String,
}
