//! The swarm: scenarios drawn from seeds are played on the real engine under faults drawn from the same
//! seeds. Then the faults end, and laws are checked.
//!
//! Safety comes first: whatever fails, no law is broken. Then liveness: once the faults have ended,
//! everything ends. A seed determines everything: the scenario ([`blend`]), the faults ([`mix`]), the people
//! and the ids. Half of the faults are off in each simulation, so that the others can combine undisturbed (A.
//! Groce and others, "Swarm testing", ISSTA 2012).

mod blend;
mod laws;
mod mix;
mod ways;

pub use laws::law_names;

use abide_engine::base::{Problem, Span};
use abide_engine::library::Library;
use abide_engine::store::Address;
use serde::Serialize;

use crate::abreast::{abreast, machine_fails};
use crate::apart::apart;
use crate::crowd::Model;
use crate::play::{Options, Order, Template, compiled, evidence};
use crate::report::Line;
use crate::scenario::Scenario;

/// Number of simulations per processor on a server; each waits for the server most of the time.
const PLAYS_ON_SERVER: usize = 3;

/// What the swarm plays.
pub struct Swarm<'a> {
    /// The scenarios to combine; at least one.
    pub scenarios: &'a [Scenario],
    /// The content, the database and how each process is opened. The swarm sets the seeds and faults.
    pub options: &'a Options<'a>,
    /// Called with each line of the story as it happens.
    pub on_line: Option<&'a (dyn Fn(&Line) + Sync)>,
}

/// The result of one seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fate {
    /// The seed.
    pub seed: u64,
    /// The scenarios that it combined.
    pub story: String,
    /// Number of commits that began.
    pub commits: u64,
    /// Number of process crashes.
    pub crashes: u64,
    /// Breaches of laws, and where.
    pub breaches: Vec<String>,
}

impl Swarm<'_> {
    /// Plays these seeds, in parallel as far as the processors allow. After each one `on_done` is called with
    /// the number done.
    ///
    /// # Errors
    /// `simulator_unavailable` if the machine lacks a resource. Any other problem of a simulation is a
    /// breach.
    pub async fn play(
        &self,
        seeds: &[u64],
        on_done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Fate>, Problem> {
        let (library, template) = (&compiled(self.options), &Template::empty().await?);
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let on_server = matches!(self.options.db, Some(Address::Postgres(_)));
        let threads = if on_server { processors * PLAYS_ON_SERVER } else { processors };
        abreast(seeds, threads, on_done, |seed| self.one((library, template), *seed))
    }

    async fn one(
        &self,
        (library, template): (&Library, &Template),
        seed: u64,
    ) -> Result<Fate, Problem> {
        let mut random = fastrand::Rng::with_seed(seed);
        let story = blend::blend(random.u64(..), self.scenarios);
        let lasts = story.steps.last().map_or(Span::ZERO, |step| step.at);
        let mut mix = mix::mix(random.u64(..), lasts);
        if matches!(self.options.db, Some(Address::Postgres(_))) {
            // An inspection's statements would each see what other nodes have just committed, and contradict
            // each other.
            mix.inspected = 0;
        }
        let crowd = random.choice(Model::names()).and_then(|name| Model::shipped(&name));
        let options = Options {
            seed: Some(seed),
            library: Some(library),
            template: Some(template),
            mischief: Some(mix),
            order: Order::Drawn(random.u64(..)),
            crowd: crowd.filter(|_| random.bool()),
            on_line: self.on_line,
            ..self.options.clone()
        };
        let fate =
            Fate { seed, story: story.name.clone(), commits: 0, crashes: 0, breaches: Vec::new() };
        Ok(match apart(options, async |options| evidence(&story, options).await).await {
            Ok(played) => Fate {
                commits: played.commits,
                crashes: played.crashes,
                breaches: laws::breaches(&played),
                ..fate
            },
            Err(problem) if machine_fails(&problem) => return Err(problem),
            Err(problem) => {
                let detail = problem.detail.as_deref().unwrap_or_default();
                Fate {
                    breaches: vec![format!("the simulation cannot continue: {problem} {detail}")],
                    ..fate
                }
            }
        })
    }
}
