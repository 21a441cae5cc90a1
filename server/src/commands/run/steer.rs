//! `run cancel|pause|resume|retry|skip|fork|signal`.

use serde_json::{Value, json};

use super::{Context, Outcome, typed_json};
use crate::ask::{Ask, segment};
use crate::cli::{RunFork, RunSignal, RunSkip};
use crate::exit::Exit;
use crate::output;
use crate::output::view::{member, text};

pub(super) async fn control(context: &Context, id: &str, what: &str) -> Outcome {
    steered(context, (id, what), (json!({}), None)).await
}

pub(super) async fn skip(context: &Context, args: RunSkip) -> Outcome {
    let mut body = json!({});
    if let Some(out) = &args.out {
        body["out"] = typed_json("--out", out)?;
    }
    steered(context, (&args.run, "skip"), (body, args.key)).await
}

pub(super) async fn fork(context: &Context, args: RunFork) -> Outcome {
    let mut body = json!({"from": args.from});
    if let Some(goal) = &args.goal {
        body["goal"] = typed_json("--goal", goal)?;
    }
    steered(context, (&args.run, "fork"), (body, args.key)).await
}

/// Sends a control command to a run, and prints the status of the run, or of the new run after a fork.
async fn steered(
    context: &Context,
    (id, what): (&str, &str),
    (body, key): (Value, Option<String>),
) -> Outcome {
    let path = format!("/v1/runs/{}/{what}", segment(id));
    let answer = context.link().await?.send(Ask::post(path, body).keyed(key)).await?;
    if !context.json(&answer) {
        output::line(format_args!("{}  {}", text(&answer, "id"), output::run::status(&answer)));
    }
    Ok(Exit::Done)
}

pub(super) async fn signal(context: &Context, args: RunSignal) -> Outcome {
    let mut body = json!({"name": args.name});
    body["data"] = match &args.data {
        Some(data) => typed_json("--data", data)?,
        None => Value::Null,
    };
    if let Some(key) = args.key {
        body["key"] = key.into();
    }
    let link = context.link().await?;
    let path = format!("/v1/runs/{}/signal", segment(&args.run));
    let answer = link.send(Ask::post(path, body)).await?;
    if !context.json(&answer) {
        let again = if answer["duplicate"] == true { " (already sent)" } else { "" };
        output::line(format_args!("{} → {}{again}", args.name, args.run));
        if let Some(warning) = member(&answer, "warning").and_then(Value::as_str) {
            output::tell(format_args!("warning: {warning}"));
        }
    }
    Ok(Exit::Done)
}
