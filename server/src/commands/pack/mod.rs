//! `abide pack …`: checks, tests and installs packs.

mod home;
mod install;
mod lint;
mod list;
mod play;
mod read;
#[cfg(test)]
mod tests;

use serde_json::json;

use super::context::{CommandResult, Context};
use crate::cli::{PackCommand, PackLintArgs, PackTestArgs};
use crate::exit::Exit;

pub(super) async fn run(context: &Context, command: PackCommand) -> CommandResult {
    match command {
        PackCommand::Lint(args) => lint_pack(context, &args),
        PackCommand::Test(args) => play_pack(context, &args).await,
        PackCommand::Install(args) => install::run(context, &args).await,
        PackCommand::List => list::run(context),
    }
}

fn lint_pack(context: &Context, args: &PackLintArgs) -> CommandResult {
    let linted = lint::lint(read::read(&args.folder)?, context.sources()?);
    if !context.json(&json!(linted.findings)) {
        super::lint::print(&linted.findings, &linted.pack.files);
    }
    Ok(super::lint::exit(&linted.findings, args.deny.is_some()))
}

async fn play_pack(context: &Context, args: &PackTestArgs) -> CommandResult {
    let linted = lint::lint(read::read(&args.folder)?, context.sources()?);
    let tested = play::test(context, &linted).await?;
    context.json(&tested.object(&linted.findings));
    Ok(if tested.passed() { Exit::Success } else { Exit::Failure })
}
