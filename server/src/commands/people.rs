//! `abide people`: the people in the directory.

use serde_json::Value;

use super::context::{CommandResult, Context};
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{PeopleCommand, PeopleListArgs, PeopleShowArgs};
use crate::exit::Exit;
use crate::link::Link;
use crate::output;
use crate::output::members::{items, text};
use crate::problem::ProblemDocument;

pub(super) async fn run(context: &Context, command: PeopleCommand) -> CommandResult {
    match command {
        PeopleCommand::List(wanted) => list(context, wanted).await,
        PeopleCommand::Show(PeopleShowArgs { who }) => show(context, &who).await,
    }
}

async fn list(context: &Context, wanted: PeopleListArgs) -> CommandResult {
    let PeopleListArgs { role, campus, q, limit } = wanted;
    let request = ApiRequest::get("/v1/people")
        .query("role", role)
        .query("campus", campus)
        .query("q", q)
        .query("limit", Some(limit));
    let answer = context.link().await?.send(request).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    match items(&answer) {
        [] => output::note("no people"),
        people => output::line(output::person::list(people)),
    }
    output::note_more(&answer, limit);
    Ok(Exit::Success)
}

async fn show(context: &Context, who: &str) -> CommandResult {
    let person = find(&context.link().await?, who).await?;
    if !context.json(&person) {
        output::line(output::person::page(&person));
    }
    Ok(Exit::Success)
}

/// Finds a person by their id, or by a phone number that no other person shares.
///
/// # Errors
/// `person_unknown` if there is no such person, `phone_shared` if several people have the number.
pub(super) async fn find(link: &Link, who: &str) -> Result<Value, ProblemDocument> {
    match who.starts_with("per_") {
        true => link.send(ApiRequest::get(format!("/v1/people/{}", path_segment(who)))).await,
        false => by_phone(link, who).await,
    }
}

/// Finds the person with a phone number that no other person shares.
///
/// # Errors
/// `person_unknown` if no one has the number, `phone_shared` if several people have it.
async fn by_phone(link: &Link, phone: &str) -> Result<Value, ProblemDocument> {
    let answer = link.send(ApiRequest::get("/v1/people").query("phone", Some(phone))).await?;
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
