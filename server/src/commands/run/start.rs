//! `run start`: starts a run, and with `--wait` waits until it has ended.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Context, Outcome, typed_json};
use crate::ask::{Ask, segment};
use crate::cli::RunStart;
use crate::exit::Exit;
use crate::link::Link;
use crate::output;
use crate::output::view::text;
use crate::problem::ProblemDocument;
use crate::shutdown;

/// How often `--wait` polls the run.
const LOOK_EVERY: Duration = Duration::from_millis(250);

pub(super) async fn run(context: &Context, args: RunStart) -> Outcome {
    let body = body(&args)?;
    let ask = Ask::post("/v1/runs", body).keyed(args.key);
    if !args.wait {
        let started = context.link().await?.send(ask).await?;
        return Ok(told(context, &started));
    }
    let (link, running) = context.lingering_link().await?;
    let outcome = until_ended(context, &link, ask).await;
    if let Some(running) = running {
        running.end().await;
    }
    outcome
}

/// Prints the started run, or the approval that it needs, and returns the exit code.
fn told(context: &Context, started: &Value) -> Exit {
    let approval = text(started, "approval_id");
    if !context.json(started) {
        if approval.is_empty() {
            let status = output::run::status(started);
            output::line(format_args!("{}  {status}", text(started, "id")));
        } else {
            output::line(format_args!("{approval} must be approved first"));
        }
    }
    if approval.is_empty() { Exit::Done } else { Exit::Approval }
}

async fn until_ended(context: &Context, link: &Link, ask: Ask) -> Outcome {
    let started = link.send(ask).await?;
    if !text(&started, "approval_id").is_empty() {
        return Ok(told(context, &started));
    }
    let id = text(&started, "id");
    output::note(format_args!("started {id}; waiting for it to end"));
    let run = ended(link, id).await?;
    if !context.json(&run) {
        let view = context.view(link).await;
        output::line(output::run::page(&run, &[], &[], &view));
    }
    Ok(exit(&run))
}

fn body(args: &RunStart) -> Result<Value, ProblemDocument> {
    let mut body = json!({"method": args.method, "goal": typed_json("--goal", &args.goal)?});
    if let Some(request) = &args.request {
        body["request_id"] = request.as_str().into();
    }
    if let Some(vars) = &args.vars {
        body["vars"] = typed_json("--vars", vars)?;
    }
    if args.on_conflict != "reject" {
        body["on_conflict"] = args.on_conflict.as_str().into();
    }
    if args.dry_run {
        body["dry_run"] = true.into();
    }
    Ok(body)
}

/// Polls until the run has ended.
///
/// # Errors
/// `stopping` if the process is asked to stop before.
async fn ended(link: &Link, id: &str) -> Result<Value, ProblemDocument> {
    let path = format!("/v1/runs/{}", segment(id));
    let mut looks = tokio::time::interval(LOOK_EVERY);
    let mut stop = std::pin::pin!(shutdown::asked());
    loop {
        tokio::select! {
            () = &mut stop => {
                let detail = format!("stopped waiting; {id} continues when a worker runs");
                return Err(ProblemDocument::new(503, "stopping", detail)
                    .with_hint(format!("check its state with `abide run show {id}`")));
            }
            _ = looks.tick() => {}
        }
        let run = link.send(Ask::get(&path)).await?;
        if matches!(text(&run, "status"), "completed" | "failed" | "cancelled") {
            return Ok(run);
        }
    }
}

/// Returns the exit code for a run that has ended: 0 succeeded, 3 fell short, 1 failed or cancelled.
fn exit(run: &Value) -> Exit {
    match (text(run, "status"), text(run, "outcome")) {
        ("completed", "fell_short") => Exit::FellShort,
        ("completed", _) => Exit::Done,
        _ => Exit::Unwell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_tells_the_outcome() {
        let cases = [
            ("completed", "succeeded", Exit::Done),
            ("completed", "fell_short", Exit::FellShort),
            ("failed", "", Exit::Unwell),
            ("cancelled", "", Exit::Unwell),
        ];
        for (status, outcome, expected) in cases {
            assert_eq!(exit(&json!({"status": status, "outcome": outcome})), expected);
        }
    }
}
