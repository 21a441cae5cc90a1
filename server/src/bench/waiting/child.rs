//! The process that the benchmark kills: `abide bench --reopen`, which opens the engine on the database of
//! `ABIDE_DB` and serves until it is killed, or until its input ends.
//!
//! It writes `ready` once it serves. It answers each line `signal RUN` with `ended RUN`, after it has sent the
//! run a signal and the run has ended. Several such lines are served at a time. It answers the line `lists` with
//! `lists JSON`: how long the first page of each list takes, and the line `audit` with `audit JSON`: what an audit takes.

use std::io::BufRead as _;

use abide_engine::base::{Problem, RunId};
use abide_engine::facade::Engine;
use abide_engine::store::{Address, RunRef};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::super::content::SIGNAL;
use super::super::engine::{BenchEngine, TENANT};
use super::reads;
use crate::output;

/// The line that says that the engine serves.
pub(super) const READY: &str = "ready";
/// The first word of a line that asks for a signal. The id of the run follows.
pub(super) const SEND: &str = "signal ";
/// The first word of the answer. The id of the run follows.
pub(super) const ENDED: &str = "ended ";
/// The line that asks how long the first page of each list takes, and the first word of the answer.
pub(super) const LISTS: &str = "lists";
/// The line that asks for an audit, and the first word of the answer.
pub(super) const AUDIT: &str = "audit";
/// Key of the signals, so that a signal which is sent again after a crash acts once.
const KEY: &str = "bench";

/// Serves the database at `address` until the input ends.
///
/// # Errors
/// Any problem that the engine reports; a bug for a line that is not understood.
pub(crate) async fn reopen(address: &Address) -> Result<(), Problem> {
    let engine = BenchEngine::open(address).await?;
    output::line(READY);
    let served = serve(&engine.engine, lines_of_stdin(), output::line).await;
    engine.close().await;
    served
}

/// Serves the lines of `lines` until there are no more of them. Passes the answers to `answer`.
///
/// # Errors
/// Any problem that the engine reports; a bug for a line that is not understood.
pub(super) async fn serve(
    engine: &Engine,
    mut lines: mpsc::UnboundedReceiver<String>,
    mut answer: impl FnMut(String),
) -> Result<(), Problem> {
    let mut signals: JoinSet<Result<RunId, Problem>> = JoinSet::new();
    let mut open = true;
    while open || !signals.is_empty() {
        tokio::select! {
            line = lines.recv(), if open => match line {
                Some(line) if line == LISTS => {
                    answer(format!("{LISTS} {}", json!(reads::first_pages(engine).await?)));
                }
                Some(line) if line == AUDIT => {
                    answer(format!("{AUDIT} {}", json!(reads::audit(engine).await?)));
                }
                Some(line) => {
                    let run = line.strip_prefix(SEND).and_then(|run| run.parse().ok());
                    let run = run.ok_or_else(|| Problem::bug(format!("not a command: {line}")))?;
                    signals.spawn(signal(engine.clone(), run));
                }
                None => open = false,
            },
            Some(ended) = signals.join_next() => {
                let run = ended.map_err(|e| Problem::bug(format!("a signal died: {e}")))??;
                answer(format!("{ENDED}{run}"));
            }
        }
    }
    Ok(())
}

/// Sends a run its signal, and waits until the run has ended.
async fn signal(engine: Engine, run: RunId) -> Result<RunId, Problem> {
    let target = RunRef { tenant: TENANT, run };
    engine.signal(target, SIGNAL, &json!({}), Some(KEY)).await?;
    engine.wait_until_ended(TENANT, run).await?;
    Ok(run)
}

/// Returns the lines of the standard input, which a thread of its own reads.
fn lines_of_stdin() -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}
