//! Bad input holds: a clear refusal with its place and remedy, in bounded time and memory, and nothing
//! changed. Texts of methods, templates and scenarios have such tests where they are read; here is
//! what comes in through the façade, the command line, HTTP and the database.

mod databases;
mod disk;
mod goals;
mod ids;
mod texts;

use std::process::Output;

use abide_engine::base::Problem;
use futures_util::future::LocalBoxFuture;

use crate::campaign::church::Church;

/// More than anything may be.
const HUGE: usize = 50 << 20;

/// Every row that a start, a signal or a text could have left.
const ROWS: &str = "SELECT (SELECT COUNT(*) FROM run) + (SELECT COUNT(*) FROM var)
    + (SELECT COUNT(*) FROM blob) + (SELECT COUNT(*) FROM ledger) + (SELECT COUNT(*) FROM signal)
    + (SELECT COUNT(*) FROM inbound) + (SELECT COUNT(*) FROM outbox)
    + (SELECT COUNT(*) FROM request) + (SELECT COUNT(*) FROM offer)";

/// What a person reads of a refusal.
const SHOWN_CHARS_MAX: usize = 4_000;

/// The refusal of what was tried; it is short, and no row was written.
fn refused<'a, T: std::fmt::Debug>(
    church: &'a Church,
    tried: impl Future<Output = Result<T, Problem>> + 'a,
) -> LocalBoxFuture<'a, Problem> {
    Box::pin(async move {
        let before = church.number(ROWS).await;
        let problem = tried.await.expect_err("refused");
        assert_eq!(church.number(ROWS).await, before, "nothing is changed by {}", problem.code);
        assert!(problem.message.chars().count() <= SHOWN_CHARS_MAX, "{}", problem.code);
        problem
    })
}

/// What a command that failed said on stderr.
fn complaint(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(said.len() <= 2 * SHOWN_CHARS_MAX, "{} bytes on stderr", said.len());
    said
}
