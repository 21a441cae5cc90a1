//! `abide capacity`: the capacity of resources that runs can reserve.

use serde_json::json;

use super::{Context, Outcome};
use crate::ask::{Ask, segment};
use crate::cli::{CapacityCommand, CapacitySet};
use crate::exit::Exit;
use crate::output;
use crate::output::view::{items, text};

pub(super) async fn run(context: &Context, command: CapacityCommand) -> Outcome {
    match command {
        CapacityCommand::List => list(context).await,
        CapacityCommand::Set(wanted) => set(context, &wanted).await,
    }
}

async fn list(context: &Context) -> Outcome {
    let answer = context.link().await?.send(Ask::get("/v1/capacities")).await?;
    if context.json(&answer) {
        return Ok(Exit::Done);
    }
    let capacities = items(&answer);
    if capacities.is_empty() {
        output::note("no resources yet: add one with `abide capacity set KEY TOTAL`");
        return Ok(Exit::Done);
    }
    let rows = capacities.iter().map(|one| {
        let number = |name: &str| one[name].to_string();
        [text(one, "key").to_owned(), number("total"), number("used"), number("free")]
    });
    output::line(output::table(["key", "total", "used", "free"], rows));
    Ok(Exit::Done)
}

async fn set(context: &Context, CapacitySet { key, total }: &CapacitySet) -> Outcome {
    let ask = Ask::put(format!("/v1/capacities/{}", segment(key)), json!({"total": total}));
    let capacity = context.link().await?.send(ask).await?;
    if !context.json(&capacity) {
        output::line(format_args!("{key}: {} of {total} free", capacity["free"]));
    }
    Ok(Exit::Done)
}
