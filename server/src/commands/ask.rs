//! `abide ask`: a text becomes obligations, and a verified answer.

use std::io::Read as _;

use serde_json::{Value, json};

use super::context::{CommandResult, Context};
use super::json_option::{parse_json_option, parse_json_or_file};
use crate::api_request::ApiRequest;
use crate::cli::AskArgs;
use crate::exit::Exit;
use crate::output;
use crate::output::members::{list, text};
use crate::problem::ProblemDocument;

pub(super) async fn run(context: &Context, args: AskArgs) -> CommandResult {
    if let Some(trace) = &args.replay {
        return replay(context, trace).await;
    }
    let mut body = json!({ "text": args.text.join(" "), "trace": args.trace });
    if let Some(obligations) = args.obligations {
        body["obligations"] = parse_json_or_file("--obligations", &obligations)?;
    }
    if let Some(session) = args.session {
        body["session"] = session.into();
    }
    if let Some(user) = args.user {
        body["user"] = user.into();
    }
    let show_trace = args.trace;
    context
        .with_lasting_link(async |link| {
            let answer = link.send(ApiRequest::post("/v1/ask", body)).await?;
            if !context.json(&answer) {
                output::line(text(&answer, "answer"));
                for source in list(&answer, "sources") {
                    let tool = text(source, "tool");
                    output::note(format_args!(
                        "source: {tool}, receipt {}",
                        text(source, "receipt_id")
                    ));
                }
                if show_trace {
                    output::line(&answer["trace"]);
                }
            }
            Ok(Exit::Success)
        })
        .await
}

/// Replays a trace. The exit code is 1 if something has changed since.
async fn replay(context: &Context, name: &str) -> CommandResult {
    let trace = parse_json_option("--replay", &read(name)?)?;
    let trace = trace.get("trace").cloned().unwrap_or(trace);
    let request = ApiRequest::post("/v1/ask/replay", json!({ "trace": trace }));
    let replayed: Value = context.link().await?.send(request).await?;
    let same = replayed["same"] == true;
    if !context.json(&replayed) {
        output::line(text(&replayed, "answer"));
        for changed in list(&replayed, "changed").iter().filter_map(Value::as_str) {
            output::note(format_args!("changed: {changed}"));
        }
    }
    Ok(if same { Exit::Success } else { Exit::Failure })
}

/// Reads a file, or stdin.
fn read(name: &str) -> Result<String, ProblemDocument> {
    let mut text = String::new();
    let read = match name {
        "-" => std::io::stdin().read_to_string(&mut text).map(drop),
        name => std::fs::read_to_string(name).map(|content| text = content),
    };
    read.map_err(|error| {
        ProblemDocument::new(422, "file_unreadable", format!("cannot read {name}: {error}"))
            .with_hint("give the name of a file with what `abide ask --trace` prints")
    })?;
    // With `--trace`, the answer is on the lines before the trace.
    let last = text.lines().rev().find(|line| line.trim_start().starts_with('{'));
    Ok(last.map(str::to_owned).unwrap_or(text))
}
