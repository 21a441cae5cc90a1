//! `abide audit`: checks the ledger's hash chains, the receipts and the invariants.

use super::context::{CommandResult, Context};
use crate::api_request::ApiRequest;
use crate::exit::Exit;
use crate::output;

pub(super) async fn run(context: &Context) -> CommandResult {
    let link = context.link().await?;
    let report = link.send(ApiRequest::get("/v1/audit")).await?;
    if !context.json(&report) {
        output::line(output::audit::page(&report));
    }
    let clean = report["breaches"].as_array().is_none_or(Vec::is_empty);
    Ok(if clean { Exit::Success } else { Exit::Failure })
}
