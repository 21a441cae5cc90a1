//! `abide person`: prints what is stored about a person, and erases it.

use super::context::{CommandResult, Context};
use super::people::find;
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{PersonArgs, PersonCommand};
use crate::exit::Exit;
use crate::output;
use crate::output::members::text;

pub(super) async fn run(context: &Context, command: PersonCommand) -> CommandResult {
    match command {
        PersonCommand::Export(PersonArgs { who }) => export(context, &who).await,
        PersonCommand::Erase(PersonArgs { who }) => erase(context, &who).await,
    }
}

async fn export(context: &Context, who: &str) -> CommandResult {
    let link = context.link().await?;
    let person = find(&link, who).await?;
    let id = path_segment(text(&person, "id"));
    let record = link.send(ApiRequest::get(format!("/v1/people/{id}/export"))).await?;
    if !context.json(&record) {
        output::line(serde_json::to_string_pretty(&record).unwrap_or_default());
    }
    Ok(Exit::Success)
}

async fn erase(context: &Context, who: &str) -> CommandResult {
    let link = context.link().await?;
    let person = find(&link, who).await?;
    let id = path_segment(text(&person, "id"));
    let report = link.send(ApiRequest::delete(format!("/v1/people/{id}"))).await?;
    if !context.json(&report) {
        output::line(output::person::erasure(&report));
    }
    let is_left = text(&report, "leftovers") == "found";
    Ok(if is_left { Exit::Failure } else { Exit::Success })
}
