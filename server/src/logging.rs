//! Logs: to stderr, as much as was asked for.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::cli::Global;

/// What a command tells of its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tells {
    /// The events of its life: it stays.
    Life,
    /// What may become a fault.
    Warnings,
    /// Faults: it provokes what others warn of.
    Faults,
}

/// Installs the log. `-v` says what we do, `-vv` what everything does, `-q` only what went wrong.
pub(crate) fn install(global: &Global, tells: Tells) {
    let filter = match (global.quiet, global.verbose, tells) {
        (true, ..) | (_, 0, Tells::Faults) => "error",
        (_, 0, Tells::Warnings) => "warn,sqlx=error",
        (_, 0, Tells::Life) => "info,sqlx=error",
        (_, 1, _) => "debug,sqlx=warn,hyper=info",
        _ => "trace",
    };
    let filter = EnvFilter::new(filter);
    let stderr = std::io::stderr();
    let ansi = stderr.is_terminal();
    // A second install happens only in tests that share a process; the first one stays.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(ansi)
        .with_target(false)
        .try_init();
}
