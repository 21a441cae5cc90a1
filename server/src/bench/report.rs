//! The results of the benchmark, as a table and as JSON.

use abide_engine::store::DurabilitySetting;
use serde::Serialize;
use serde_json::{Value, json};

use super::machine::Machine;
use crate::output;

/// The kind of work that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Workload {
    /// Executing steps that do nothing. Each caller starts a run of such steps when its previous run has
    /// ended.
    #[default]
    Steps,
    /// Starting runs, each of which waits right after its start.
    Starts,
    /// Waking runs that wait. One commit wakes all of them.
    Resumes,
    /// Acting on the deadlines of runs that wait.
    Timers,
    /// Acting on the ends of pauses.
    Pauses,
    /// Making the second attempts of calls that failed.
    Retries,
    /// Opening a database that contains many waiting runs.
    Recovery,
    /// Inserting copies of a waiting run with statements for many rows each.
    Fill,
    /// Sending a signal to each of many runs, until all of them have ended.
    Signals,
    /// Starting runs over HTTP.
    HttpStarts,
    /// The same as `Signals`, over HTTP.
    HttpSignals,
    /// Delivering the answers to one request, until all are stored.
    Webhooks,
    /// Applying the same answers, from the first delivery until all are applied.
    Replies,
    /// Delivering the answers to many requests, until all are stored.
    WebhooksSpread,
    /// Applying the same answers, from the first delivery until all are applied.
    RepliesSpread,
}

impl Workload {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Starts => "starts",
            Self::Resumes => "resumes",
            Self::Timers => "timers",
            Self::Pauses => "pauses",
            Self::Retries => "retries",
            Self::Recovery => "recovery",
            Self::Fill => "fill",
            Self::Signals => "signals",
            Self::HttpStarts => "http_starts",
            Self::HttpSignals => "http_signals",
            Self::Webhooks => "webhooks",
            Self::Replies => "replies",
            Self::WebhooksSpread => "webhooks_spread",
            Self::RepliesSpread => "replies_spread",
        }
    }
}

/// Kind of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DatabaseKind {
    #[default]
    Sqlite,
    Postgres,
}

impl DatabaseKind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

/// The durability settings of a measured database.
pub(super) struct DatabaseDurability {
    pub(super) database: DatabaseKind,
    pub(super) settings: Vec<DurabilitySetting>,
}

/// The result of one workload on one database at one level of concurrency.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Measurement {
    pub(super) workload: Workload,
    pub(super) database: DatabaseKind,
    /// Number of concurrent callers, or of concurrent runs.
    pub(super) concurrency: usize,
    /// Number of operations measured: steps, starts, resumes, timers or recoveries.
    pub(super) n: u64,
    /// Number of operations per second.
    pub(super) per_s: f64,
    /// Number of operations per second of the bare database driver (the raw limit).
    pub(super) raw_per_s: Option<f64>,
    /// At concurrency 1: the time of one operation, divided by the time of one raw operation.
    /// At a higher concurrency: `per_s / raw_per_s`.
    /// The time of a step is measured from one call of a run to the run's next call.
    /// So the start of the run is not included; the workload `starts` measures it.
    pub(super) ratio: Option<f64>,
    /// Median latency in milliseconds. For `timers`, `pauses` and `retries`: median time from when a run is due until it is
    /// acted on.
    pub(super) p50_ms: Option<f64>,
    /// 99th percentile of the same time as `p50_ms`, in milliseconds.
    pub(super) p99_ms: Option<f64>,
    /// Median time from the request to start a run until the run has ended, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) run_p50_ms: Option<f64>,
    /// 99th percentile of the same time as `run_p50_ms`, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) run_p99_ms: Option<f64>,
    /// Resident memory of this process in MiB.
    pub(super) rss_mb: Option<f64>,
    /// Bytes of write-ahead log per step, including the bytes that are written to start and end the runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) wal_bytes_per_step: Option<f64>,
    /// Pages of write-ahead log per step, if the log consists of pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pages_per_step: Option<f64>,
    /// Bytes of write-ahead log per raw step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) raw_wal_bytes_per_step: Option<f64>,
}

/// All results of the benchmark, with the machine and the durability settings of the databases.
pub(crate) struct Report {
    pub(super) machine: Machine,
    pub(super) durability: Vec<DatabaseDurability>,
    pub(super) results: Vec<Measurement>,
}

impl Report {
    /// Returns the report as JSON: `{machine, durability, results}`.
    pub(crate) fn json(&self) -> Value {
        let durability = durability_json(&self.durability);
        json!({ "machine": self.machine, "durability": durability, "results": self.results })
    }

    /// Returns the report as a table, with a legend for its columns.
    pub(crate) fn text(&self) -> String {
        let header = [
            "workload",
            "database",
            "concurrency",
            "n",
            "per s",
            "raw per s",
            "ratio",
            "p50 ms",
            "p99 ms",
            "WAL B/step",
            "raw B/step",
            "RSS MB",
        ];
        let rows = self.results.iter().map(|one| {
            [
                one.workload.as_str().to_owned(),
                one.database.as_str().to_owned(),
                one.concurrency.to_string(),
                one.n.to_string(),
                number(Some(one.per_s)),
                number(one.raw_per_s),
                one.ratio_text(),
                number(one.p50_ms),
                number(one.p99_ms),
                number(one.wal_bytes_per_step),
                number(one.raw_wal_bytes_per_step),
                number(one.rss_mb),
            ]
        });
        let mut text = conditions(&self.machine, &self.durability);
        text.push_str(&format!("\n{}\n\n{LEGEND}", output::table(header, rows)));
        text
    }
}

/// Returns the durability settings as a JSON object with one member per database.
pub(super) fn durability_json(of: &[DatabaseDurability]) -> Value {
    let mut durability = serde_json::Map::new();
    for DatabaseDurability { database, settings } in of {
        let settings: serde_json::Map<_, _> =
            settings.iter().map(|one| (one.name.to_owned(), json!(one.value))).collect();
        durability.insert(database.as_str().to_owned(), settings.into());
    }
    durability.into()
}

/// Describes the machine and the durability settings, each on a line of its own.
pub(super) fn conditions(machine: &Machine, durability: &[DatabaseDurability]) -> String {
    let mut text = format!("{machine}\n");
    for DatabaseDurability { database, settings } in durability {
        let settings: Vec<String> =
            settings.iter().map(|one| format!("{} {}", one.name, one.value)).collect();
        text.push_str(&format!("{}: {}\n", database.as_str(), settings.join(", ")));
    }
    text
}

const LEGEND: &str = "\
raw: the bare driver writes the same rows to the same database, one step per commit at concurrency 1,
else 128 steps per commit. ratio: at concurrency 1 the mean time of an operation divided by that of a
raw one (lower is better), else the share of the raw rate (higher is better). A step ends when the next
one begins; steps per second include the starts and ends of runs.";

impl Measurement {
    /// Formats the ratio: a factor at concurrency 1, otherwise a share in percent.
    pub(super) fn ratio_text(&self) -> String {
        match self.ratio {
            None => "-".to_owned(),
            Some(ratio) if self.concurrency == 1 => format!("{ratio:.2} x"),
            Some(ratio) => format!("{:.0} %", ratio * 100.0),
        }
    }
}

/// Formats a number with about three significant digits.
pub(super) fn number(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) if value >= 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let step = Measurement {
            workload: Workload::Steps,
            database: DatabaseKind::Sqlite,
            concurrency: 1,
            n: 10,
            per_s: 3_456.7,
            raw_per_s: Some(5_000.0),
            ratio: Some(1.446),
            p50_ms: Some(0.28),
            ..Measurement::default()
        };
        let many = Measurement { concurrency: 128, ratio: Some(0.42), ..step.clone() };
        let setting = DurabilitySetting { name: "synchronous", value: "FULL".into(), safe: true };
        Report {
            machine: Machine::default(),
            durability: vec![DatabaseDurability {
                database: DatabaseKind::Sqlite,
                settings: vec![setting],
            }],
            results: vec![step, many],
        }
    }

    #[test]
    fn the_json_has_the_documented_members() {
        let json = report().json();
        assert_eq!(json["durability"]["sqlite"]["synchronous"], "FULL");
        let one = &json["results"][0];
        for member in [
            "workload",
            "database",
            "concurrency",
            "n",
            "per_s",
            "raw_per_s",
            "ratio",
            "p50_ms",
            "p99_ms",
            "rss_mb",
        ] {
            assert!(one.get(member).is_some(), "{member}");
        }
        assert!(json["machine"].is_object());
    }

    #[test]
    fn a_ratio_is_a_factor_at_concurrency_1_and_else_a_share() {
        let text = report().text();
        assert!(text.contains("1.45 x") && text.contains("42 %"), "{text}");
        assert!(text.contains("sqlite: synchronous FULL"), "{text}");
    }
}
