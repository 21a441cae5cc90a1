//! `abide goals`: what conversations are about.

use serde_json::Value;

use super::context::{CommandResult, Context};
use crate::api_request::ApiRequest;
use crate::cli::{GoalsArgs, GoalsCommand, GoalsJournalArgs};
use crate::exit::Exit;
use crate::output;
use crate::output::members::{items, list as members, text};

pub(super) async fn run(context: &Context, command: GoalsCommand) -> CommandResult {
    match command {
        GoalsCommand::List(args) => list(context, args).await,
        GoalsCommand::Journal(args) => journal(context, args).await,
    }
}

async fn list(context: &Context, args: GoalsArgs) -> CommandResult {
    let request = ApiRequest::get("/v1/goals").query("session", Some(args.session));
    let answer = context.link().await?.send(request).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let goals = items(&answer);
    if goals.is_empty() {
        output::note("no goals");
    }
    let stack = members(&answer, "stack");
    for goal in goals {
        let mark = if stack.contains(&goal["id"]) { "*" } else { " " };
        output::line(format_args!(
            "{mark} {:>2}  {:<14}  {}",
            goal["priority"],
            text(goal, "goalType"),
            text(goal, "description")
        ));
        output::line(format_args!("                       next: {}", text(goal, "nextAction")));
    }
    Ok(Exit::Success)
}

async fn journal(context: &Context, args: GoalsJournalArgs) -> CommandResult {
    let link = context.link().await?;
    let request = ApiRequest::get("/v1/goals/journal")
        .query("session", Some(args.session))
        .query("limit", Some(args.limit));
    let answer = link.send(request).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let entries = items(&answer);
    if entries.is_empty() {
        output::note("no entries");
    }
    for entry in entries {
        let goal = match &entry["goal"] {
            Value::Number(id) => format!("goal {id}"),
            _ => String::new(),
        };
        output::line(format_args!(
            "{}  {:<9}  {goal:<8}  {}",
            text(entry, "at"),
            text(entry, "event"),
            entry["payload"]
        ));
    }
    output::note_more(&answer, args.limit);
    Ok(Exit::Success)
}
