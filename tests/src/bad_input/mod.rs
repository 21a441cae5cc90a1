//! Bad input is rejected in bounded time and memory.
//! The error states where the mistake is and how to correct it, and nothing changes.
//!
//! These tests cover input through the engine's API, the command line, HTTP and the database.
//! The tests of the parsers of methods, templates and scenarios are in the crates of the parsers.

mod databases;
mod disk;
mod goals;
mod ids;
mod options;
mod texts;

use std::process::Output;

use abide_engine::base::Problem;
use futures_util::future::LocalBoxFuture;

use crate::campaign::church::Church;

/// A size in bytes that exceeds every limit.
const HUGE: usize = 50 << 20;

/// Counts the rows of all tables that can get a new row when a run is started,
/// or when a signal or an inbound message is received.
const ROWS: &str = "SELECT (SELECT COUNT(*) FROM run) + (SELECT COUNT(*) FROM var)
    + (SELECT COUNT(*) FROM blob) + (SELECT COUNT(*) FROM ledger) + (SELECT COUNT(*) FROM signal)
    + (SELECT COUNT(*) FROM inbound) + (SELECT COUNT(*) FROM outbox)
    + (SELECT COUNT(*) FROM request) + (SELECT COUNT(*) FROM offer)";

/// Maximum number of characters in an error message.
const SHOWN_CHARS_MAX: usize = 4_000;

/// Runs the future `tried`, which must fail, and returns its problem.
/// Checks that the problem's message is short and that no row was added.
fn expect_refusal<'a, T: std::fmt::Debug>(
    church: &'a Church,
    tried: impl Future<Output = Result<T, Problem>> + 'a,
) -> LocalBoxFuture<'a, Problem> {
    Box::pin(async move {
        let before = church.number(ROWS).await;
        let problem = tried.await.expect_err("refused");
        assert_eq!(church.number(ROWS).await, before, "{} changes nothing", problem.code);
        assert!(problem.message.chars().count() <= SHOWN_CHARS_MAX, "{}", problem.code);
        problem
    })
}

/// Returns what a failed command printed on stderr.
fn failure_text(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(said.len() <= 2 * SHOWN_CHARS_MAX, "{} bytes on stderr", said.len());
    said
}
