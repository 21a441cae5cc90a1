//! Fills the database with copies of a waiting run.

use abide_engine::base::{Problem, RunId};
use abide_engine::store::Address;

use super::super::engine::TENANT;
use super::super::figures::Rate;
use super::super::raw::{Copier, CopyWriter, SampleRuns, Stage, TableSizes, measure_sizes};
use crate::output::progress::Progress;

/// Maximum number of runs that one commit inserts.
const CHUNK: u64 = 50_000;
/// Number of the filled runs whose ids are remembered.
const REMEMBERED: usize = 256;

/// Inserts copies of a parked run. Their ids increase, as those of real runs do. They are due at the
/// deadline of the parked run, seven days after its start, each a microsecond after the previous one. Their
/// events have hash chains that the audit can verify.
pub(super) struct Filler {
    address: Address,
    writer: CopyWriter,
    copier: Copier,
    filled: u64,
    some_runs: Vec<RunId>,
}

impl Filler {
    /// Prepares to copy the parked run of `sample`.
    ///
    /// # Errors
    /// `database_unreachable`; a bug if the run has rows in a table that is not copied.
    pub(super) async fn new(address: &Address, sample: SampleRuns) -> Result<Self, Problem> {
        let mut writer = CopyWriter::connect(address).await?;
        let copier = writer.copier(sample.without_end(), TENANT).await?;
        Ok(Self { address: address.clone(), writer, copier, filled: 0, some_runs: Vec::new() })
    }

    /// Returns the number of copies so far.
    pub(super) fn filled(&self) -> u64 {
        self.filled
    }

    /// Returns the ids of at most 256 of the copies.
    pub(super) fn some_runs(&self) -> &[RunId] {
        &self.some_runs
    }

    /// Inserts copies until there are `waiting` copies. Returns their number and the time of the commits:
    /// the rate of raw rows, which is no limit, because each commit has as many rows as is convenient.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(super) async fn fill_to(&mut self, waiting: u64) -> Result<Rate, Problem> {
        let progress = Progress::for_items("waiting runs");
        progress.set_total(waiting);
        let mut rate = Rate::default();
        while self.filled < waiting {
            let n = CHUNK.min(waiting - self.filled);
            let copies = self.writer.copies(&self.copier, n);
            let took = self.writer.write(&self.copier, &copies, Stage::Filled).await?;
            rate = rate.and(Rate { n, took });
            self.filled += n;
            progress.set_done(self.filled);
            self.some_runs = copies.ids();
            self.some_runs.truncate(REMEMBERED);
        }
        progress.finish();
        Ok(rate)
    }

    /// Writes a checkpoint, and returns the bytes of each table.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(super) async fn sizes(&mut self) -> Result<TableSizes, Problem> {
        self.writer.checkpoint().await?;
        measure_sizes(&self.address).await
    }
}
