//! The results of the benchmark with many waiting runs, as tables and as JSON.

use abide_engine::base::Problem;
use serde::Serialize;
use serde_json::{Value, json};

use super::super::figures::Rate;
use super::super::machine::Machine;
use super::super::report::{
    DatabaseDurability, DatabaseKind, Measurement, Workload, conditions, durability_json, number,
};
use super::plot;
use super::reads::PageTime;
use super::restart::SecondProcess;
use super::size::BytesPerRun;
use crate::output;

/// The result of one workload while some number of runs wait.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct WaitingResult {
    #[serde(flatten)]
    pub(super) measurement: Measurement,
    /// Number of runs that wait during the measurement, apart from those of the load.
    pub(super) waiting: u64,
    /// Rate while the fewest runs wait, divided by the rate while `waiting` runs wait: how many times as much
    /// an operation costs. `None` in the first measurement.
    pub(super) cost_ratio: Option<f64>,
}

impl WaitingResult {
    /// Returns the result of a workload.
    pub(super) fn of(measurement: Measurement) -> Self {
        Self { measurement, waiting: 0, cost_ratio: None }
    }

    /// Returns the result of a fill up to `waiting` waiting runs.
    pub(super) fn fill(database: DatabaseKind, rate: Rate, waiting: u64) -> Self {
        let workload = Workload::Fill;
        let (n, per_s) = (rate.n, rate.per_s());
        let fill =
            Measurement { workload, database, concurrency: 1, n, per_s, ..Measurement::default() };
        Self::of(fill).with_waiting(waiting)
    }

    /// Returns the result with the number of runs that wait.
    pub(super) fn with_waiting(self, waiting: u64) -> Self {
        Self { waiting, ..self }
    }

    /// Computes the cost ratio, with the result of the same workload among the results `first`. A fill has
    /// none, because it is no load.
    pub(super) fn compare(&mut self, first: &[Self]) {
        let workload = self.measurement.workload;
        let base = first.iter().find(|result| result.measurement.workload == workload);
        self.cost_ratio = base
            .filter(|_| workload != Workload::Fill && self.measurement.per_s > 0.0)
            .map(|base| base.measurement.per_s / self.measurement.per_s);
    }
}

/// What was measured of the second process on one database.
#[derive(Debug, Clone)]
pub(super) struct SecondProcessOf {
    pub(super) database: DatabaseKind,
    pub(super) process: SecondProcess,
}

/// All results, with the machine and the durability settings of the databases.
pub(crate) struct WaitingReport {
    pub(super) machine: Machine,
    pub(super) durability: Vec<DatabaseDurability>,
    pub(super) waiting: u64,
    pub(super) results: Vec<WaitingResult>,
    pub(super) sizes: Vec<BytesPerRun>,
    pub(super) processes: Vec<SecondProcessOf>,
}

impl WaitingReport {
    /// Creates a report without results. `waiting` is the largest number of runs that wait.
    pub(super) fn new(machine: Machine, waiting: u64) -> Self {
        let (durability, results) = (Vec::new(), Vec::new());
        Self { machine, durability, waiting, results, sizes: Vec::new(), processes: Vec::new() }
    }

    /// Returns the report as JSON: `{machine, durability, waiting, results, sizes, restart, reads}`. The members of
    /// `durability`, `restart` and `reads` are databases.
    pub(crate) fn json(&self) -> Value {
        let by_database = |value: fn(&SecondProcess) -> Value| -> serde_json::Map<_, _> {
            let processes = self.processes.iter();
            processes.map(|of| (of.database.as_str().to_owned(), value(&of.process))).collect()
        };
        json!({
            "machine": self.machine,
            "durability": durability_json(&self.durability),
            "waiting": self.waiting,
            "results": self.results,
            "sizes": self.sizes,
            "restart": by_database(|process| json!(process.restart)),
            "reads": by_database(|process| json!(process.reads)),
        })
    }

    /// Returns the report as a picture: the rates over the number of waiting runs.
    ///
    /// # Errors
    /// A bug if the picture cannot be drawn.
    pub(crate) fn plot(&self) -> Result<String, Problem> {
        plot::draw(&self.results)
    }

    /// Returns the report as tables, with a legend for their columns.
    pub(crate) fn text(&self) -> String {
        let mut tables = vec![self.load_table(), self.size_table()];
        if !self.processes.is_empty() {
            tables.extend([self.restart_table(), self.list_table(), self.audit_table()]);
        }
        let conditions = conditions(&self.machine, &self.durability);
        format!("{conditions}\n{}\n\n{LEGEND}", tables.join("\n\n"))
    }

    fn load_table(&self) -> String {
        let header = [
            "workload",
            "database",
            "waiting",
            "concurrency",
            "n",
            "per s",
            "raw per s",
            "ratio",
            "p50 ms",
            "p99 ms",
            "cost ratio",
            "RSS MB",
        ];
        let rows = self.results.iter().map(|WaitingResult { measurement, waiting, cost_ratio }| {
            [
                measurement.workload.as_str().to_owned(),
                measurement.database.as_str().to_owned(),
                waiting.to_string(),
                measurement.concurrency.to_string(),
                measurement.n.to_string(),
                number(Some(measurement.per_s)),
                number(measurement.raw_per_s),
                measurement.ratio_text(),
                number(measurement.p50_ms),
                number(measurement.p99_ms),
                number(*cost_ratio),
                number(measurement.rss_mb),
            ]
        });
        output::table(header, rows)
    }

    fn size_table(&self) -> String {
        let rows = self.sizes.iter().map(|size| {
            let database = size.database.as_str().to_owned();
            [database, size.table.clone(), number(Some(size.bytes_per_run))]
        });
        output::table(["database", "table", "bytes per run"], rows)
    }

    fn restart_table(&self) -> String {
        let header = [
            "database",
            "ready ms",
            "first resume ms",
            "interrupted",
            "recovered ms",
            "idle CPU %",
            "idle RSS MB",
        ];
        let rows = self.processes.iter().map(|SecondProcessOf { database, process }| {
            let restart = &process.restart;
            [
                database.as_str().to_owned(),
                number(Some(restart.ready_ms)),
                number(Some(restart.first_resume_ms)),
                restart.interrupted.to_string(),
                number(Some(restart.recovered_ms)),
                number(restart.idle_cpu_percent),
                number(restart.idle_rss_mb),
            ]
        });
        output::table(header, rows)
    }
    fn list_table(&self) -> String {
        let pages = self.processes.iter().flat_map(|SecondProcessOf { database, process }| {
            let pages = process.reads.first_pages.iter();
            pages.map(|(list, PageTime { median_ms, slowest_ms })| {
                let [median, slowest] = [median_ms, slowest_ms].map(|ms| number(Some(*ms)));
                [list.clone(), database.as_str().to_owned(), median, slowest]
            })
        });
        let mut rows: Vec<[String; 4]> = pages.collect();
        rows.sort();
        output::table(["list", "database", "first page ms", "slowest ms"], rows)
    }

    fn audit_table(&self) -> String {
        let rows = self.processes.iter().map(|SecondProcessOf { database, process }| {
            let audit = process.reads.audit;
            [
                database.as_str().to_owned(),
                audit.events.to_string(),
                audit.breaches.to_string(),
                number(Some(audit.seconds)),
                number(process.reads.peak_rss_mb),
            ]
        });
        output::table(["database", "audited events", "breaches", "audit s", "peak RSS MB"], rows)
    }
}

const LEGEND: &str = "\
waiting: runs that wait during the measurement. raw: the bare driver writes the same rows to the same
database, 128 runs per commit. ratio: the share of the raw rate (higher is better). cost ratio: the rate
while the fewest runs wait, divided by this rate (1 is best). Latencies are those of one call; of `timers`
(deadlines of waits), `pauses` and `retries`, the time from when a run is due until it is acted on. Retries
are due 2 to 2.5 s after their starts. `fill` inserts rows without the engine, and is no limit.
bytes per run: growth of the tables over the fill, with their indexes. Times of a restart count from the
start of the second process; recovered: all interrupted runs have ended. first page: the median of the
reads in that process, and the slowest of them, which also connects and plans the statements. peak RSS:
the most memory that the process had, up to the end of the audit.";
