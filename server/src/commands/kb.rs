//! `abide kb`: the facts of the knowledge base.

use serde_json::{Value, json};

use super::context::{CommandResult, Context};
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{KbCommand, KbListArgs, KbPutArgs, KbRetireArgs};
use crate::exit::Exit;
use crate::output;
use crate::output::members::{items, text};

pub(super) async fn run(context: &Context, command: KbCommand) -> CommandResult {
    match command {
        KbCommand::List(KbListArgs { retired }) => list(context, retired).await,
        KbCommand::Put(fact) => put(context, fact).await,
        KbCommand::Retire(KbRetireArgs { id }) => {
            let request = ApiRequest::delete(format!("/v1/kb/{}", path_segment(&id)));
            send_change(context, request, "retired").await
        }
    }
}

async fn list(context: &Context, retired: bool) -> CommandResult {
    let link = context.link().await?;
    let request = ApiRequest::get("/v1/kb").query("retired", retired.then_some(true));
    let answer = link.send(request).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let times = context.time_format(&link).await;
    let facts = items(&answer);
    if facts.is_empty() {
        output::note("no facts");
        return Ok(Exit::Success);
    }
    let rows = facts.iter().map(|fact| {
        let stale = if fact["stale"] == true { " (stale)" } else { "" };
        [
            text(fact, "id").to_owned(),
            text(fact, "topic").to_owned(),
            text(fact, "reviewer").to_owned(),
            text(fact, "written_by").to_owned(),
            format!("{}{stale}", times.since(text(fact, "reviewed_at"))),
        ]
    });
    output::line(output::table(["id", "topic", "reviewer", "written by", "reviewed"], rows));
    Ok(Exit::Success)
}

async fn put(context: &Context, fact: KbPutArgs) -> CommandResult {
    let KbPutArgs { id, topic, text, source, reviewer, reviewed_at } = fact;
    let mut body = json!({"topic": topic, "text": text, "source": source});
    for (name, value) in [("reviewer", reviewer), ("reviewed_at", reviewed_at)] {
        if let Some(value) = value {
            body[name] = Value::from(value);
        }
    }
    send_change(context, ApiRequest::put(format!("/v1/kb/{}", path_segment(&id)), body), "saved")
        .await
}

async fn send_change(context: &Context, request: ApiRequest, done: &str) -> CommandResult {
    let link = context.link().await?;
    let fact = link.send(request).await?;
    if !context.json(&fact) {
        output::line(format_args!("{} {done}", text(&fact, "id")));
    }
    Ok(Exit::Success)
}
