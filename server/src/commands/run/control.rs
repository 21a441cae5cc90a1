//! `abide run cancel|pause|resume|retry|skip|fork|signal`: sends an order to a run.

use serde_json::{Value, json};

use super::super::context::{CommandResult, Context};
use super::super::json_option::parse_json_option;
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{RunForkArgs, RunSignalArgs, RunSkipArgs};
use crate::exit::Exit;
use crate::output;
use crate::output::members::{member, text};

/// Sends an order without arguments: `cancel`, `pause`, `resume` or `retry`.
pub(super) async fn send(context: &Context, run: &str, order: &str) -> CommandResult {
    send_order(context, run, order, json!({}), None).await
}

pub(super) async fn skip(context: &Context, args: RunSkipArgs) -> CommandResult {
    let mut body = json!({});
    if let Some(out) = &args.out {
        body["out"] = parse_json_option("--out", out)?;
    }
    send_order(context, &args.run, "skip", body, args.key).await
}

pub(super) async fn fork(context: &Context, args: RunForkArgs) -> CommandResult {
    let mut body = json!({"from": args.from});
    if let Some(goal) = &args.goal {
        body["goal"] = parse_json_option("--goal", goal)?;
    }
    send_order(context, &args.run, "fork", body, args.key).await
}

/// Sends an order to a run, and prints the status of the run, or of the new run after a fork.
async fn send_order(
    context: &Context,
    run: &str,
    order: &str,
    body: Value,
    key: Option<String>,
) -> CommandResult {
    let path = format!("/v1/runs/{}/{order}", path_segment(run));
    let answer = context.link().await?.send(ApiRequest::post(path, body).with_key(key)).await?;
    if !context.json(&answer) {
        output::line(format_args!("{}  {}", text(&answer, "id"), output::run::status(&answer)));
    }
    Ok(Exit::Success)
}

pub(super) async fn signal(context: &Context, args: RunSignalArgs) -> CommandResult {
    let mut body = json!({"name": args.name});
    body["data"] = match &args.data {
        Some(data) => parse_json_option("--data", data)?,
        None => Value::Null,
    };
    if let Some(key) = args.key {
        body["key"] = key.into();
    }
    let link = context.link().await?;
    let path = format!("/v1/runs/{}/signal", path_segment(&args.run));
    let answer = link.send(ApiRequest::post(path, body)).await?;
    if !context.json(&answer) {
        let again = if answer["duplicate"] == true { " (already sent)" } else { "" };
        output::line(format_args!("{} → {}{again}", args.name, args.run));
        if let Some(warning) = member(&answer, "warning").and_then(Value::as_str) {
            output::warning(warning);
        }
    }
    Ok(Exit::Success)
}
