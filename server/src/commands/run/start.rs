//! `abide run start`: starts a run, and with `--wait` waits until the run has ended.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::context::{CommandResult, Context};
use super::super::json_option::parse_json_option;
use super::preview;
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::RunStartArgs;
use crate::exit::Exit;
use crate::link::Link;
use crate::output;
use crate::output::members::text;
use crate::problem::ProblemDocument;
use crate::shutdown;

/// Interval at which `--wait` polls the run.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

pub(super) async fn run(context: &Context, args: RunStartArgs) -> CommandResult {
    let request = ApiRequest::post("/v1/runs", request_body(&args)?).with_key(args.key);
    if !args.wait {
        let started = context.link().await?.send(request).await?;
        return Ok(print_started(context, &started));
    }
    context.with_lasting_link(async |link| start_and_wait(context, link, request).await).await
}

/// Prints the started run, or the approval that it needs, and returns the exit code.
fn print_started(context: &Context, started: &Value) -> Exit {
    let approval = text(started, "approval_id");
    if !context.json(started) {
        if approval.is_empty() {
            let status = output::run::status(started);
            output::line(format_args!("{}  {status}", text(started, "id")));
        } else {
            output::line(format_args!("{approval} must be approved first"));
        }
    }
    if approval.is_empty() { Exit::Success } else { Exit::ApprovalNeeded }
}

async fn start_and_wait(context: &Context, link: &Link, request: ApiRequest) -> CommandResult {
    let started = link.send(request).await?;
    if !text(&started, "approval_id").is_empty() {
        return Ok(print_started(context, &started));
    }
    let id = text(&started, "id");
    output::note(format_args!("started {id}; waiting for it to end"));
    let run = poll_until_ended(link, id).await?;
    if run["shadow"] == true {
        let played = preview::read(link, run.clone()).await?;
        preview::print(context, link, &played).await;
    } else if !context.json(&run) {
        let times = context.time_format(link).await;
        output::line(output::run::page(&run, &[], &[], &times));
    }
    Ok(exit_of(&run))
}

fn request_body(args: &RunStartArgs) -> Result<Value, ProblemDocument> {
    let mut body = json!({"method": args.method, "goal": parse_json_option("--goal", &args.goal)?});
    if let Some(request) = &args.request {
        body["request_id"] = request.as_str().into();
    }
    if let Some(vars) = &args.vars {
        body["vars"] = parse_json_option("--vars", vars)?;
    }
    if args.on_conflict != "reject" {
        body["on_conflict"] = args.on_conflict.as_str().into();
    }
    if args.dry_run {
        body["dry_run"] = true.into();
    }
    Ok(body)
}

/// Polls a run until it has ended, and returns the run.
///
/// # Errors
/// `stopping` if the process receives a request to stop before the run has ended.
async fn poll_until_ended(link: &Link, id: &str) -> Result<Value, ProblemDocument> {
    let path = format!("/v1/runs/{}", path_segment(id));
    let mut polls = tokio::time::interval(POLL_INTERVAL);
    let mut stop = std::pin::pin!(shutdown::requested());
    loop {
        tokio::select! {
            () = &mut stop => {
                let detail = format!("stopped waiting; {id} continues when a worker runs");
                return Err(ProblemDocument::new(503, "stopping", detail)
                    .with_hint(format!("check its state with `abide run show {id}`")));
            }
            _ = polls.tick() => {}
        }
        let run = link.send(ApiRequest::get(&path)).await?;
        if matches!(text(&run, "status"), "completed" | "failed" | "cancelled") {
            return Ok(run);
        }
    }
}

/// Returns the exit code for a run that has ended: 0 succeeded, 3 fell short, 1 failed or cancelled.
fn exit_of(run: &Value) -> Exit {
    match (text(run, "status"), text(run, "outcome")) {
        ("completed", "fell_short") => Exit::FellShort,
        ("completed", _) => Exit::Success,
        _ => Exit::Failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_follows_the_outcome() {
        let cases = [
            ("completed", "succeeded", Exit::Success),
            ("completed", "fell_short", Exit::FellShort),
            ("failed", "", Exit::Failure),
            ("cancelled", "", Exit::Failure),
        ];
        for (status, outcome, expected) in cases {
            assert_eq!(exit_of(&json!({"status": status, "outcome": outcome})), expected);
        }
    }
}
