//! Measures what people read while many runs wait: the first page of each list, the overview, and the audit.

use std::collections::BTreeMap;

use abide_engine::base::Problem;
use abide_engine::facade::{Engine, EventFilter, MessageFilter};
use abide_engine::run::RunStatus;
use abide_engine::store::RunFilter;
use serde::{Deserialize, Serialize};

use super::super::content::LISTENS;
use super::super::engine::TENANT;
use super::super::figures::{Stopwatch, percentile};

/// A tenant that has no runs. What it reads must not take longer because of the runs of another tenant.
const OTHER_TENANT: &str = "other";
/// How many times each page is read: each connection that only reads is used more than once. On PostgreSQL, a connection
/// plans a statement when it reads with it for the first time.
const TIMES: usize = 25;

/// How long the first page of each list takes, by the name of the list.
pub(super) type FirstPages = BTreeMap<String, PageTime>;

/// How long the first page of a list takes when it is read several times, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct PageTime {
    pub(super) median_ms: f64,
    pub(super) slowest_ms: f64,
}

/// What an audit of the whole database takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct AuditTime {
    /// Number of events that were checked.
    pub(super) events: u64,
    /// Number of violated rules.
    pub(super) breaches: usize,
    /// Time in seconds.
    pub(super) seconds: f64,
}

/// Reads the first page of each list.
///
/// # Errors
/// Any problem that the engine reports.
pub(super) async fn first_pages(engine: &Engine) -> Result<FirstPages, Problem> {
    let mut pages = FirstPages::new();
    for list in List::ALL {
        let mut times = Vec::with_capacity(TIMES);
        for _ in 0..TIMES {
            let clock = Stopwatch::started();
            list.read(engine).await?;
            times.push(clock.elapsed());
        }
        let mut ms = |share| percentile(&mut times, share).unwrap_or_default();
        let time = PageTime { median_ms: ms(0.5), slowest_ms: ms(1.0) };
        pages.insert(list.name().to_owned(), time);
    }
    Ok(pages)
}

/// Audits the database.
///
/// # Errors
/// Any problem that the engine reports.
pub(super) async fn audit(engine: &Engine) -> Result<AuditTime, Problem> {
    let clock = Stopwatch::started();
    let report = engine.audit().await?;
    let seconds = clock.elapsed().as_secs_f64();
    Ok(AuditTime { events: report.events, breaches: report.breaches.len(), seconds })
}

/// Parses an answer of the engine's process.
///
/// # Errors
/// A bug if the answer cannot be read.
pub(super) fn parsed<T: serde::de::DeserializeOwned>(answer: &str) -> Result<T, Problem> {
    serde_json::from_str(answer)
        .map_err(|e| Problem::bug(format!("the engine's process writes `{answer}`: {e}")))
}

/// Something of which people read the first page.
#[derive(Debug, Clone, Copy)]
enum List {
    Runs,
    LiveRuns,
    WaitingRuns,
    EndedRuns,
    RunsOfAMethod,
    StuckRuns,
    Overview,
    Events,
    Messages,
    Tenants,
    EventsInOrder,
    EventsOfARun,
    RunsOfAnotherTenant,
    OverviewOfAnotherTenant,
    EventsOfAnotherTenant,
}

impl List {
    const ALL: [Self; 15] = [
        Self::Runs,
        Self::LiveRuns,
        Self::WaitingRuns,
        Self::EndedRuns,
        Self::RunsOfAMethod,
        Self::StuckRuns,
        Self::Overview,
        Self::Events,
        Self::Messages,
        Self::Tenants,
        Self::EventsInOrder,
        Self::EventsOfARun,
        Self::RunsOfAnotherTenant,
        Self::OverviewOfAnotherTenant,
        Self::EventsOfAnotherTenant,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::LiveRuns => "live runs",
            Self::WaitingRuns => "waiting runs",
            Self::EndedRuns => "completed runs",
            Self::RunsOfAMethod => "runs of a method",
            Self::StuckRuns => "stuck runs",
            Self::Overview => "overview",
            Self::Events => "newest events",
            Self::EventsInOrder => "oldest events",
            Self::EventsOfARun => "events about a run",
            Self::Messages => "messages",
            Self::Tenants => "tenants",
            Self::RunsOfAnotherTenant => "runs of another tenant",
            Self::OverviewOfAnotherTenant => "overview of another tenant",
            Self::EventsOfAnotherTenant => "events of another tenant",
        }
    }

    async fn read(self, engine: &Engine) -> Result<(), Problem> {
        let filter = RunFilter::default();
        let of_runs = match self {
            Self::Runs => filter,
            Self::LiveRuns => RunFilter { live: true, ..filter },
            Self::WaitingRuns => RunFilter { waiting: true, ..filter },
            Self::EndedRuns => {
                RunFilter { status: Some(RunStatus::Completed.as_str().to_owned()), ..filter }
            }
            Self::RunsOfAMethod => RunFilter { method: Some(LISTENS.to_owned()), ..filter },
            Self::StuckRuns => RunFilter { stuck: true, ..filter },
            Self::Overview => return engine.overview(TENANT, None).await.map(drop),
            Self::Events => return engine.tenant_events(TENANT, None, 0).await.map(drop),
            Self::EventsInOrder => {
                return engine.event_log(TENANT, EventFilter::default()).await.map(drop);
            }
            Self::EventsOfARun => {
                let newest = engine.runs(TENANT, &RunFilter { limit: 1, ..filter }).await?;
                let about = newest.items.first().map(|run| run.id.into());
                let filter = EventFilter { about, ..EventFilter::default() };
                return engine.event_log(TENANT, filter).await.map(drop);
            }
            Self::Messages => {
                return engine.messages(TENANT, &MessageFilter::default()).await.map(drop);
            }
            Self::Tenants => return engine.tenants("", 0).await.map(drop),
            Self::RunsOfAnotherTenant => {
                return engine.runs(OTHER_TENANT, &filter).await.map(drop);
            }
            Self::OverviewOfAnotherTenant => {
                return engine.overview(OTHER_TENANT, None).await.map(drop);
            }
            Self::EventsOfAnotherTenant => {
                return engine.event_log(OTHER_TENANT, EventFilter::default()).await.map(drop);
            }
        };
        engine.runs(TENANT, &of_runs).await.map(drop)
    }
}
