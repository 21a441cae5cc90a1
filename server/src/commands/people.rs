//! `abide people`: the people in the directory.

use serde_json::Value;

use super::{Context, Outcome};
use crate::ask::{Ask, segment};
use crate::cli::{PeopleCommand, PeopleList, PeopleShow};
use crate::exit::Exit;
use crate::link::Link;
use crate::output;
use crate::output::view::{items, text};
use crate::problem::ProblemDocument;

pub(super) async fn run(context: &Context, command: PeopleCommand) -> Outcome {
    match command {
        PeopleCommand::List(wanted) => list(context, wanted).await,
        PeopleCommand::Show(PeopleShow { who }) => show(context, &who).await,
    }
}

async fn list(context: &Context, wanted: PeopleList) -> Outcome {
    let PeopleList { role, campus, q, limit } = wanted;
    let ask = Ask::get("/v1/people")
        .with("role", role)
        .with("campus", campus)
        .with("q", q)
        .with("limit", Some(limit));
    let answer = context.link().await?.send(ask).await?;
    if context.json(&answer) {
        return Ok(Exit::Done);
    }
    match items(&answer) {
        [] => output::note("no people"),
        people => output::line(output::person::list(people)),
    }
    if answer.get("next_cursor").is_some() {
        output::note(format_args!("(more exist: raise `--limit {limit}`)"));
    }
    Ok(Exit::Done)
}

async fn show(context: &Context, who: &str) -> Outcome {
    let link = context.link().await?;
    let person = match who.starts_with("per_") {
        true => link.send(Ask::get(format!("/v1/people/{}", segment(who)))).await?,
        false => at_number(&link, who).await?,
    };
    if !context.json(&person) {
        output::line(output::person::page(&person));
    }
    Ok(Exit::Done)
}

/// Finds the only person with a phone number.
///
/// # Errors
/// `person_unknown` if no one has it, `phone_shared` if several people do.
async fn at_number(link: &Link, phone: &str) -> Result<Value, ProblemDocument> {
    let answer = link.send(Ask::get("/v1/people").with("phone", Some(phone))).await?;
    match items(&answer) {
        [only] => Ok(only.clone()),
        [] => {
            let detail = format!("no person has the phone number {phone}");
            Err(ProblemDocument::new(404, "person_unknown", detail)
                .with_hint("find the person with `abide people list`"))
        }
        several => {
            let named = |one: &Value| format!("{} ({})", text(one, "name"), text(one, "id"));
            let named: Vec<String> = several.iter().map(named).collect();
            let detail = format!("several people share {phone}: {}", named.join(", "));
            Err(ProblemDocument::new(409, "phone_shared", detail)
                .with_hint("use the id of the person"))
        }
    }
}
