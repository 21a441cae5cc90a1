//! `abide run …`: starting, inspecting and controlling runs.

mod forecast;
mod look;
mod start;
mod steer;
mod upgrade;

use super::{Context, Outcome};
use crate::cli::RunCommand;

pub(super) async fn run(context: &Context, command: RunCommand) -> Outcome {
    match command {
        RunCommand::Start(args) => start::run(context, args).await,
        RunCommand::List(args) => look::list(context, args).await,
        RunCommand::Show(args) => look::show(context, &args.run).await,
        RunCommand::Explain(args) => look::explain(context, &args.run).await,
        RunCommand::Forecast(args) => forecast::run(context, &args).await,
        RunCommand::Cancel(args) => steer::control(context, &args.run, "cancel").await,
        RunCommand::Pause(args) => steer::control(context, &args.run, "pause").await,
        RunCommand::Resume(args) => steer::control(context, &args.run, "resume").await,
        RunCommand::Retry(args) => steer::control(context, &args.run, "retry").await,
        RunCommand::Upgrade(args) => upgrade::run(context, args).await,
        RunCommand::Skip(args) => steer::skip(context, args).await,
        RunCommand::Fork(args) => steer::fork(context, args).await,
        RunCommand::Signal(args) => steer::signal(context, args).await,
    }
}

/// Parses JSON given on the command line as the value of `flag`.
pub(in crate::commands) fn typed_json(
    flag: &str,
    text: &str,
) -> Result<serde_json::Value, crate::problem::ProblemDocument> {
    serde_json::from_str(text).map_err(|e| {
        let detail = format!("`{flag}` is not JSON: {e}");
        crate::problem::ProblemDocument::new(400, "not_json", detail)
            .with_hint(format!("quote it for the shell: {flag} '{{\"kind\": \"FillRole\"}}'"))
    })
}
