//! The `abide` program: a command line and an HTTP API that use the same engine.
//!
//! Commands and HTTP clients use the same routes. A command builds the request that an HTTP client would
//! send. It sends the request to the server that drives the database or, if there is none, to the same
//! router in its own process. So `--json` prints the API's response, and both ways report the same errors.

use std::process::ExitCode;
use std::time::Duration;

mod api_request;
mod archive_folder;
mod bench;
pub mod cli;
mod commands;
mod data;
mod database;
pub mod docs;
pub mod eval;
mod exit;
mod files;
mod gateway;
pub mod http;
mod intents;
mod library;
mod link;
mod logging;
mod open;
mod output;
mod pack;
mod problem;
mod random;
mod role;
mod secret;
mod server;
mod server_address;
mod settings;
mod shutdown;

use problem::ProblemDocument;

/// When a command has ended, the process waits at most this long until its database is closed. An embedded database is then one
/// file: its log is copied back, and removed.
const CLOSE_MAX: Duration = Duration::from_secs(5);

/// Parses the command line, runs the command and prints any problem. Returns the exit code: 0 for success,
/// 1 for a failure, 2 for wrong usage, 3 and 4 as the help of the command says.
#[must_use]
pub fn main() -> ExitCode {
    let cli = cli::parse();
    let json = cli.global.json;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => {
            let outcome = runtime.block_on(commands::run(cli));
            runtime.shutdown_timeout(CLOSE_MAX);
            outcome
        }
        Err(e) => Err(ProblemDocument::internal("cannot start", e)),
    };
    match outcome {
        Ok(exit) => exit.into(),
        Err(problem) => {
            if json {
                problem.print_json();
            } else {
                problem.print_text();
            }
            ExitCode::FAILURE
        }
    }
}
