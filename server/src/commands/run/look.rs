//! `run list`, `run show` and `run explain`.

use super::{Context, Outcome};
use crate::ask::{Ask, segment};
use crate::cli::RunList;
use crate::exit::Exit;
use crate::output;
use crate::output::view::{items, text};

pub(super) async fn list(context: &Context, args: RunList) -> Outcome {
    let link = context.link().await?;
    let ask = Ask::get("/v1/runs")
        .with("status", args.status)
        .with("stuck", args.stuck.then_some(true))
        .with("waiting", args.waiting.then_some(true))
        .with("method", args.method)
        .with("request_id", args.request)
        .with("limit", Some(args.limit));
    let answer = link.send(ask).await?;
    if context.json(&answer) {
        return Ok(Exit::Done);
    }
    let runs = items(&answer);
    if runs.is_empty() {
        output::note("no runs");
    } else if args.stuck {
        output::line(output::run::stuck(runs, &context.view(&link).await));
    } else {
        output::line(output::run::list(runs, &context.view(&link).await));
    }
    if answer.get("next_cursor").is_some() {
        output::note(format_args!("(more exist: raise `--limit {}`)", args.limit));
    }
    Ok(Exit::Done)
}

pub(super) async fn show(context: &Context, id: &str) -> Outcome {
    let link = context.link().await?;
    let path = format!("/v1/runs/{}", segment(id));
    let run = link.send(Ask::get(&path)).await?;
    if context.json(&run) {
        return Ok(Exit::Done);
    }
    let receipts = link.send(Ask::get(format!("{path}/receipts?limit=500"))).await?;
    let messages = link.send(Ask::get(format!("{path}/messages?limit=500"))).await?;
    let view = context.view(&link).await;
    let oldest_first: Vec<_> = items(&messages).iter().rev().cloned().collect();
    output::line(output::run::page(&run, items(&receipts), &oldest_first, &view));
    Ok(Exit::Done)
}

pub(super) async fn explain(context: &Context, id: &str) -> Outcome {
    let link = context.link().await?;
    let answer = link.send(Ask::get(format!("/v1/runs/{}/explain", segment(id)))).await?;
    if !context.json(&answer) {
        output::line(text(&answer, "text"));
    }
    Ok(Exit::Done)
}
