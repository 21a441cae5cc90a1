//! The raw limit of the load: how fast the bare driver writes the rows that the engine writes.
//!
//! Each run of the raw writer lives the same life as a run of the load, with the same rows and indexes, but
//! 128 runs share each commit and nothing decides anything. The time to create ids and hashes is not counted.

use std::time::Duration;

use abide_engine::base::Problem;
use abide_engine::store::Address;

use super::super::figures::Rate;
use super::super::raw::{BATCH, Copier, CopyWriter, SampleRuns, Stage};

/// The tenant of raw runs.
const TENANT: &str = "raw";

/// Raw rates of the life of a run.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RawRates {
    /// Rate at which runs are started and parked, in two commits.
    pub(super) starts: Rate,
    /// Rate at which runs get a signal, in a first commit, and end, in a second.
    pub(super) signals: Rate,
    /// Rate at which runs end that wait at a gate, in one commit.
    pub(super) resumes: Rate,
}

impl RawRates {
    /// Adds the rates of two measurements.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            starts: self.starts.and(other.starts),
            signals: self.signals.and(other.signals),
            resumes: self.resumes.and(other.resumes),
        }
    }
}

/// Measures raw rates with copies of sample runs.
pub(super) struct RawLives {
    writer: CopyWriter,
    listens: Copier,
    waits: Copier,
}

impl RawLives {
    /// Prepares to copy the samples of the two methods.
    ///
    /// # Errors
    /// `database_unreachable`; a bug if a sample has rows in a table that is not copied.
    pub(super) async fn new(
        address: &Address,
        listens: SampleRuns,
        waits: SampleRuns,
    ) -> Result<Self, Problem> {
        let mut writer = CopyWriter::connect(address).await?;
        let listens = writer.copier(listens, TENANT).await?;
        let waits = writer.copier(waits, TENANT).await?;
        Ok(Self { writer, listens, waits })
    }

    /// Measures the raw rates of starts and signals with `batches` batches of 128 runs, all of which end.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(super) async fn of_listens(&mut self, batches: u64) -> Result<RawRates, Problem> {
        let n = BATCH as u64;
        let mut rates = RawRates::default();
        for _ in 0..batches {
            let copies = self.writer.copies(&self.listens, n);
            let mut took = [Duration::ZERO; 4];
            let stages = [Stage::Started, Stage::Parked, Stage::Signalled, Stage::Ended];
            for (took, stage) in took.iter_mut().zip(stages) {
                *took = self.writer.write(&self.listens, &copies, stage).await?;
            }
            rates = rates.and(RawRates {
                starts: Rate { n, took: took[0] + took[1] },
                signals: Rate { n, took: took[2] + took[3] },
                resumes: Rate::default(),
            });
        }
        Ok(rates)
    }

    /// Measures the raw rate of resumes with `batches` batches of 128 runs, all of which end.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(super) async fn of_waits(&mut self, batches: u64) -> Result<RawRates, Problem> {
        let n = BATCH as u64;
        let mut rates = RawRates::default();
        for _ in 0..batches {
            let copies = self.writer.copies(&self.waits, n);
            for stage in [Stage::Started, Stage::Parked] {
                self.writer.write(&self.waits, &copies, stage).await?;
            }
            let took = self.writer.write(&self.waits, &copies, Stage::Ended).await?;
            rates.resumes = rates.resumes.and(Rate { n, took });
        }
        Ok(rates)
    }
}
