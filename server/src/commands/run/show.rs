//! `abide run list`, `abide run show` and `abide run explain`.

use super::super::context::{CommandResult, Context};
use super::preview;
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::RunListArgs;
use crate::exit::Exit;
use crate::output;
use crate::output::members::{items, text};

pub(super) async fn list(context: &Context, args: RunListArgs) -> CommandResult {
    let link = context.link().await?;
    let request = ApiRequest::get("/v1/runs")
        .query("status", args.status)
        .query("stuck", args.stuck.then_some(true))
        .query("waiting", args.waiting.then_some(true))
        .query("method", args.method)
        .query("request_id", args.request)
        .query("limit", Some(args.limit));
    let answer = link.send(request).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let runs = items(&answer);
    if runs.is_empty() {
        output::note("no runs");
    } else if args.stuck {
        output::line(output::run::stuck(runs, &context.time_format(&link).await));
    } else {
        output::line(output::run::list(runs, &context.time_format(&link).await));
    }
    output::note_more(&answer, args.limit);
    Ok(Exit::Success)
}

pub(super) async fn show(context: &Context, id: &str) -> CommandResult {
    let link = context.link().await?;
    let path = format!("/v1/runs/{}", path_segment(id));
    let run = link.send(ApiRequest::get(&path)).await?;
    if context.json(&run) {
        return Ok(Exit::Success);
    }
    if run["shadow"] == true {
        let played = preview::read(&link, run).await?;
        preview::print(context, &link, &played).await;
        return Ok(Exit::Success);
    }
    let receipts = link.send(ApiRequest::get(format!("{path}/receipts?limit=500"))).await?;
    let messages = link.send(ApiRequest::get(format!("{path}/messages?limit=500"))).await?;
    let times = context.time_format(&link).await;
    let oldest_first: Vec<_> = items(&messages).iter().rev().cloned().collect();
    output::line(output::run::page(&run, items(&receipts), &oldest_first, &times));
    Ok(Exit::Success)
}

pub(super) async fn explain(context: &Context, id: &str) -> CommandResult {
    let link = context.link().await?;
    let answer =
        link.send(ApiRequest::get(format!("/v1/runs/{}/explain", path_segment(id)))).await?;
    if !context.json(&answer) {
        output::line(text(&answer, "text"));
    }
    Ok(Exit::Success)
}
