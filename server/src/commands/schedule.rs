//! `abide schedule`: methods that start at set times.

use serde_json::{Value, json};

use super::run::typed_json;
use super::{Context, Outcome};
use crate::ask::{Ask, segment};
use crate::cli::{ScheduleAdd, ScheduleCommand, ScheduleList, ScheduleRemove};
use crate::exit::Exit;
use crate::output;
use crate::output::view::{View, items, member, text};

pub(super) async fn run(context: &Context, command: ScheduleCommand) -> Outcome {
    match command {
        ScheduleCommand::List(wanted) => list(context, wanted).await,
        ScheduleCommand::Add(wanted) => add(context, wanted).await,
        ScheduleCommand::Remove(ScheduleRemove { id }) => {
            let ask = Ask::delete(format!("/v1/schedules/{}", segment(&id)));
            let removed = context.link().await?.send(ask).await?;
            if !context.json(&removed) {
                output::line(format_args!("{} removed", text(&removed, "id")));
            }
            Ok(Exit::Done)
        }
    }
}

async fn list(context: &Context, ScheduleList { run, limit }: ScheduleList) -> Outcome {
    let link = context.link().await?;
    let of_a_run = run.is_some();
    let ask = Ask::get("/v1/schedules").with("run_id", run).with("limit", Some(limit));
    let answer = link.send(ask).await?;
    if context.json(&answer) {
        return Ok(Exit::Done);
    }
    let view = context.view(&link).await;
    let schedules = items(&answer);
    if schedules.is_empty() {
        output::note("no schedules");
    } else if of_a_run {
        let rows = schedules
            .iter()
            .map(|one| [text(one, "id").to_owned(), next(one, &view), one["payload"].to_string()]);
        output::line(output::table(["schedule", "next", "payload"], rows));
    } else {
        let rows = schedules.iter().map(|one| row(one, &view));
        output::line(output::table(["schedule", "method", "when", "next", "last"], rows));
    }
    if answer.get("next_cursor").is_some() {
        output::note(format_args!("(more exist: raise `--limit {limit}`)"));
    }
    Ok(Exit::Done)
}

fn row(one: &Value, view: &View) -> [String; 5] {
    let when = match text(one, "cron") {
        "" => "once".to_owned(),
        cron => format!("{cron} {}", text(one, "tz")),
    };
    [
        text(one, "id").to_owned(),
        text(one, "method").to_owned(),
        when,
        next(one, view),
        last(one, view),
    ]
}

/// Describes when a schedule is due next.
fn next(one: &Value, view: &View) -> String {
    match text(one, "next_at") {
        "" => "never".to_owned(),
        at if one["waits"] == true => format!("{}, after its previous run", view.local(at)),
        at => view.local(at),
    }
}

/// Describes the last time that was due: the run that it started, or why it failed.
fn last(one: &Value, view: &View) -> String {
    let at = view.local(text(one, "last_at"));
    match (member(one, "last_error"), text(one, "last_run_id")) {
        (Some(error), _) => {
            format!("{at} failed, {}: {}", text(error, "code"), text(error, "message"))
        }
        (None, "") => "–".to_owned(),
        (None, run) => format!("{at} {run}"),
    }
}

async fn add(context: &Context, args: ScheduleAdd) -> Outcome {
    let ScheduleAdd { method, goal, cron, at, tz, catch_up, overlap, key } = args;
    let mut body = json!({"method": method, "goal": typed_json("--goal", &goal)?});
    let given =
        [("cron", cron), ("at", at), ("tz", tz), ("catch_up", catch_up), ("overlap", overlap)];
    for (name, value) in given {
        if let Some(value) = value {
            body[name] = value.into();
        }
    }
    let link = context.link().await?;
    let added = link.send(Ask::post("/v1/schedules", body).keyed(key)).await?;
    if !context.json(&added) {
        let view = context.view(&link).await;
        output::line(format_args!("{}  next {}", text(&added, "id"), next(&added, &view)));
    }
    Ok(Exit::Done)
}
