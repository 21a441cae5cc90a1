//! The swarm: stories that seeds draw, played by the real engine while faults come that the same seeds
//! draw, then healed, and held against laws.
//!
//! First safety: whatever goes wrong, no law is broken. Then liveness: once nothing goes wrong any more,
//! everything ends. A seed says all: the story ([`blend`]), the faults ([`mix`]), the people and the ids.
//! Half of the faults are off in each story, so that those that are on meet undisturbed (A. Groce and
//! others, "Swarm testing", ISSTA 2012).

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

/// Plays side by side for each processor on a server, which keeps a play waiting most of the time.
const PLAYS_ON_SERVER: usize = 3;

/// What is played.
pub struct Swarm<'a> {
    /// What the stories are drawn from; at least one.
    pub scenarios: &'a [Scenario],
    /// The content, and how each process is opened; seeds and faults come of the swarm.
    pub options: &'a Options<'a>,
    /// Told each line of the story as it unfolds.
    pub on_line: Option<&'a (dyn Fn(&Line) + Sync)>,
}

/// What became of one seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fate {
    /// The seed.
    pub seed: u64,
    /// What it drew.
    pub story: String,
    /// Commits that were begun.
    pub commits: u64,
    /// How often the process died.
    pub crashes: u64,
    /// Laws that were broken, and where.
    pub breaches: Vec<String>,
}

impl Swarm<'_> {
    /// Plays these seeds, as many side by side as keep the processors busy. `on_done` is told each time how many are done.
    ///
    /// # Errors
    /// The machine lacks something. What a story does that it must not do is a breach.
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
            // Each statement of a look sees what others have committed meanwhile: they would not fit together.
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
                    breaches: vec![format!("the story cannot go on: {problem} {detail}")],
                    ..fate
                }
            }
        })
    }
}
