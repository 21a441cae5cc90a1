//! The swarm: draws scenarios and faults from seeds, and plays the scenarios with these faults on the
//! real engine. It ends the faults after the last scenario step, waits until no work is left, and checks
//! the laws.
//!
//! Most laws are about safety: whatever fails, no promise of the engine is broken.
//! Some laws are about liveness: after the faults have ended, every run ends.
//! The seed alone determines the scenario ([`combine`]), the faults ([`fault_mix`]),
//! the people and the ids. In each simulation, about half of the kinds of faults are off,
//! so that the other kinds can combine undisturbed (A. Groce and others, "Swarm testing", ISSTA 2012).

mod combine;
mod fault_mix;
mod judged;
mod laws;
mod settings;

pub use laws::law_names;

use abide_engine::base::{Problem, Span};
use abide_engine::boxed;
use abide_engine::store::Address;
use serde::Serialize;

use crate::crowd::CrowdModel;
use crate::own_database::with_own_database;
use crate::parallel::{is_machine_fault, run_in_parallel};
use crate::play::{PlayOptions, StartDatabase, TurnOrder, collect_evidence, compile_library};
use crate::report::StoryLine;
use crate::scenario::Scenario;

/// Number of simulations that run in parallel for each processor, if the database is a server.
/// Most of the time, a simulation waits for the server. While it waits, it needs no processor.
const PLAYS_ON_SERVER: usize = 3;

/// The scenarios that the swarm combines, and the options with which it plays them.
pub struct Swarm<'a> {
    /// The scenarios to combine; at least one.
    pub scenarios: &'a [Scenario],
    /// The methods and templates, the database, and the configuration of each process.
    /// The swarm itself sets the seeds and the faults.
    pub options: &'a PlayOptions<'a>,
    /// Called with each line of the story as soon as the line is written.
    pub on_line: Option<&'a (dyn Fn(&StoryLine) + Sync)>,
}

/// The result of the simulation of one seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeedResult {
    /// The seed of the simulation.
    pub seed: u64,
    /// The names of the scenarios that were combined.
    pub story: String,
    /// Number of commits that began.
    pub commits: u64,
    /// Number of process crashes.
    pub crashes: u64,
    /// The breaches of laws that were found, each in the form `law: detail`.
    pub breaches: Vec<String>,
}

impl Swarm<'_> {
    /// Plays the simulations of these seeds, in parallel as far as the processors allow.
    /// Calls `on_done` after each simulation, with the number of simulations done.
    ///
    /// # Errors
    /// `simulator_unavailable` if the machine lacks a resource.
    /// Any other problem of a simulation is listed in [`SeedResult::breaches`].
    #[boxed]
    pub async fn play(
        &self,
        seeds: &[u64],
        on_done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<SeedResult>, Problem> {
        let (library, start_database) =
            (compile_library(self.options), StartDatabase::empty().await?);
        let options = PlayOptions {
            library: Some(&library),
            start_database: Some(&start_database),
            on_line: self.on_line,
            ..self.options.clone()
        };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let on_server = matches!(self.options.db, Some(Address::Postgres(_)));
        let threads = if on_server { processors * PLAYS_ON_SERVER } else { processors };
        run_in_parallel(seeds, threads, on_done, |seed| self.play_seed(&options, *seed))
    }

    async fn play_seed(&self, options: &PlayOptions<'_>, seed: u64) -> Result<SeedResult, Problem> {
        let mut random = fastrand::Rng::with_seed(seed);
        let story = combine::combine(random.u64(..), self.scenarios);
        let lasts = story.steps.last().map_or(Span::ZERO, |step| step.at);
        let mut mix = fault_mix::draw(random.u64(..), lasts);
        if matches!(self.options.db, Some(Address::Postgres(_))) {
            // An inspection consists of several statements. On a server, other nodes could commit
            // between two of them. The results of the statements could then contradict each other,
            // so no commit is inspected.
            mix.inspected = 0;
        }
        let crowd = random.choice(CrowdModel::names()).and_then(|name| CrowdModel::shipped(&name));
        let options = PlayOptions {
            seed: Some(seed),
            faults: Some(mix),
            order: TurnOrder::Drawn(random.u64(..)),
            crowd: crowd.filter(|_| random.bool()),
            ..options.clone()
        };
        let result = SeedResult {
            seed,
            story: story.name.clone(),
            commits: 0,
            crashes: 0,
            breaches: Vec::new(),
        };
        Ok(
            match with_own_database(options, async |options| {
                collect_evidence(&story, options).await
            })
            .await
            {
                Ok(played) => SeedResult {
                    commits: played.commits,
                    crashes: played.crashes,
                    breaches: laws::breaches(&played),
                    ..result
                },
                Err(problem) if is_machine_fault(&problem) => return Err(problem),
                Err(problem) => {
                    let detail = problem.detail.as_deref().unwrap_or_default();
                    SeedResult {
                        breaches: vec![format!(
                            "the simulation cannot continue: {problem} {detail}"
                        )],
                        ..result
                    }
                }
            },
        )
    }
}
