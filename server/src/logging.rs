//! Logging to stderr.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::cli::GlobalOptions;

/// Default log level of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogLevel {
    /// Level `info`, for commands that keep running.
    Info,
    /// Level `warn`, for most commands.
    Warn,
    /// Level `error`, for commands that provoke warnings on purpose.
    Error,
}

/// Installs the logger. The option `-v` selects the level `debug`, and `-q` selects the level `error`.
/// The option `-vv` selects the level `trace`, also for libraries.
pub(crate) fn install(global: &GlobalOptions, level: LogLevel) {
    let filter = match (global.quiet, global.verbose, level) {
        (true, ..) | (_, 0, LogLevel::Error) => "error",
        (_, 0, LogLevel::Warn) => "warn,sqlx=error",
        (_, 0, LogLevel::Info) => "info,sqlx=error",
        (_, 1, _) => "debug,sqlx=warn,hyper=info",
        _ => "trace",
    };
    let filter = EnvFilter::new(filter);
    let stderr = std::io::stderr();
    let ansi = stderr.is_terminal();
    // Installing a second logger fails. Only tests that share a process attempt it.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(ansi)
        .with_target(false)
        .try_init();
}
