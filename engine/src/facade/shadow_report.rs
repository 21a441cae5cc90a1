//! Compares what shadow runs would have done with what real runs did in the same period.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use utoipa::ToSchema;

use super::engine::Engine;
use super::tenants::find_tenant;
use crate::base::{PersonId, Problem, RunId, Timestamp, Value};
use crate::boxed;
use crate::ledger::EventKind;
use crate::run::{RunOutcome, RunStatus};
use crate::store::{LedgerRow, RunRow, SentByRun, Tx};
use crate::transaction;

/// Maximum number of shadow runs and of real runs that a report reads, the newest of each: a busy tenant starts
/// about as many in a week.
const RUNS_MAX: i64 = 500;
/// Maximum number of messages that are read for all pairs of runs together.
const MESSAGES_MAX: i64 = 50_000;
/// Maximum number of pairs that a report lists. More would not be read.
const PAIRS_MAX: usize = 50;
/// Maximum number of differences that a report lists for each side of a pair.
const DIFFERENCES_MAX: usize = 20;

/// What shadow runs would have done in a period, against what real runs did.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ShadowReport {
    /// Begin of the period (RFC 3339).
    #[schema(format = DateTime)]
    pub since: String,
    /// Whether the period has more runs than the report reads; it then contains the newest.
    pub truncated: bool,
    /// One entry for each method that had shadow runs, sorted by name.
    pub methods: Vec<ShadowedMethod>,
}

/// The shadow runs and the real runs of one method.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ShadowedMethod {
    /// Name of the method.
    pub method: String,
    /// What its shadow runs would have done.
    pub shadow: RunTotals,
    /// What its real runs did.
    pub real: RunTotals,
    /// Shadow runs that stand beside a real run, newest first; lists only the first 50 of all methods.
    pub pairs: Vec<ShadowPair>,
}

/// How many runs there were, and what they did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct RunTotals {
    /// Number of runs.
    pub runs: u64,
    /// Number of runs that reached their goal.
    pub succeeded: u64,
    /// Number of runs that completed without reaching their goal.
    pub fell_short: u64,
    /// Number of runs that failed.
    pub failed: u64,
    /// Number of messages.
    pub messages: u64,
    /// Number of segments that the carrier bills.
    pub segments: u64,
    /// Number of approvals that were asked for.
    pub approvals: u64,
}

/// A shadow run and the real run beside which it was played.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ShadowPair {
    /// The shadow run.
    pub shadow_run: RunId,
    /// Version of the method that the shadow run tried.
    pub shadow_version: i64,
    /// The real run.
    pub real_run: RunId,
    /// Messages that only the shadow run would have sent; lists only the first 20.
    pub only_shadow: Vec<ComparedMessage>,
    /// Messages that only the real run sent; lists only the first 20.
    pub only_real: Vec<ComparedMessage>,
    /// Number of messages that both have: the same template to the same person.
    pub same: u64,
}

/// A message of one side of a pair.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
pub struct ComparedMessage {
    /// The recipient, if it is a person of the directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person_id: Option<PersonId>,
    /// The name of the template, with its occasion if it has one.
    pub kind: String,
}

/// The rows of a report.
struct ReportRows {
    shadow: Vec<RunRow>,
    real: Vec<RunRow>,
    summaries: Vec<LedgerRow>,
    would_send: Vec<LedgerRow>,
    sent: Vec<SentByRun>,
    asked: Vec<LedgerRow>,
}

impl Engine {
    /// Compares the shadow runs of a tenant since an instant with its real runs.
    ///
    /// # Errors
    /// `unknown_tenant`.
    #[boxed]
    pub async fn shadow_report(
        &self,
        tenant: &str,
        since: Timestamp,
    ) -> Result<ShadowReport, Problem> {
        let read = transaction!([tenant = tenant.to_owned()], |tx| {
            find_tenant(tx, &tenant).await?;
            rows(tx, &tenant, since).await
        });
        report(since, &self.core.store.read(read).await?)
    }
}

async fn rows(tx: &mut Tx, tenant: &str, since: Timestamp) -> Result<ReportRows, Problem> {
    let shadow = tx.runs_since(tenant, true, since, RUNS_MAX).await?;
    let real = tx.runs_since(tenant, false, since, RUNS_MAX).await?;
    let ids = |runs: &[RunRow]| runs.iter().map(|run| run.id).collect::<Vec<_>>();
    let (shadows, reals) = (ids(&shadow), ids(&real));
    let mut paired = Vec::new();
    for run in &shadow {
        if beside(run)?.is_some() && paired.len() < PAIRS_MAX {
            paired.push(run.id);
        }
    }
    Ok(ReportRows {
        summaries: tx.events_of_runs(&shadows, EventKind::ShadowPlayed, RUNS_MAX).await?,
        would_send: tx.events_of_runs(&paired, EventKind::MessageWouldSend, MESSAGES_MAX).await?,
        sent: tx.sent_by_runs(&reals, MESSAGES_MAX).await?,
        asked: tx.events_of_runs(&reals, EventKind::ApprovalAsked, MESSAGES_MAX).await?,
        shadow,
        real,
    })
}

fn beside(run: &RunRow) -> Result<Option<RunId>, Problem> {
    Ok(run.parsed_state()?.shadow.and_then(|shadow| shadow.beside))
}

fn report(since: Timestamp, rows: &ReportRows) -> Result<ShadowReport, Problem> {
    let mut methods: BTreeMap<&str, ShadowedMethod> = BTreeMap::new();
    let is_full = |runs: &[RunRow]| i64::try_from(runs.len()).is_ok_and(|count| count >= RUNS_MAX);
    let mut listed = 0;
    for run in &rows.shadow {
        let method = methods.entry(&run.method).or_insert_with(|| ShadowedMethod {
            method: run.method.clone(),
            shadow: RunTotals::default(),
            real: RunTotals::default(),
            pairs: Vec::new(),
        });
        method.shadow.add_run(run);
        for summary in rows.summaries.iter().filter(|event| event.run == Some(run.id)) {
            method.shadow.add_summary(&summary.body);
        }
        if let Some(real) = beside(run)?.filter(|_| listed < PAIRS_MAX) {
            listed += 1;
            method.pairs.push(pair(rows, run, real));
        }
    }
    for run in &rows.real {
        let Some(method) = methods.get_mut(&*run.method) else { continue };
        method.real.add_run(run);
        let sent = rows.sent.iter().filter(|message| message.run == run.id);
        for message in sent {
            method.real.messages += 1;
            method.real.segments += u64::try_from(message.segments).unwrap_or(0);
        }
        let asked = rows.asked.iter().filter(|event| event.run == Some(run.id)).count();
        method.real.approvals += asked as u64;
    }
    Ok(ShadowReport {
        since: since.to_string(),
        truncated: is_full(&rows.shadow) || is_full(&rows.real),
        methods: methods.into_values().collect(),
    })
}

/// Compares the messages of a shadow run with those of the real run beside it.
fn pair(rows: &ReportRows, shadow: &RunRow, real: RunId) -> ShadowPair {
    let would = rows.would_send.iter().filter(|event| event.run == Some(shadow.id));
    let would: BTreeSet<ComparedMessage> = would.map(|event| of_event(&event.body)).collect();
    let sent = rows.sent.iter().filter(|message| message.run == real);
    let sent: BTreeSet<ComparedMessage> = sent
        .map(|message| ComparedMessage { person_id: message.person, kind: message.kind.clone() })
        .collect();
    let only = |one: &BTreeSet<ComparedMessage>, other: &BTreeSet<ComparedMessage>| {
        one.difference(other).take(DIFFERENCES_MAX).cloned().collect()
    };
    ShadowPair {
        shadow_run: shadow.id,
        shadow_version: shadow.version,
        real_run: real,
        only_shadow: only(&would, &sent),
        only_real: only(&sent, &would),
        same: would.intersection(&sent).count() as u64,
    }
}

fn of_event(body: &Value) -> ComparedMessage {
    ComparedMessage {
        person_id: body["person_id"].as_str().and_then(|id| id.parse().ok()),
        kind: body["kind"].as_str().unwrap_or_default().to_owned(),
    }
}

impl RunTotals {
    fn add_run(&mut self, run: &RunRow) {
        self.runs += 1;
        match (run.status, run.outcome) {
            (_, Some(RunOutcome::Succeeded)) => self.succeeded += 1,
            (_, Some(RunOutcome::FellShort)) => self.fell_short += 1,
            (RunStatus::Failed, None) => self.failed += 1,
            _ => {}
        }
    }

    fn add_summary(&mut self, summary: &Value) {
        let count = |name: &str| summary[name].as_u64().unwrap_or(0);
        self.messages += count("messages");
        self.segments += count("segments");
        self.approvals += count("approvals");
    }
}
