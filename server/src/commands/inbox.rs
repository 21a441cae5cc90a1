//! `abide inbox`: messages that wait for staff.

use super::{Context, Outcome};
use crate::ask::{Ask, segment};
use crate::cli::{InboxCommand, InboxId, InboxList};
use crate::exit::Exit;
use crate::output;
use crate::output::view::{items, text};

pub(super) async fn run(context: &Context, command: InboxCommand) -> Outcome {
    match command {
        InboxCommand::List(wanted) => list(context, wanted).await,
        InboxCommand::Show(InboxId { id }) => show(context, &id).await,
        InboxCommand::Close(InboxId { id }) => close(context, &id).await,
    }
}

async fn list(context: &Context, InboxList { state, limit }: InboxList) -> Outcome {
    let link = context.link().await?;
    let ask = Ask::get("/v1/inbox").with("state", Some(&state)).with("limit", Some(limit));
    let answer = link.send(ask).await?;
    if context.json(&answer) {
        return Ok(Exit::Done);
    }
    match items(&answer) {
        [] => output::note("no messages"),
        texts => output::line(output::inbox::list(texts, &context.view(&link).await)),
    }
    if answer.get("next_cursor").is_some() {
        output::note(format_args!("(more exist: raise `--limit {limit}`)"));
    }
    Ok(Exit::Done)
}

async fn show(context: &Context, id: &str) -> Outcome {
    let link = context.link().await?;
    let item = link.send(Ask::get(format!("/v1/inbox/{}", segment(id)))).await?;
    if !context.json(&item) {
        output::line(output::inbox::page(&item, &context.view(&link).await));
    }
    Ok(Exit::Done)
}

async fn close(context: &Context, id: &str) -> Outcome {
    let ask = Ask::post(format!("/v1/inbox/{}/close", segment(id)), serde_json::json!({}));
    let item = context.link().await?.send(ask).await?;
    if !context.json(&item) {
        output::line(format_args!("{} {}", text(&item, "id"), text(&item, "state")));
    }
    Ok(Exit::Done)
}
