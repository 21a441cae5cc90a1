//! `abide schedule`: methods that start at set times.

use serde_json::{Value, json};

use super::context::{CommandResult, Context};
use super::json_option::parse_json_option;
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{ScheduleAddArgs, ScheduleCommand, ScheduleListArgs, ScheduleRemoveArgs};
use crate::exit::Exit;
use crate::output;
use crate::output::members::{items, member, text};
use crate::output::times::TimeFormat;

pub(super) async fn run(context: &Context, command: ScheduleCommand) -> CommandResult {
    match command {
        ScheduleCommand::List(wanted) => list(context, wanted).await,
        ScheduleCommand::Add(wanted) => add(context, wanted).await,
        ScheduleCommand::Remove(ScheduleRemoveArgs { id }) => {
            let request = ApiRequest::delete(format!("/v1/schedules/{}", path_segment(&id)));
            let removed = context.link().await?.send(request).await?;
            if !context.json(&removed) {
                output::line(format_args!("{} removed", text(&removed, "id")));
            }
            Ok(Exit::Success)
        }
    }
}

async fn list(
    context: &Context,
    ScheduleListArgs { run, limit }: ScheduleListArgs,
) -> CommandResult {
    let link = context.link().await?;
    let of_a_run = run.is_some();
    let request = ApiRequest::get("/v1/schedules").query("run_id", run).query("limit", Some(limit));
    let answer = link.send(request).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let times = context.time_format(&link).await;
    let schedules = items(&answer);
    if schedules.is_empty() {
        output::note("no schedules");
    } else if of_a_run {
        let rows = schedules.iter().map(|one| {
            [text(one, "id").to_owned(), next_time(one, &times), one["payload"].to_string()]
        });
        output::line(output::table(["schedule", "next", "payload"], rows));
    } else {
        let rows = schedules.iter().map(|one| table_row(one, &times));
        output::line(output::table(["schedule", "method", "when", "next", "last"], rows));
    }
    output::note_more(&answer, limit);
    Ok(Exit::Success)
}

fn table_row(one: &Value, times: &TimeFormat) -> [String; 5] {
    let when = match text(one, "cron") {
        "" => "once".to_owned(),
        cron => format!("{cron} {}", text(one, "tz")),
    };
    [
        text(one, "id").to_owned(),
        text(one, "method").to_owned(),
        when,
        next_time(one, times),
        last_time(one, times),
    ]
}

/// Describes the next time at which a schedule is due.
fn next_time(one: &Value, times: &TimeFormat) -> String {
    match text(one, "next_at") {
        "" => "never".to_owned(),
        at if one["waits"] == true => format!("{}, after its previous run", times.local(at)),
        at => times.local(at),
    }
}

/// Describes the last time at which a schedule was due, and the run that was started then, or the error.
fn last_time(one: &Value, times: &TimeFormat) -> String {
    let at = times.local(text(one, "last_at"));
    match (member(one, "last_error"), text(one, "last_run_id")) {
        (Some(error), _) => {
            format!("{at} failed, {}: {}", text(error, "code"), text(error, "message"))
        }
        (None, "") => "–".to_owned(),
        (None, run) => format!("{at} {run}"),
    }
}

async fn add(context: &Context, args: ScheduleAddArgs) -> CommandResult {
    let ScheduleAddArgs { method, goal, cron, at, tz, catch_up, overlap, key } = args;
    let mut body = json!({"method": method, "goal": parse_json_option("--goal", &goal)?});
    let given =
        [("cron", cron), ("at", at), ("tz", tz), ("catch_up", catch_up), ("overlap", overlap)];
    for (name, value) in given {
        if let Some(value) = value {
            body[name] = value.into();
        }
    }
    let link = context.link().await?;
    let added = link.send(ApiRequest::post("/v1/schedules", body).with_key(key)).await?;
    if !context.json(&added) {
        let times = context.time_format(&link).await;
        output::line(format_args!("{}  next {}", text(&added, "id"), next_time(&added, &times)));
    }
    Ok(Exit::Success)
}
