//! `abide service`: the weekly services of the church.

use serde_json::{Value, json};

use super::context::{CommandResult, Context};
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{ServiceCommand, ServicePutArgs, ServiceRemoveArgs};
use crate::exit::Exit;
use crate::output;
use crate::output::members::{items, text};

pub(super) async fn run(context: &Context, command: ServiceCommand) -> CommandResult {
    match command {
        ServiceCommand::List => list(context).await,
        ServiceCommand::Put(service) => put(context, service).await,
        ServiceCommand::Remove(wanted) => remove(context, wanted).await,
    }
}

async fn list(context: &Context) -> CommandResult {
    let answer = context.link().await?.send(ApiRequest::get("/v1/services")).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let services = items(&answer);
    if services.is_empty() {
        output::note("no services yet: add one with `abide service put NAME`");
        return Ok(Exit::Success);
    }
    let rows = services.iter().map(|service| {
        let aliases = service["aliases"].as_array().map_or(&[][..], Vec::as_slice);
        let aliases: Vec<&str> = aliases.iter().filter_map(Value::as_str).collect();
        [
            text(service, "name").to_owned(),
            text(service, "weekday").to_owned(),
            [text(service, "time"), text(service, "time_zone")].join(" ").trim().to_owned(),
            text(service, "duration").to_owned(),
            text(service, "campus").to_owned(),
            aliases.join(", "),
        ]
    });
    let columns = ["name", "day", "time", "duration", "campus", "also called"];
    output::line(output::table(columns, rows));
    Ok(Exit::Success)
}

async fn put(context: &Context, service: ServicePutArgs) -> CommandResult {
    let ServicePutArgs { name, weekday, time, aliases, duration, time_zone, campus } = service;
    let mut body = json!({"name": name, "weekday": weekday, "time": time, "aliases": aliases});
    for (member, value) in [("duration", duration), ("time_zone", time_zone), ("campus", campus)] {
        if let Some(value) = value {
            body[member] = value.into();
        }
    }
    let saved = context.link().await?.send(ApiRequest::post("/v1/services", body)).await?;
    if !context.json(&saved) {
        output::line(format_args!("{} saved", described(&saved)));
    }
    Ok(Exit::Success)
}

async fn remove(
    context: &Context,
    ServiceRemoveArgs { name, weekday, time }: ServiceRemoveArgs,
) -> CommandResult {
    let request = ApiRequest::delete(format!("/v1/services/{}", path_segment(&name)))
        .query("weekday", weekday)
        .query("time", time);
    let removed = context.link().await?.send(request).await?;
    if !context.json(&removed) {
        for service in items(&removed) {
            output::line(format_args!("{} removed", described(service)));
        }
    }
    Ok(Exit::Success)
}

/// Returns a service as a line of text names it: `first, sunday 09:00`.
fn described(service: &Value) -> String {
    let [name, weekday, time] = ["name", "weekday", "time"].map(|member| text(service, member));
    format!("{name}, {weekday} {time}")
}
