//! `abide method …`: methods and their versions.

use abide_engine::base::limits;
use abide_engine::library::read_text;
use serde_json::{Value, json};

use super::{Context, Outcome};
use crate::ask::{Ask, segment};
use crate::cli::{MethodCommand, MethodDiff, MethodList, MethodPublish, MethodShow};
use crate::exit::Exit;
use crate::output;
use crate::output::view::{items, text};
use crate::problem::ProblemDocument;

pub(super) async fn run(context: &Context, command: MethodCommand) -> Outcome {
    match command {
        MethodCommand::List(MethodList { name: None }) => list(context).await,
        MethodCommand::List(MethodList { name: Some(name) }) => versions(context, &name).await,
        MethodCommand::Show(args) => show(context, &args).await,
        MethodCommand::Diff(args) => diff(context, &args).await,
        MethodCommand::Publish(args) => publish(context, &args).await,
        MethodCommand::Rollback(args) => {
            let path = format!("/v1/methods/{}/rollback", segment(&args.name));
            let answer =
                context.link().await?.send(Ask::post(path, json!({"to": args.to}))).await?;
            if !context.json(&answer) {
                let now =
                    format_args!("new runs of {} use version {}", args.name, answer["version"]);
                output::line(now);
            }
            Ok(Exit::Done)
        }
        MethodCommand::Delete(args) => {
            let path = format!("/v1/methods/{}/versions/{}", segment(&args.name), args.version);
            let answer = context.link().await?.send(Ask::delete(path)).await?;
            if !context.json(&answer) {
                output::line(format_args!("{} version {} deleted", args.name, args.version));
            }
            Ok(Exit::Done)
        }
    }
}

async fn list(context: &Context) -> Outcome {
    let answer = context.link().await?.send(Ask::get("/v1/methods")).await?;
    if context.json(&answer) {
        return Ok(Exit::Done);
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
    Ok(Exit::Done)
}

async fn versions(context: &Context, name: &str) -> Outcome {
    let link = context.link().await?;
    let answer = link.send(Ask::get(format!("/v1/methods/{}/versions", segment(name)))).await?;
    if context.json(&answer) {
        return Ok(Exit::Done);
    }
    let view = context.view(&link).await;
    let rows = items(&answer).iter().map(|version| {
        let what = match (version["active"] == true, version["shadow"] == true) {
            (true, _) => "new runs",
            (_, true) => "shadow runs",
            _ => "",
        };
        [
            version["version"].to_string(),
            what.to_owned(),
            text(version, "origin").replace('_', " "),
            view.since(text(version, "created_at")),
            version["live_runs"].to_string(),
        ]
    });
    output::line(output::table(["version", "used by", "origin", "created", "live runs"], rows));
    Ok(Exit::Done)
}

async fn show(context: &Context, args: &MethodShow) -> Outcome {
    let mut path = format!("/v1/methods/{}", segment(&args.name));
    if let Some(version) = args.version {
        path = format!("{path}/versions/{version}");
    }
    let answer = context.link().await?.send(Ask::get(path)).await?;
    if !context.json(&answer) {
        output::line(text(&answer, "text").trim_end());
    }
    Ok(Exit::Done)
}

async fn diff(context: &Context, args: &MethodDiff) -> Outcome {
    let ask = Ask::get(format!("/v1/methods/{}/diff", segment(&args.name)))
        .with("from", args.from)
        .with("to", args.to);
    let answer = context.link().await?.send(ask).await?;
    if context.json(&answer) {
        return Ok(Exit::Done);
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
    Ok(Exit::Done)
}

async fn publish(context: &Context, args: &MethodPublish) -> Outcome {
    let file = args.file.display().to_string();
    let method = read_text(&args.file, limits::METHOD_BYTES_MAX).map_err(|e| {
        ProblemDocument::new(422, "unreadable", format!("cannot read `{file}`: {e}"))
            .with_hint("name the file that contains the method")
    })?;
    let body = json!({"text": method, "file": file, "shadow": args.shadow});
    let answer = context.link().await?.send(Ask::post("/v1/methods", body)).await?;
    if context.json(&answer) {
        return Ok(Exit::Done);
    }
    let (name, version) = (text(&answer, "name"), &answer["version"]);
    let how = match (answer["new"] == true, answer["shadow"] == true) {
        (true, false) => "published; new runs use it",
        (true, true) => "published for shadow runs",
        (false, _) => "already exists; new runs use it",
    };
    output::line(format_args!("{name} version {version} {how}"));
    for warning in answer["warnings"].as_array().into_iter().flatten() {
        output::tell(format_args!("warning: {}", text(warning, "message")));
    }
    let callers: Vec<&str> =
        answer["callers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !callers.is_empty() {
        output::note(format_args!(
            "{} call it and keep using its earlier version; publish them, too",
            callers.join(", ")
        ));
    }
    Ok(Exit::Done)
}
