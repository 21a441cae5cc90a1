//! `abide capacity`: the capacity of resources that runs can reserve.

use serde_json::json;

use super::context::{CommandResult, Context};
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{CapacityCommand, CapacitySetArgs};
use crate::exit::Exit;
use crate::output;
use crate::output::members::{items, text};

pub(super) async fn run(context: &Context, command: CapacityCommand) -> CommandResult {
    match command {
        CapacityCommand::List => list(context).await,
        CapacityCommand::Set(wanted) => set(context, &wanted).await,
    }
}

async fn list(context: &Context) -> CommandResult {
    let answer = context.link().await?.send(ApiRequest::get("/v1/capacities")).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let capacities = items(&answer);
    if capacities.is_empty() {
        output::note("no resources yet: add one with `abide capacity set KEY TOTAL`");
        return Ok(Exit::Success);
    }
    let rows = capacities.iter().map(|one| {
        let number = |name: &str| one[name].to_string();
        [text(one, "key").to_owned(), number("total"), number("used"), number("free")]
    });
    output::line(output::table(["key", "total", "used", "free"], rows));
    Ok(Exit::Success)
}

async fn set(context: &Context, CapacitySetArgs { key, total }: &CapacitySetArgs) -> CommandResult {
    let request =
        ApiRequest::put(format!("/v1/capacities/{}", path_segment(key)), json!({"total": total}));
    let capacity = context.link().await?.send(request).await?;
    if !context.json(&capacity) {
        output::line(format_args!("{key}: {} of {total} free", capacity["free"]));
    }
    Ok(Exit::Success)
}
