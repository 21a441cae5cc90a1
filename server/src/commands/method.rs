//! `abide method …`: methods and their versions.

use serde_json::{Value, json};

use super::context::{CommandResult, Context};
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{
    MethodCommand, MethodDiffArgs, MethodListArgs, MethodPublishArgs, MethodShowArgs,
};
use crate::exit::Exit;
use crate::output::members::{items, text};
use crate::{files, output};

pub(super) async fn run(context: &Context, command: MethodCommand) -> CommandResult {
    match command {
        MethodCommand::List(MethodListArgs { name: None }) => list(context).await,
        MethodCommand::List(MethodListArgs { name: Some(name) }) => versions(context, &name).await,
        MethodCommand::Show(args) => show(context, &args).await,
        MethodCommand::Diff(args) => diff(context, &args).await,
        MethodCommand::Publish(args) => publish(context, &args).await,
        MethodCommand::Rollback(args) => {
            let path = format!("/v1/methods/{}/rollback", path_segment(&args.name));
            let answer =
                context.link().await?.send(ApiRequest::post(path, json!({"to": args.to}))).await?;
            if !context.json(&answer) {
                let now =
                    format_args!("new runs of {} use version {}", args.name, answer["version"]);
                output::line(now);
            }
            Ok(Exit::Success)
        }
        MethodCommand::Delete(args) => {
            let path =
                format!("/v1/methods/{}/versions/{}", path_segment(&args.name), args.version);
            let answer = context.link().await?.send(ApiRequest::delete(path)).await?;
            if !context.json(&answer) {
                output::line(format_args!("{} version {} deleted", args.name, args.version));
            }
            Ok(Exit::Success)
        }
    }
}

async fn list(context: &Context) -> CommandResult {
    let answer = context.link().await?.send(ApiRequest::get("/v1/methods")).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let rows = items(&answer).iter().map(|method| {
        let version = method.get("version").map_or_else(|| "-".to_owned(), Value::to_string);
        [
            text(method, "name").to_owned(),
            version,
            text(method, "origin").replace('_', " "),
            method["live_runs"].to_string(),
            text(method, "description").to_owned(),
        ]
    });
    output::line(output::table(["method", "version", "origin", "live runs", "description"], rows));
    Ok(Exit::Success)
}

async fn versions(context: &Context, name: &str) -> CommandResult {
    let link = context.link().await?;
    let answer =
        link.send(ApiRequest::get(format!("/v1/methods/{}/versions", path_segment(name)))).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let times = context.time_format(&link).await;
    let rows = items(&answer).iter().map(|version| {
        let used_by = match (version["active"] == true, version["shadow"] == true) {
            (true, _) => "new runs",
            (_, true) => "shadow runs",
            _ => "",
        };
        [
            version["version"].to_string(),
            used_by.to_owned(),
            text(version, "origin").replace('_', " "),
            times.since(text(version, "created_at")),
            version["live_runs"].to_string(),
        ]
    });
    output::line(output::table(["version", "used by", "origin", "created", "live runs"], rows));
    Ok(Exit::Success)
}

async fn show(context: &Context, args: &MethodShowArgs) -> CommandResult {
    let mut path = format!("/v1/methods/{}", path_segment(&args.name));
    if let Some(version) = args.version {
        path = format!("{path}/versions/{version}");
    }
    let answer = context.link().await?.send(ApiRequest::get(path)).await?;
    if !context.json(&answer) {
        output::line(text(&answer, "text").trim_end());
    }
    Ok(Exit::Success)
}

async fn diff(context: &Context, args: &MethodDiffArgs) -> CommandResult {
    let request = ApiRequest::get(format!("/v1/methods/{}/diff", path_segment(&args.name)))
        .query("from", args.from)
        .query("to", args.to);
    let answer = context.link().await?.send(request).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    output::line(format_args!("{} {} → {}", args.name, answer["from"], answer["to"]));
    let changes = answer["changes"].as_array().map(Vec::as_slice).unwrap_or_default();
    if changes.is_empty() {
        output::line("  no differences");
    }
    for change in changes {
        let step = change.get("step_id").map_or("the method", |_| text(change, "step_id"));
        output::line(format_args!(
            "  {:<8} {step}  {}",
            text(change, "change"),
            text(change, "path")
        ));
        for member in change["what"].as_array().into_iter().flatten() {
            let side =
                |name: &str| member.get(name).map_or_else(|| "–".to_owned(), Value::to_string);
            let (name, from, to) = (text(member, "member"), side("from"), side("to"));
            output::line(format_args!("           {name}: {from} → {to}"));
        }
    }
    output::line(output::upgrade::page(&answer["runs"]));
    Ok(Exit::Success)
}

async fn publish(context: &Context, args: &MethodPublishArgs) -> CommandResult {
    let file = args.file.display().to_string();
    let method = files::read(&args.file, || "name the file that contains the method".to_owned())?;
    let body = json!({"text": method, "file": file, "shadow": args.shadow});
    let answer = context.link().await?.send(ApiRequest::post("/v1/methods", body)).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let (name, version) = (text(&answer, "name"), &answer["version"]);
    let published = match (answer["new"] == true, answer["shadow"] == true) {
        (true, false) => "published; new runs use it",
        (true, true) => "published for shadow runs",
        (false, _) => "already exists; new runs use it",
    };
    output::line(format_args!("{name} version {version} {published}"));
    for warning in answer["warnings"].as_array().into_iter().flatten() {
        output::warning(text(warning, "message"));
    }
    let callers: Vec<&str> =
        answer["callers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !callers.is_empty() {
        output::note(format_args!(
            "{} call it and keep using its earlier version; publish them, too",
            callers.join(", ")
        ));
    }
    Ok(Exit::Success)
}
