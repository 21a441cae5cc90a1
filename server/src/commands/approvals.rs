//! `abide approvals`: calls that a person must decide about.

use serde_json::{Value, json};

use super::context::{CommandResult, Context};
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{ApprovalDecideArgs, ApprovalIdArgs, ApprovalsCommand, ApprovalsListArgs};
use crate::exit::Exit;
use crate::output;
use crate::output::members::{items, text};

/// The word that lists approvals in all states.
const ALL: &str = "all";

pub(super) async fn run(context: &Context, command: ApprovalsCommand) -> CommandResult {
    match command {
        ApprovalsCommand::List(wanted) => list(context, wanted).await,
        ApprovalsCommand::Show(ApprovalIdArgs { id }) => show(context, &id).await,
        ApprovalsCommand::Approve(args) => decide(context, "approve", args).await,
        ApprovalsCommand::Deny(args) => decide(context, "deny", args).await,
    }
}

async fn list(context: &Context, wanted: ApprovalsListArgs) -> CommandResult {
    let ApprovalsListArgs { state, limit } = wanted;
    let link = context.link().await?;
    let state = Some(state).filter(|state| state != ALL);
    let request =
        ApiRequest::get("/v1/approvals").query("state", state).query("limit", Some(limit));
    let answer = link.send(request).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    match items(&answer) {
        [] => output::note("no approvals"),
        found => output::line(output::approval::list(found, &context.time_format(&link).await)),
    }
    output::note_more(&answer, limit);
    Ok(Exit::Success)
}

async fn show(context: &Context, id: &str) -> CommandResult {
    let link = context.link().await?;
    let approval = link.send(ApiRequest::get(path(id))).await?;
    if !context.json(&approval) {
        output::line(output::approval::page(&approval, &context.time_format(&link).await));
    }
    Ok(Exit::Success)
}

async fn decide(context: &Context, decision: &str, args: ApprovalDecideArgs) -> CommandResult {
    let mut body = json!({ "decision": decision });
    if let Some(reason) = args.reason {
        body["reason"] = Value::from(reason);
    }
    let approval = context.link().await?.send(ApiRequest::post(path(&args.id), body)).await?;
    if !context.json(&approval) {
        output::line(format_args!("{} {}", text(&approval, "id"), text(&approval, "state")));
    }
    Ok(Exit::Success)
}

fn path(id: &str) -> String {
    format!("/v1/approvals/{}", path_segment(id))
}
