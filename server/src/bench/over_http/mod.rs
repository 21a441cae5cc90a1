//! `abide bench --http`: the rates that clients see which speak HTTP to a server on the same machine.
//!
//! The server is the one of `abide serve`, with the church's methods and the loopback gateway. Its clients share the
//! processors with it, and each keeps its connection. First they start runs and send each of them a signal. Then people
//! answer invitations, all at once: first those of one request, then those of many, each several times with other people.
//! Before and after each time, a bare server stores as many bodies in the same database: it inserts each into a table
//! without an index, in commits of up to 128. Each of these measurements begins when the process has nothing else to do.

mod bare;
mod callers;
mod replies;
mod server;
#[cfg(test)]
mod tests;

use abide_engine::base::{Problem, RunId};
use abide_engine::store::Address;
use serde_json::json;

use super::content::SIGNAL;
use super::database::BenchDatabase;
use super::figures::{Rate, percentile, rss_mb};
use super::on_each_database;
use super::quiet::until_at_rest;
use super::raw::{Awaited, RunRange, RunWatch};
use super::report::{DatabaseKind, Measurement, Report, Workload};
use crate::api_request::ApiRequest;
use callers::{CALLERS, Calls, call_all};
use replies::{Answered, Crowd};
use server::ChurchServer;

/// Plan of a benchmark over HTTP.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HttpPlan {
    /// Number of runs that are started, and of signals.
    runs: usize,
    /// Number of people who answer.
    people: usize,
    /// Number of requests among which the people are divided in the second part.
    requests: usize,
    /// Number of times that people answer, each time others. One time takes half a second, and its rate differs from that
    /// of the next.
    rounds: usize,
}

impl HttpPlan {
    /// Returns the plan for reliable figures.
    pub(crate) fn full() -> Self {
        Self { runs: 20_000, people: 3_000, requests: 20, rounds: 5 }
    }

    /// Returns the plan for a first impression.
    pub(crate) fn quick() -> Self {
        Self { runs: 2_000, people: 600, requests: 10, rounds: 1 }
    }
}

/// Measures SQLite, and also PostgreSQL if `given` is the address of a server.
///
/// # Errors
/// `not_durable` if a database may lose committed data, or any problem that the server reports.
pub(crate) async fn measure_over_http(plan: HttpPlan, given: &Address) -> Result<Report, Problem> {
    let measured = on_each_database(given, async |database| measure_database(database, plan).await);
    Ok(Report::of(measured.await?))
}

async fn measure_database(
    database: &BenchDatabase,
    plan: HttpPlan,
) -> Result<Vec<Measurement>, Problem> {
    let server = ChurchServer::start(&database.address).await?;
    let results = measure_server(&server, database, plan).await;
    server.stop().await;
    results
}

async fn measure_server(
    server: &ChurchServer,
    database: &BenchDatabase,
    plan: HttpPlan,
) -> Result<Vec<Measurement>, Problem> {
    let mut watch = RunWatch::connect(&database.address).await?;
    let mut starts = starts(server, plan.runs).await?;
    let runs = std::mem::take(&mut starts.answers);
    if let Some(range) = RunRange::of(&runs) {
        watch.until_all(Awaited::Waiting, range).await?;
    }
    let signals = signals(server, &mut watch, runs).await?;
    let mut results = vec![
        row(Workload::HttpStarts, database.kind, starts.rate, &mut starts.latencies),
        row(Workload::HttpSignals, database.kind, signals.rate, &mut signals.latencies.clone()),
    ];
    for (requests, names) in [
        (1, [Workload::Webhooks, Workload::Replies]),
        (plan.requests, [Workload::WebhooksSpread, Workload::RepliesSpread]),
    ] {
        let [webhooks, applied] = names;
        let mut beside = answers(server, &database.address, plan, requests).await?;
        let latencies = &mut beside.answered.latencies;
        let stored = row(webhooks, database.kind, beside.answered.stored, latencies);
        let limit = beside.bare.per_s();
        results.push(Measurement {
            raw_per_s: Some(limit),
            ratio: Some(stored.per_s / limit),
            ..stored
        });
        results.push(row(applied, database.kind, beside.answered.applied, &mut []));
    }
    Ok(results)
}

/// How fast answers were stored and applied, and bodies by a bare server.
#[derive(Default)]
struct AnsweredBesideBare {
    answered: Answered,
    bare: Rate,
}

/// Lets people answer, and a bare server store bodies, in turn.
async fn answers(
    server: &ChurchServer,
    address: &Address,
    plan: HttpPlan,
    requests: usize,
) -> Result<AnsweredBesideBare, Problem> {
    until_at_rest().await;
    let mut sum =
        AnsweredBesideBare { bare: bare::measure(address, plan.people).await?, ..<_>::default() };
    for round in 0..plan.rounds {
        let crowd = Crowd { people: plan.people, requests, round };
        sum.answered.add(crowd.answer(server, address).await?);
        until_at_rest().await;
        sum.bare = sum.bare.and(bare::measure(address, plan.people).await?);
    }
    Ok(sum)
}

fn row(
    workload: Workload,
    database: DatabaseKind,
    rate: Rate,
    latencies: &mut [std::time::Duration],
) -> Measurement {
    Measurement {
        workload,
        database,
        concurrency: CALLERS,
        n: rate.n,
        per_s: rate.per_s(),
        p50_ms: percentile(latencies, 0.5),
        p99_ms: percentile(latencies, 0.99),
        rss_mb: rss_mb(),
        ..Measurement::default()
    }
}

/// Starts `n` runs. The measurement ends with the last answer.
async fn starts(server: &ChurchServer, n: usize) -> Result<Calls<RunId>, Problem> {
    let request =
        |_| ApiRequest::post("/v1/runs", json!({ "method": server::LISTENS, "goal": {} }));
    let calls = call_all(server.address(), n, request).await?;
    calls.map(|answer| {
        let id = answer["id"].as_str().and_then(|id| id.parse().ok());
        id.ok_or_else(|| Problem::bug(format!("no id of a run: {answer}")))
    })
}

/// Sends each run its signal. The measurement ends when all of them have ended.
async fn signals(
    server: &ChurchServer,
    watch: &mut RunWatch,
    runs: Vec<RunId>,
) -> Result<Calls<RunId>, Problem> {
    let (n, range) = (runs.len(), RunRange::of(&runs));
    let sent = runs.clone();
    let request = move |nth: usize| {
        let path = format!("/v1/runs/{}/signal", sent[nth]);
        ApiRequest::post(path, json!({ "name": SIGNAL, "data": {} }))
    };
    let calls = call_all(server.address(), n, request).await?;
    if let Some(range) = range {
        watch.until_all(Awaited::Ended, range).await?;
    }
    let rate = Rate { took: calls.clock.elapsed(), ..calls.rate };
    Ok(Calls { rate, answers: runs, latencies: calls.latencies, clock: calls.clock })
}
