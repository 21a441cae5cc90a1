//! One story many times, each time with other chance: what usually comes of it, and what may.

mod charts;
mod compare;
mod page;
mod spread;
mod summary;

use abide_engine::base::Problem;
use abide_engine::library::{Library, Sources};
use serde::Serialize;

pub use compare::Comparison;
pub use page::{Drawn, Heading, page};
pub use spread::{Chance, Spread, percent};
pub use summary::{ByTime, StepShare, Summary};

use crate::abreast::abreast;
use crate::crowd::Model;
use crate::forecast::Live;
use crate::play::{Options, Template, simulate};
use crate::report::{Measure, Unmet};
use crate::scenario::Scenario;

/// What is played, and how often.
pub struct Ensemble<'a> {
    /// The story; its own seed is the first one's unless `seed` says otherwise.
    pub scenario: &'a Scenario,
    /// The content.
    pub sources: &'a Sources,
    /// What each of them begins with.
    pub template: Option<&'a Template>,
    /// The run that they go on from.
    pub live: Option<&'a Live>,
    /// How people answer.
    pub crowd: Option<&'a Model>,
    /// The first seed; those that follow are the next numbers.
    pub seed: u64,
    /// How many stories.
    pub runs: u64,
}

/// What one of the stories came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sample {
    /// Its seed.
    pub seed: u64,
    /// The numbers.
    pub measure: Measure,
    /// What was expected and did not come true.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<Unmet>,
    /// What the audit found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub audit: Vec<String>,
}

impl Ensemble<'_> {
    /// Plays all of them, on `threads` threads, in the order of their seeds. `on_done` is told each
    /// time how many are done.
    ///
    /// # Errors
    /// The first that could not be played at all.
    pub fn play(
        &self,
        threads: usize,
        on_done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Sample>, Problem> {
        let library = &Library::compile(self.sources.clone());
        let seeds: Vec<u64> = (0..self.runs).map(|n| self.seed.wrapping_add(n)).collect();
        abreast(&seeds, threads, on_done, |seed| self.one(library, *seed))
    }

    async fn one(&self, library: &Library, seed: u64) -> Result<Sample, Problem> {
        let options = Options {
            seed: Some(seed),
            library: Some(library),
            template: self.template,
            live: self.live,
            crowd: self.crowd.cloned(),
            ..Options::default()
        };
        let report = simulate(self.scenario, &options).await?;
        Ok(Sample { seed, measure: report.measure, unmet: report.unmet, audit: report.audit })
    }
}

impl Sample {
    /// True where everything that was expected came true.
    #[must_use]
    pub fn met(&self) -> bool {
        self.unmet.is_empty()
    }

    /// True where the run did what it was for.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.measure.outcome.as_deref() == Some("succeeded")
    }
}
