//! `abide run …`: starting, inspecting and controlling runs.

mod control;
mod forecast;
mod preview;
mod show;
mod start;
mod upgrade;

use super::context::{CommandResult, Context};
use crate::cli::RunCommand;

pub(super) async fn run(context: &Context, command: RunCommand) -> CommandResult {
    match command {
        RunCommand::Start(args) => start::run(context, args).await,
        RunCommand::List(args) => show::list(context, args).await,
        RunCommand::Show(args) => show::show(context, &args.run).await,
        RunCommand::Explain(args) => show::explain(context, &args.run).await,
        RunCommand::Forecast(args) => forecast::run(context, &args).await,
        RunCommand::Cancel(args) => control::send(context, &args.run, "cancel").await,
        RunCommand::Pause(args) => control::send(context, &args.run, "pause").await,
        RunCommand::Resume(args) => control::send(context, &args.run, "resume").await,
        RunCommand::Retry(args) => control::send(context, &args.run, "retry").await,
        RunCommand::Upgrade(args) => upgrade::run(context, args).await,
        RunCommand::Skip(args) => control::skip(context, args).await,
        RunCommand::Fork(args) => control::fork(context, args).await,
        RunCommand::Signal(args) => control::signal(context, args).await,
    }
}
