//! `abide inbox`: messages that wait for staff.

use serde_json::{Value, json};

use super::context::{CommandResult, Context};
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{InboxAnswerArgs, InboxAssignArgs, InboxCommand, InboxIdArgs, InboxListArgs};
use crate::exit::Exit;
use crate::output;
use crate::output::members::{items, text};
use crate::problem::ProblemDocument;

pub(super) async fn run(context: &Context, command: InboxCommand) -> CommandResult {
    match command {
        InboxCommand::List(wanted) => list(context, wanted).await,
        InboxCommand::Show(InboxIdArgs { id }) => show(context, &id).await,
        InboxCommand::Answer(InboxAnswerArgs { id, text }) => {
            let item = act(context, &id, "answer", json!({ "text": text.join(" ") })).await?;
            done(context, &item, "answered")
        }
        InboxCommand::Assign(InboxAssignArgs { id, person }) => {
            let item = act(context, &id, "assign", json!({ "person": person })).await?;
            let name = text(&item["assigned_to"], "name");
            done(context, &item, &format!("assigned to {name}"))
        }
        InboxCommand::TakeOver(InboxIdArgs { id }) => {
            let item = act(context, &id, "take-over", json!({})).await?;
            let by = text(&item["taken_over"], "by");
            done(context, &item, &format!("thread taken over by {by}"))
        }
        InboxCommand::HandBack(InboxIdArgs { id }) => {
            let item = act(context, &id, "hand-back", json!({})).await?;
            done(context, &item, "thread handed back")
        }
        InboxCommand::Close(InboxIdArgs { id }) => {
            let item = act(context, &id, "close", json!({})).await?;
            done(context, &item, text(&item, "state"))
        }
    }
}

async fn list(context: &Context, InboxListArgs { state, limit }: InboxListArgs) -> CommandResult {
    let link = context.link().await?;
    let request =
        ApiRequest::get("/v1/inbox").query("state", Some(&state)).query("limit", Some(limit));
    let answer = link.send(request).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    match items(&answer) {
        [] => output::note("no messages"),
        messages => output::line(output::inbox::list(messages, &context.time_format(&link).await)),
    }
    output::note_more(&answer, limit);
    Ok(Exit::Success)
}

async fn show(context: &Context, id: &str) -> CommandResult {
    let link = context.link().await?;
    let item = link.send(ApiRequest::get(format!("/v1/inbox/{}", path_segment(id)))).await?;
    if !context.json(&item) {
        output::line(output::inbox::page(&item, &context.time_format(&link).await));
    }
    Ok(Exit::Success)
}

/// Sends an action on a message of the inbox, and returns the message as it is then.
async fn act(
    context: &Context,
    id: &str,
    action: &str,
    body: Value,
) -> Result<Value, ProblemDocument> {
    let request = ApiRequest::post(format!("/v1/inbox/{}/{action}", path_segment(id)), body);
    context.link().await?.send(request).await
}

/// Prints a message of the inbox after an action, or what was done with it.
fn done(context: &Context, item: &Value, what: &str) -> CommandResult {
    if !context.json(item) {
        output::line(format_args!("{} {what}", text(item, "id")));
    }
    Ok(Exit::Success)
}
