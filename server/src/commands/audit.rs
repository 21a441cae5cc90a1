//! `abide audit`: checks the ledger's hash chains, the receipts and the invariants.

use super::context::{CommandResult, Context};
use crate::api_request::ApiRequest;
use crate::cli::AuditArgs;
use crate::exit::Exit;
use crate::output;
use crate::output::progress::Progress;

/// Number of streams that one request checks. It takes a few seconds, so the bar moves.
const STREAMS_PER_REQUEST: u64 = 20_000;

pub(super) async fn run(context: &Context, args: AuditArgs) -> CommandResult {
    let link = context.link().await?;
    let mut scope = match (args.since_seal, args.resume) {
        (true, _) => "since_seal",
        (_, true) => "resume",
        _ => "everything",
    };
    let bar = if context.global.json { None } else { Some(Progress::for_items("audit")) };
    if let Some(bar) = &bar {
        bar.set_total(100);
    }
    let report = loop {
        let request = ApiRequest::get("/v1/audit")
            .query("scope", Some(scope))
            .query("streams", Some(STREAMS_PER_REQUEST));
        let report = link.send(request).await?;
        let Some(percent) = report["unfinished"]["percent"].as_u64() else { break report };
        if let Some(bar) = &bar {
            bar.set_done(percent);
        }
        scope = "resume";
    };
    if let Some(bar) = bar {
        bar.finish();
    }
    if !context.json(&report) {
        output::line(output::audit::page(&report));
    }
    let clean = report["breaches"].as_array().is_none_or(Vec::is_empty);
    Ok(if clean { Exit::Success } else { Exit::Failure })
}
