//! `abide tools`: the registry of tools, calls and receipts.

use serde_json::{Value, json};

use super::context::{CommandResult, Context};
use super::json_option::parse_json_option;
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{ToolCallArgs, ToolReceiptsArgs, ToolsCommand};
use crate::exit::Exit;
use crate::output;
use crate::output::members::{items, text};

pub(super) async fn run(context: &Context, command: ToolsCommand) -> CommandResult {
    match command {
        ToolsCommand::List(args) => list(context, args.domain.as_deref()).await,
        ToolsCommand::Show(args) => show(context, &args.name).await,
        ToolsCommand::Coverage => coverage(context).await,
        ToolsCommand::Call(args) => call(context, args).await,
        ToolsCommand::Receipts(args) => receipts(context, args).await,
    }
}

async fn list(context: &Context, domain: Option<&str>) -> CommandResult {
    let mut answer = context.link().await?.send(ApiRequest::get("/v1/tools")).await?;
    if let (Some(domain), Some(tools)) = (domain, answer["items"].as_array_mut()) {
        tools.retain(|tool| text(tool, "domain") == domain);
    }
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let tools = items(&answer);
    if tools.is_empty() {
        output::note("no tools");
        return Ok(Exit::Success);
    }
    output::line(output::tool::list(tools));
    Ok(Exit::Success)
}

async fn show(context: &Context, name: &str) -> CommandResult {
    let request = ApiRequest::get(format!("/v1/tools/{}", path_segment(name)));
    let tool = context.link().await?.send(request).await?;
    if !context.json(&tool) {
        output::line(output::tool::page(&tool));
    }
    Ok(Exit::Success)
}

async fn coverage(context: &Context) -> CommandResult {
    let answer = context.link().await?.send(ApiRequest::get("/v1/tools/coverage")).await?;
    if !context.json(&answer) {
        output::line(output::tool::coverage(&answer));
    }
    Ok(Exit::Success)
}

async fn call(context: &Context, args: ToolCallArgs) -> CommandResult {
    let mut body = json!({ "input": parse_json_option("--input", &args.input)? });
    if let Some(key) = args.key {
        body["idempotency_key"] = key.into();
    }
    if let Some(request) = args.request {
        body["request_id"] = request.into();
    }
    if args.approve {
        body["explicit_approval"] = true.into();
    }
    let path = format!("/v1/tools/{}/calls", path_segment(&args.name));
    let request = ApiRequest::post(path, body).query("wait", Some(args.wait.to_string()));
    context
        .with_lasting_link(async |link| {
            let answer = link.send(request).await?;
            if !context.json(&answer) {
                output::line(output::tool::answer(&answer));
            }
            Ok(exit_of(&answer))
        })
        .await
}

fn exit_of(answer: &Value) -> Exit {
    match text(answer, "status") {
        "succeeded" | "shadowed" | "queued" | "running" => Exit::Success,
        "waiting" => Exit::ApprovalNeeded,
        _ => Exit::Failure,
    }
}

async fn receipts(context: &Context, args: ToolReceiptsArgs) -> CommandResult {
    let link = context.link().await?;
    let request = ApiRequest::get("/v1/receipts")
        .query("tool", args.tool)
        .query("status", args.status)
        .query("limit", Some(args.limit));
    let answer = link.send(request).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let receipts = items(&answer);
    if receipts.is_empty() {
        output::note("no receipts");
        return Ok(Exit::Success);
    }
    let times = context.time_format(&link).await;
    output::line(output::tool::receipts(receipts, &times));
    output::note_more(&answer, args.limit);
    Ok(Exit::Success)
}
