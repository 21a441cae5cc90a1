//! `abide inbox`: messages that wait for staff.

use super::context::{CommandResult, Context};
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{InboxCommand, InboxIdArgs, InboxListArgs};
use crate::exit::Exit;
use crate::output;
use crate::output::members::{items, text};

pub(super) async fn run(context: &Context, command: InboxCommand) -> CommandResult {
    match command {
        InboxCommand::List(wanted) => list(context, wanted).await,
        InboxCommand::Show(InboxIdArgs { id }) => show(context, &id).await,
        InboxCommand::Close(InboxIdArgs { id }) => close(context, &id).await,
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

async fn close(context: &Context, id: &str) -> CommandResult {
    let request =
        ApiRequest::post(format!("/v1/inbox/{}/close", path_segment(id)), serde_json::json!({}));
    let item = context.link().await?.send(request).await?;
    if !context.json(&item) {
        output::line(format_args!("{} {}", text(&item, "id"), text(&item, "state")));
    }
    Ok(Exit::Success)
}
