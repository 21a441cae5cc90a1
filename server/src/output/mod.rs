//! Output of the commands: data goes to stdout, everything else to stderr.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

pub(crate) mod approval;
pub(crate) mod archive;
pub(crate) mod audit;
pub(crate) mod event;
pub(crate) mod inbox;
pub(crate) mod members;
pub(crate) mod message;
pub(crate) mod overview;
pub(crate) mod person;
mod plural;
pub(crate) mod preview;
pub(crate) mod progress;
pub(crate) mod proof;
pub(crate) mod run;
mod table;
pub(crate) mod times;
pub(crate) mod tool;
pub(crate) mod upgrade;

pub(crate) use plural::counted;
pub(crate) use table::{fact_lines, table};

/// Whether a write has failed because the program that reads stdout has closed it.
static STDOUT_CLOSED: AtomicBool = AtomicBool::new(false);

/// Writes one line of data to stdout.
/// It is not an error if the program that reads stdout has closed it (`abide logs | head`).
pub(crate) fn line(text: impl std::fmt::Display) {
    if writeln!(std::io::stdout().lock(), "{text}").is_err() {
        STDOUT_CLOSED.store(true, Ordering::Relaxed);
    }
}

/// Writes bytes to stdout unchanged. It is not an error if the program that reads stdout has closed it.
pub(crate) fn bytes(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    if stdout.write_all(bytes).and_then(|()| stdout.flush()).is_err() {
        STDOUT_CLOSED.store(true, Ordering::Relaxed);
    }
}

/// Writes a string to the terminal unchanged, including control characters.
pub(crate) fn screen(text: &str) {
    let mut stdout = std::io::stdout().lock();
    if stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_err() {
        STDOUT_CLOSED.store(true, Ordering::Relaxed);
    }
}

/// Resolves once the program that reads stdout has closed it, even while nothing is written.
#[cfg(unix)]
pub(crate) async fn stdout_closed() {
    use std::os::fd::AsFd as _;
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;
    let stdout = std::io::stdout().as_fd().try_clone_to_owned();
    #[expect(deprecated, reason = "its successor is `unsafe`; the watcher owns this descriptor")]
    let watched = stdout.ok().and_then(|fd| AsyncFd::with_interest(fd, Interest::ERROR).ok());
    match watched {
        Some(stdout) => drop(stdout.ready(Interest::ERROR).await),
        // If stdout is a file, no program reads it, and the system refuses to watch it.
        None => std::future::pending().await,
    }
}

/// Never resolves on this system: a closed stdout is noticed only at the next write.
#[cfg(not(unix))]
pub(crate) async fn stdout_closed() {
    std::future::pending().await
}

/// Whether a write has failed because the program that reads stdout has closed it.
/// In this case, a command that would otherwise keep running ends.
#[must_use]
pub(crate) fn is_stdout_closed() -> bool {
    STDOUT_CLOSED.load(Ordering::Relaxed)
}

/// Writes a JSON value to stdout, indented.
pub(crate) fn json(value: &Value) {
    line(format_args!("{value:#}"));
}

/// Whether notes are suppressed.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Suppresses notes from now on.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether [`be_quiet`] has suppressed notes.
#[must_use]
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes a note to stderr; `-q` suppresses it.
pub(crate) fn note(text: impl std::fmt::Display) {
    if !is_quiet() {
        stderr_line(text);
    }
}

/// Prints a note if `answer` contains only the first `limit` items of a longer list.
pub(crate) fn note_more(answer: &Value, limit: usize) {
    if answer.get("next_cursor").is_some() {
        note(format_args!("(more exist: raise `--limit {limit}`)"));
    }
}

/// Writes a warning to stderr, even with `-q`.
pub(crate) fn warning(text: impl std::fmt::Display) {
    stderr_line(format_args!("warning: {text}"));
}

/// Writes one line to stderr even with `-q`: a problem, a warning, the address of a server.
pub(crate) fn stderr_line(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
