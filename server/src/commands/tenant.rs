//! `abide tenant`: settings, the kill switch, and the preview of turning it off.

use serde_json::{Map, Value, json};

use super::context::{CommandResult, Context};
use super::shadow_report;
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{MessageLimit, ShadowAction, TenantCommand, TenantListArgs, TenantSetArgs};
use crate::exit::Exit;
use crate::link::Link;
use crate::output;
use crate::output::members::{items, member, text};
use crate::problem::ProblemDocument;

/// Maximum number of attempts to change a tenant while other requests change the same tenant.
const ATTEMPTS_MAX: u32 = 3;

pub(super) async fn run(context: &Context, command: TenantCommand) -> CommandResult {
    let selected = |id: Option<String>| id.unwrap_or_else(|| context.global.tenant.clone());
    match command {
        TenantCommand::List(TenantListArgs { limit }) => list(context, limit).await,
        TenantCommand::Show(one) => show(context, &selected(one.id)).await,
        TenantCommand::Set(TenantSetArgs { id, key, value }) => {
            change(context, &id, change_of_setting(&key, &value)).await
        }
        TenantCommand::Pause(one) => {
            change(context, &selected(one.id), json!({"paused": true})).await
        }
        TenantCommand::Resume(one) if one.preview => preview(context, &selected(one.id)).await,
        TenantCommand::Resume(one) => {
            change(context, &selected(one.id), json!({"paused": false})).await
        }
        TenantCommand::Shadow(one) if one.action == ShadowAction::Report => {
            shadow_report::print(context, &selected(one.id), one.since).await
        }
        TenantCommand::Shadow(one) => {
            let wanted = json!({"shadow": one.action == ShadowAction::On});
            change(context, &selected(one.id), wanted).await
        }
        TenantCommand::Budget(one) => {
            let messages = match one.messages {
                MessageLimit::AtMost(messages) => messages.into(),
                MessageLimit::Unlimited => Value::Null,
            };
            let wanted = json!({"settings": {"messages_per_month": messages}});
            change(context, &selected(one.id), wanted).await
        }
    }
}

fn path_of(id: &str) -> String {
    format!("/v1/tenants/{}", path_segment(id))
}

/// Builds the request body that changes a setting. A value that is not JSON is taken as a string.
fn change_of_setting(key: &str, value: &str) -> Value {
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
    let words = |value: Value| match value {
        Value::String(list) => list.split(',').map(|word| Value::from(word.trim())).collect(),
        other => other,
    };
    match key {
        "name" | "paused" | "shadow" => json!({ key: value }),
        "domains" if !value.is_null() => json!({ key: words(value) }),
        _ => json!({"settings": { key: value }}),
    }
}

async fn list(context: &Context, limit: usize) -> CommandResult {
    let answer = context
        .link()
        .await?
        .send(ApiRequest::get("/v1/tenants").query("limit", Some(limit)))
        .await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let rows = items(&answer).iter().map(|one| {
        let settings = one["settings"].as_object().map_or(0, Map::len);
        [text(one, "id").to_owned(), state(one), settings.to_string(), one["version"].to_string()]
    });
    output::line(output::table(["tenant", "state", "own settings", "version"], rows));
    output::note_more(&answer, limit);
    Ok(Exit::Success)
}

/// Describes the state of a tenant: `paused`, `in shadow mode` or `working`. While the kill switch is being turned on or off,
/// the description includes the progress.
fn state(tenant: &Value) -> String {
    let state = match (tenant["paused"] == true, tenant["shadow"] == true) {
        (true, _) => "paused",
        (_, true) => "in shadow mode",
        _ => "working",
    };
    match member(tenant, "switch") {
        None => state.to_owned(),
        Some(job) => format!(
            "{state}, still {} ({} texts, {} runs so far)",
            text(job, "phase"),
            job["sends"],
            job["runs"]
        ),
    }
}

async fn show(context: &Context, id: &str) -> CommandResult {
    let tenant = context.link().await?.send(ApiRequest::get(path_of(id))).await?;
    if !context.json(&tenant) {
        print(&tenant);
    }
    Ok(Exit::Success)
}

fn print(tenant: &Value) {
    output::line(format_args!(
        "{}  {}, version {}",
        text(tenant, "id"),
        state(tenant),
        tenant["version"]
    ));
    for (name, value) in tenant["settings"].as_object().into_iter().flatten() {
        output::line(format_args!("  {name} = {value}"));
    }
}

/// Changes a tenant. If another request changes the same tenant first, reads the tenant again and retries.
async fn change(context: &Context, id: &str, wanted: Value) -> CommandResult {
    let link = context.link().await?;
    let mut attempts = 1;
    let tenant = loop {
        match patch(&link, id, wanted.clone()).await {
            Err(problem) if problem.code == "version_conflict" && attempts < ATTEMPTS_MAX => {
                attempts += 1
            }
            changed => break changed?,
        }
    };
    if !context.json(&tenant) {
        // The job that turns the kill switch may have ended since the response was sent.
        // So the tenant is read again before its state is printed.
        print(&link.send(ApiRequest::get(path_of(id))).await?);
    }
    Ok(Exit::Success)
}

/// Changes a tenant as it is now.
pub(super) async fn patch(
    link: &Link,
    id: &str,
    mut wanted: Value,
) -> Result<Value, ProblemDocument> {
    let present = link.send(ApiRequest::get(path_of(id))).await?;
    wanted["version"] = present["version"].clone();
    link.send(ApiRequest::patch(path_of(id), wanted)).await
}

async fn preview(context: &Context, id: &str) -> CommandResult {
    let request = ApiRequest::get(format!("{}/resume-preview", path_of(id)));
    let answer = context.link().await?.send(request).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let (sends, runs, schedules) = (&answer["sends"], &answer["runs"], &answer["schedules"]);
    let count = |of: &Value, what| output::counted(of["count"].as_i64().unwrap_or(0), what);
    output::line(format_args!(
        "Resuming would send {}, continue {} and start {}",
        count(sends, "text"),
        count(runs, "run"),
        count(schedules, "schedule")
    ));
    let of = |value: &'static str| move |answer: &Value| list_of(answer, value);
    let method = |one: &Value| match text(one, "method") {
        "" => "(answers)".to_owned(),
        method => method.to_owned(),
    };
    print_table(of("by_method")(sends), ["method", "template", "texts"], |one| {
        [method(one), text(one, "template").to_owned(), one["count"].to_string()]
    });
    print_table(of("by_person")(sends), ["person", "name", "texts"], |one| {
        let name = text(one, "name").to_owned();
        [text(one, "person_id").to_owned(), name, one["count"].to_string()]
    });
    print_table(of("by_method")(runs), ["method", "runs", "due", "not started"], |one| {
        [method(one), one["count"].to_string(), one["due"].to_string(), one["pending"].to_string()]
    });
    print_table(of("by_method")(schedules), ["method", "schedules due"], |one| {
        [method(one), one["count"].to_string()]
    });
    Ok(Exit::Success)
}

fn list_of(answer: &Value, name: &str) -> Vec<Value> {
    answer[name].as_array().cloned().unwrap_or_default()
}

/// Prints an empty line and a table, if the table has rows.
fn print_table<const N: usize>(
    rows: Vec<Value>,
    head: [&str; N],
    row: impl Fn(&Value) -> [String; N],
) {
    if !rows.is_empty() {
        output::line("");
        output::line(output::table(head, rows.iter().map(row)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_on_the_command_line_is_json_if_it_can_be() {
        for (key, typed, expected) in [
            ("quiet_hours", "21:00-08:00", json!({"settings": {"quiet_hours": "21:00-08:00"}})),
            ("messages_per_month", "500", json!({"settings": {"messages_per_month": 500}})),
            ("messages_per_month", "null", json!({"settings": {"messages_per_month": null}})),
            ("sms_from", "+15550001111", json!({"settings": {"sms_from": "+15550001111"}})),
            ("name", "Grace", json!({"name": "Grace"})),
            ("domains", "church, trade", json!({"domains": ["church", "trade"]})),
            ("domains", "null", json!({"settings": {"domains": null}})),
        ] {
            assert_eq!(change_of_setting(key, typed), expected, "{key} {typed}");
        }
    }
}
