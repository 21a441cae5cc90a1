//! `run cancel|pause|resume|retry|signal`.

use serde_json::{Value, json};

use super::{Context, Outcome, typed_json};
use crate::ask::{Ask, segment};
use crate::cli::RunSignal;
use crate::exit::Exit;
use crate::output;
use crate::output::view::{member, text};

pub(super) async fn control(context: &Context, id: &str, what: &str) -> Outcome {
    let link = context.link().await?;
    let path = format!("/v1/runs/{}/{what}", segment(id));
    let answer = link.send(Ask::post(path, json!({}))).await?;
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
        let again = if answer["duplicate"] == true { " (sent before)" } else { "" };
        output::line(format_args!("{} → {}{again}", args.name, args.run));
        if let Some(warning) = member(&answer, "warning").and_then(Value::as_str) {
            output::tell(format_args!("warning: {warning}"));
        }
    }
    Ok(Exit::Done)
}
