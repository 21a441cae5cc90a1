//! Arguments of the commands that play a scenario in virtual time: `demo`, `simulate` and `torture`.

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
    /// Without this option, such a scenario is crashed only at the first and the last commit of each kind,
    /// and at a random selection of the other commits.
    #[arg(long)]
    pub every_commit: bool,
    /// Test only every N-th commit point, starting from one that the scenario's seed selects
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with_all = ["point", "swarm"])]
    pub one_in: usize,
    /// Also run each scenario with N seeds of random faults
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seeds: u64,
    /// Instead, run N random mixes of all scenarios under random faults, and check that all laws hold
    #[arg(long, value_name = "N", conflicts_with_all = ["all", "every_commit", "seeds", "point"],
        value_parser = clap::value_parser!(u64).range(1..))]
    pub swarm: Option<u64>,
    /// Test only the random faults of this seed; with `--swarm`, begin with this seed
    #[arg(long, value_name = "N", conflicts_with_all = ["all", "point", "seeds"])]
    pub seed: Option<u64>,
    /// Test only this commit, counted from 1
    #[arg(long, value_name = "N", requires = "side", conflicts_with = "all",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub point: Option<u64>,
    /// Side of the commit to crash at
    #[arg(long, requires = "point")]
    pub side: Option<CommitSide>,
}

/// Side of a commit at which the process is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum CommitSide {
    /// Right before the commit: everything is written, nothing is committed
    Before,
    /// Right after the commit: everything is committed, no caller has received the result
    After,
}
