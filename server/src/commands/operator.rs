//! `abide operator`: a message becomes a plan, and perhaps a run of it.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::context::{CommandResult, Context};
use super::json_option::parse_json_or_file;
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{OperatorArgs, OperatorCommand, RollbackArgs};
use crate::exit::Exit;
use crate::link::Link;
use crate::output;
use crate::output::members::{list, text};
use crate::problem::ProblemDocument;

/// How often the receipts of a plan are looked for.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(200);
/// The modes that `:mode` takes.
const MODES: [&str; 5] = ["analyze", "plan", "enqueue", "enqueue_and_wait", "execute"];
/// What `:help` and an unknown command say.
const COMMANDS: &str = ":mode MODE, :approve, :quit; anything else is a message";

pub(super) async fn run(context: &Context, args: OperatorArgs) -> CommandResult {
    if let Some(OperatorCommand::Rollback(args)) = args.command {
        return roll_back(context, args).await;
    }
    let terms = Terms {
        mode: args.mode,
        approve: args.approve,
        context: args.context.as_deref().map(read_context).transpose()?,
        session: args.session,
        key: args.key,
        follow: args.follow,
        wait: args.wait.to_string(),
    };
    let message = args.message.unwrap_or_else(|| args.words.join(" "));
    let interactive = args.interactive;
    context
        .with_lasting_link(async |link| match interactive {
            true => converse(context, link, terms).await,
            false => send(context, link, &terms, &message).await,
        })
        .await
}

/// Makes up for what a plan has done.
async fn roll_back(context: &Context, args: RollbackArgs) -> CommandResult {
    let path = format!("/v1/operator/{}/rollback", path_segment(&args.plan));
    let request = ApiRequest::post(path, json!({ "explicit_approval": args.approve }));
    let mode = if args.approve { "execute" } else { "analyze" };
    context
        .with_lasting_link(async |link| {
            let answer = link.send(request).await?;
            if !context.json(&answer) {
                output::line(text(&answer, "text").trim_end());
            }
            Ok(exit_of(&answer, mode))
        })
        .await
}

/// How a message is sent.
struct Terms {
    mode: String,
    approve: bool,
    context: Option<Map<String, Value>>,
    session: Option<String>,
    key: Option<String>,
    follow: bool,
    wait: String,
}

/// Reads a context: JSON, or a file with JSON.
fn read_context(option: &str) -> Result<Map<String, Value>, ProblemDocument> {
    match parse_json_or_file("--context", option)? {
        Value::Object(members) => Ok(members),
        _ => Err(ProblemDocument::schema("`--context` is not a JSON object")),
    }
}

/// Sends one message, and prints the answer.
async fn send(context: &Context, link: &Link, terms: &Terms, message: &str) -> CommandResult {
    let follows = terms.follow && matches!(&*terms.mode, "execute" | "enqueue_and_wait");
    let mode = if follows { "enqueue" } else { &terms.mode };
    let mut body = json!({ "message": message, "mode": mode });
    if terms.approve {
        body["explicit_approval"] = true.into();
    }
    if let Some(known) = &terms.context {
        body["context"] = Value::Object(known.clone());
    }
    if let Some(session) = &terms.session {
        body["session"] = session.as_str().into();
    }
    let request = ApiRequest::post("/v1/operator", body)
        .query("wait", Some(terms.wait.clone()))
        .with_key(terms.key.clone());
    let mut answer = link.send(request).await?;
    if follows && answer.get("run_id").is_some() {
        answer = follow(link, &answer).await?;
    }
    if !context.json(&answer) {
        output::line(text(&answer, "text").trim_end());
    }
    Ok(exit_of(&answer, &terms.mode))
}

/// Prints the receipts of a plan as they come. Returns the answer once the plan has ended, or waits for an approval.
async fn follow(link: &Link, first: &Value) -> Result<Value, ProblemDocument> {
    let plan = text(&first["plan"], "plan_id").to_owned();
    let mut printed = 0;
    let mut looks = tokio::time::interval(FOLLOW_INTERVAL);
    loop {
        looks.tick().await;
        let path = format!("/v1/operator/{}", path_segment(&plan));
        let answer = link.send(ApiRequest::get(path)).await?;
        let receipts = list(&answer, "receipts");
        for receipt in receipts.iter().skip(printed) {
            let line = format!("{}: {}", text(receipt, "tool"), text(receipt, "status"));
            output::note(&line);
        }
        printed = receipts.len();
        let has_ended = answer["has_ended"].as_bool().unwrap_or(false);
        if has_ended || answer.get("approval_id").is_some() {
            return Ok(answer);
        }
    }
}

/// Reads messages and commands until the input ends.
async fn converse(context: &Context, link: &Link, mut terms: Terms) -> CommandResult {
    let session = terms.session.clone();
    terms.session = Some(session.unwrap_or_else(|| format!("cli-{}", std::process::id())));
    let is_shown = std::io::stdin().is_terminal() && !context.global.quiet;
    let mut exit = Exit::Success;
    let mut line = String::new();
    loop {
        if is_shown {
            let mut stderr = std::io::stderr().lock();
            let _ = write!(stderr, "operator> ").and_then(|()| stderr.flush());
        }
        line.clear();
        if std::io::stdin().lock().read_line(&mut line).unwrap_or(0) == 0 {
            return Ok(exit);
        }
        match line.trim() {
            "" => {}
            ":quit" | ":q" => return Ok(exit),
            ":approve" => {
                terms.approve = true;
                output::note("Approval flag: true");
            }
            command if command.starts_with(':') => set(&mut terms, command),
            message => {
                match send(context, link, &terms, message).await {
                    Ok(_) => {}
                    Err(problem) => {
                        context.print_problem(&problem);
                        exit = Exit::Failure;
                    }
                }
                terms.approve = false; // an approval is for the next message alone
            }
        }
    }
}

/// Obeys a command of the conversation.
fn set(terms: &mut Terms, command: &str) {
    let mode = command.strip_prefix(":mode").map(str::trim);
    match mode.and_then(|mode| MODES.iter().find(|known| **known == mode)) {
        Some(mode) => {
            terms.mode = (*mode).to_owned();
            output::note(format!("Mode set to: {mode}"));
        }
        None if mode.is_some() => output::note(format!("the modes are {}", MODES.join(", "))),
        None => output::note(COMMANDS),
    }
}

fn exit_of(answer: &Value, mode: &str) -> Exit {
    if answer.get("approval_id").is_some() {
        return Exit::ApprovalNeeded;
    }
    let runs = !matches!(mode, "analyze" | "plan");
    let succeeded = |receipt: &Value| matches!(text(receipt, "status"), "succeeded" | "shadowed");
    let ran = answer.get("run_id").is_some();
    let failed = list(answer, "receipts").iter().any(|receipt| !succeeded(receipt));
    match runs && (!ran || failed) {
        true => Exit::Failure,
        false => Exit::Success,
    }
}
