//! What a person or a program reads: data on stdout, everything else on stderr.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

pub(crate) mod audit;
pub(crate) mod bar;
pub(crate) mod event;
pub(crate) mod inbox;
pub(crate) mod message;
pub(crate) mod overview;
pub(crate) mod person;
pub(crate) mod proof;
pub(crate) mod run;
mod table;
pub(crate) mod upgrade;
pub(crate) mod view;
mod when;
mod words;

pub(crate) use table::table;
pub(crate) use words::counted;

/// Whether the reader of stdout has gone away.
static UNREAD: AtomicBool = AtomicBool::new(false);

/// Writes one line of data to stdout. A reader that has gone away (`abide logs | head`) is no fault.
pub(crate) fn line(text: impl std::fmt::Display) {
    if writeln!(std::io::stdout().lock(), "{text}").is_err() {
        UNREAD.store(true, Ordering::Relaxed);
    }
}

/// Writes to a terminal as it stands, control characters and all.
pub(crate) fn screen(text: &str) {
    let mut stdout = std::io::stdout().lock();
    if stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_err() {
        UNREAD.store(true, Ordering::Relaxed);
    }
}

/// Resolves once the reader of stdout has gone away, also while nothing is written to it.
#[cfg(unix)]
pub(crate) async fn unread() {
    use std::os::fd::AsFd as _;
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;
    let stdout = std::io::stdout().as_fd().try_clone_to_owned();
    #[expect(
        deprecated,
        reason = "its successor is `unsafe`; this descriptor is owned by what watches it"
    )]
    let watched = stdout.ok().and_then(|fd| AsyncFd::with_interest(fd, Interest::ERROR).ok());
    match watched {
        Some(stdout) => drop(stdout.ready(Interest::ERROR).await),
        // A file has no reader: the system refuses to watch it.
        None => std::future::pending().await,
    }
}

/// Resolves never: what nobody reads is noticed when it is written.
#[cfg(not(unix))]
pub(crate) async fn unread() {
    std::future::pending().await
}

/// True once a line was written that nobody reads any more: a command that stays ends then.
#[must_use]
pub(crate) fn is_unread() -> bool {
    UNREAD.load(Ordering::Relaxed)
}

/// Writes a JSON value to stdout, indented.
pub(crate) fn json(value: &Value) {
    line(format_args!("{value:#}"));
}

/// Whether remarks are left out.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Leaves remarks out from now on.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Writes a remark for the person at the terminal to stderr; `-q` leaves it out.
pub(crate) fn note(text: impl std::fmt::Display) {
    if !QUIET.load(Ordering::Relaxed) {
        tell(text);
    }
}

/// Writes one line to stderr that must be read: a problem, the address of a server.
pub(crate) fn tell(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
