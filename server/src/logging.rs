//! Logs: to stderr, as much as was asked for.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::cli::Global;

/// Installs the log. `-v` says what we do, `-vv` what everything does, `-q` only what went wrong.
///
/// A command is silent about its own work; `serve` and `worker`, which `stays` marks, tell the
/// events of their life.
pub(crate) fn install(global: &Global, stays: bool) {
    let filter = match (global.quiet, global.verbose, stays) {
        (true, ..) => "error",
        (_, 0, false) => "warn,sqlx=error",
        (_, 0, true) => "info,sqlx=error",
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
