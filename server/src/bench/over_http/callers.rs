//! Clients that call a server concurrently, each on a connection that it keeps.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use abide_engine::base::Problem;
use serde_json::Value;
use tokio::task::JoinSet;

use crate::api_request::ApiRequest;
use crate::bench::engine::TENANT;
use crate::bench::figures::{Rate, Stopwatch};
use crate::link::{Link, RemoteServer};
use crate::problem::ProblemDocument;
use crate::server_address::ServerAddress;

/// Number of clients, and of connections.
pub(super) const CALLERS: usize = 128;

/// The answers of calls, and how long each took.
pub(super) struct Calls<T> {
    /// Number of calls, and the time from the first of them to the last answer.
    pub(super) rate: Rate,
    pub(super) answers: Vec<T>,
    pub(super) latencies: Vec<Duration>,
    /// Started with the first call.
    pub(super) clock: Stopwatch,
}

impl<T> Calls<T> {
    /// Reads each answer with `read`.
    pub(super) fn map<U>(
        self,
        read: impl FnMut(T) -> Result<U, Problem>,
    ) -> Result<Calls<U>, Problem> {
        let Self { rate, answers, latencies, clock } = self;
        let answers = answers.into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(Calls { rate, answers, latencies, clock })
    }
}

/// Sends one request to a server.
pub(super) async fn call(server: &ServerAddress, request: ApiRequest) -> Result<Value, Problem> {
    let link = link_to(server)?;
    link.send(request).await.map_err(failed)
}

/// Sends the requests 0 to `n - 1`. Each client sends the next request that nobody has sent.
///
/// # Errors
/// The first problem that the server reports.
pub(super) async fn call_all(
    server: &ServerAddress,
    n: usize,
    request: impl Fn(usize) -> ApiRequest + Send + Sync + 'static,
) -> Result<Calls<Value>, Problem> {
    let (request, next) = (Arc::new(request), Arc::new(AtomicUsize::new(0)));
    let link = Arc::new(link_to(server)?);
    let clock = Stopwatch::started();
    let mut callers = JoinSet::new();
    for _ in 0..CALLERS.min(n) {
        let (link, request, next) = (Arc::clone(&link), Arc::clone(&request), Arc::clone(&next));
        callers.spawn(async move {
            let (mut answers, mut latencies) = (Vec::new(), Vec::new());
            loop {
                let nth = next.fetch_add(1, Ordering::Relaxed);
                if nth >= n {
                    return Ok::<_, Problem>((answers, latencies));
                }
                let clock = Stopwatch::started();
                answers.push(link.send(request(nth)).await.map_err(failed)?);
                latencies.push(clock.elapsed());
            }
        });
    }
    let (mut answers, mut latencies) = (Vec::with_capacity(n), Vec::with_capacity(n));
    while let Some(done) = callers.join_next().await {
        let done = done.map_err(|e| Problem::bug(format!("a caller died: {e}")))??;
        answers.extend(done.0);
        latencies.extend(done.1);
    }
    Ok(Calls { rate: Rate { n: n as u64, took: clock.elapsed() }, answers, latencies, clock })
}

fn link_to(server: &ServerAddress) -> Result<Link, Problem> {
    let key = Some(server.key.clone());
    Ok(Link::Remote(RemoteServer::new(&server.url, TENANT, key).map_err(failed)?))
}

fn failed(problem: ProblemDocument) -> Problem {
    Problem::bug("the server refused a request of the benchmark")
        .with_detail(serde_json::to_string(&problem).unwrap_or_default())
}
