//! `abide token`: creates, lists and revokes the tokens with which clients call the API.

use abide_engine::base::Timestamp;
use serde_json::{Value, json};

use super::context::{CommandResult, Context};
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{TokenCommand, TokenCreateArgs, TokenListArgs, TokenRevokeArgs};
use crate::exit::Exit;
use crate::output;
use crate::output::members::{items, member, text};
use crate::output::times::TimeFormat;

pub(super) async fn run(context: &Context, command: TokenCommand) -> CommandResult {
    match command {
        TokenCommand::Create(wanted) => create(context, wanted).await,
        TokenCommand::List(TokenListArgs { limit }) => list(context, limit).await,
        TokenCommand::Revoke(TokenRevokeArgs { id }) => {
            let request = ApiRequest::delete(format!("/v1/tokens/{}", path_segment(&id)));
            let revoked = context.link().await?.send(request).await?;
            if !context.json(&revoked) {
                output::line(format_args!("{} revoked", text(&revoked, "id")));
            }
            Ok(Exit::Success)
        }
    }
}

/// Prints only the secret to stdout, so that a script can store it in a variable.
async fn create(context: &Context, args: TokenCreateArgs) -> CommandResult {
    let mut body = json!({"role": args.role});
    for (name, value) in [("label", args.label), ("expires", args.expires)] {
        if let Some(value) = value {
            body[name] = value.into();
        }
    }
    let link = context.link().await?;
    let created = link.send(ApiRequest::post("/v1/tokens", body)).await?;
    if !context.json(&created) {
        output::line(text(&created, "token"));
        let expires = expiry(&created, &context.time_format(&link).await);
        output::note(format_args!(
            "{}: {} of the tenant `{}`, expires {expires}; the secret is not shown again",
            text(&created, "id"),
            text(&created, "role"),
            text(&created, "tenant"),
        ));
    }
    Ok(Exit::Success)
}

async fn list(context: &Context, limit: usize) -> CommandResult {
    let link = context.link().await?;
    let answer = link.send(ApiRequest::get("/v1/tokens").query("limit", Some(limit))).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let times = context.time_format(&link).await;
    let now = link.now().await;
    let rows = items(&answer).iter().map(|one| {
        [
            text(one, "id").to_owned(),
            text(one, "role").to_owned(),
            state(one, now).to_owned(),
            text(one, "label").to_owned(),
            times.local(text(one, "created_at")),
            expiry(one, &times),
            used(one, &times),
        ]
    });
    if items(&answer).is_empty() {
        output::note("no tokens");
    } else {
        output::line(output::table(
            ["token", "role", "state", "label", "created", "expires", "last used"],
            rows,
        ));
    }
    output::note_more(&answer, limit);
    Ok(Exit::Success)
}

/// Describes the state of a token: `valid`, `expired` or `revoked`.
fn state(token: &Value, now: Timestamp) -> &'static str {
    let expires_at = text(token, "expires_at").parse::<Timestamp>();
    if member(token, "revoked_at").is_some() {
        "revoked"
    } else if expires_at.is_ok_and(|at| at <= now) {
        "expired"
    } else {
        "valid"
    }
}

fn used(token: &Value, times: &TimeFormat) -> String {
    match text(token, "last_used_at") {
        "" => "never".to_owned(),
        at => times.local(at),
    }
}

fn expiry(token: &Value, times: &TimeFormat) -> String {
    match text(token, "expires_at") {
        "" => "never".to_owned(),
        at => times.local(at),
    }
}
