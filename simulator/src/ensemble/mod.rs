//! Plays one scenario many times, each time with another seed, and summarizes the results in statistics.
//! Such a series of simulations is called an ensemble.

mod charts;
mod compare;
mod page;
mod statistics;
mod summary;

use abide_engine::base::Problem;
use abide_engine::library::{Library, Sources};
use serde::Serialize;

pub use compare::Comparison;
pub use page::{PageHeading, ReportedVersion, render_page};
pub use statistics::{Distribution, Proportion, percent};
pub use summary::{ProgressPoint, StepShare, Summary};

use crate::crowd::CrowdModel;
use crate::parallel::run_in_parallel;
use crate::play::RunSnapshot;
use crate::play::{PlayOptions, StartDatabase, simulate};
use crate::report::{Measure, UnmetExpectation};
use crate::scenario::Scenario;

/// A scenario, and how many times to play it.
pub struct Ensemble<'a> {
    /// The scenario to play. The ensemble's `seed` replaces the scenario's own seed.
    pub scenario: &'a Scenario,
    /// The methods, templates and other content to play with.
    pub sources: &'a Sources,
    /// The database from which each simulation starts; `None` means a database without rows.
    pub start_database: Option<&'a StartDatabase>,
    /// The copy of a live run that each simulation continues; `None` if the ensemble is not a forecast.
    pub snapshot: Option<&'a RunSnapshot>,
    /// The model of how people answer at random; without a model, people write only what the scenario says.
    pub crowd: Option<&'a CrowdModel>,
    /// The seed of the first simulation. Each further simulation has the next higher seed.
    pub seed: u64,
    /// Number of simulations.
    pub runs: u64,
}

/// The result of one simulation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sample {
    /// The seed of the simulation.
    pub seed: u64,
    /// The measurements of the simulation.
    pub measure: Measure,
    /// The expectations that did not hold, and the scenario steps that could not be carried out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<UnmetExpectation>,
    /// The invariants that the audit found broken at the end of the simulation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub audit: Vec<String>,
}

impl Ensemble<'_> {
    /// Plays all simulations on up to `threads` threads. Returns the results in the order of their seeds.
    /// Calls `on_done` after each simulation, with the number of simulations done.
    ///
    /// # Errors
    /// Returns the problem of a simulation that could not be played at all.
    pub fn play(
        &self,
        threads: usize,
        on_done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Sample>, Problem> {
        let library = &Library::compile(self.sources.clone());
        let seeds: Vec<u64> = (0..self.runs).map(|n| self.seed.wrapping_add(n)).collect();
        run_in_parallel(&seeds, threads, on_done, |seed| self.one(library, *seed))
    }

    async fn one(&self, library: &Library, seed: u64) -> Result<Sample, Problem> {
        let options = PlayOptions {
            seed: Some(seed),
            library: Some(library),
            start_database: self.start_database,
            snapshot: self.snapshot,
            crowd: self.crowd.cloned(),
            ..PlayOptions::default()
        };
        let report = simulate(self.scenario, &options).await?;
        Ok(Sample { seed, measure: report.measure, unmet: report.unmet, audit: report.audit })
    }
}

impl Sample {
    /// Whether every expectation held and every scenario step could be carried out.
    #[must_use]
    pub fn met(&self) -> bool {
        self.unmet.is_empty()
    }

    /// Whether the run that started first in the simulation succeeded.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.measure.outcome.as_deref() == Some("succeeded")
    }
}
