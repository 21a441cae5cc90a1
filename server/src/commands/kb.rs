//! `abide kb`: the facts of the knowledge base.

use serde_json::{Value, json};

use super::{Context, Outcome};
use crate::ask::{Ask, segment};
use crate::cli::{KbCommand, KbList, KbPut, KbRetire};
use crate::exit::Exit;
use crate::output;
use crate::output::view::{items, text};

pub(super) async fn run(context: &Context, command: KbCommand) -> Outcome {
    match command {
        KbCommand::List(KbList { retired }) => list(context, retired).await,
        KbCommand::Put(fact) => put(context, fact).await,
        KbCommand::Retire(KbRetire { id }) => {
            let ask = Ask::delete(format!("/v1/kb/{}", segment(&id)));
            changed(context, ask, "retired").await
        }
    }
}

async fn list(context: &Context, retired: bool) -> Outcome {
    let link = context.link().await?;
    let ask = Ask::get("/v1/kb").with("retired", retired.then_some(true));
    let answer = link.send(ask).await?;
    if context.json(&answer) {
        return Ok(Exit::Done);
    }
    let view = context.view(&link).await;
    let facts = items(&answer);
    if facts.is_empty() {
        output::note("no facts");
        return Ok(Exit::Done);
    }
    let rows = facts.iter().map(|fact| {
        let stale = if fact["stale"] == true { " (stale)" } else { "" };
        [
            text(fact, "id").to_owned(),
            text(fact, "topic").to_owned(),
            text(fact, "reviewer").to_owned(),
            format!("{}{stale}", view.since(text(fact, "reviewed_at"))),
        ]
    });
    output::line(output::table(["id", "topic", "reviewer", "reviewed"], rows));
    Ok(Exit::Done)
}

async fn put(context: &Context, fact: KbPut) -> Outcome {
    let KbPut { id, topic, text, source, reviewer, reviewed_at } = fact;
    let mut body = json!({"topic": topic, "text": text, "source": source, "reviewer": reviewer});
    if let Some(at) = reviewed_at {
        body["reviewed_at"] = Value::from(at);
    }
    changed(context, Ask::put(format!("/v1/kb/{}", segment(&id)), body), "saved").await
}

async fn changed(context: &Context, ask: Ask, how: &str) -> Outcome {
    let link = context.link().await?;
    let fact = link.send(ask).await?;
    if !context.json(&fact) {
        output::line(format_args!("{} {how}", text(&fact, "id")));
    }
    Ok(Exit::Done)
}
