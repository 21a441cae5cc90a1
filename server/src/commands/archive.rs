//! `abide archive`: moves old rows out of the database into a file.

use serde_json::json;

use super::context::{CommandResult, Context};
use crate::api_request::ApiRequest;
use crate::cli::ArchiveArgs;
use crate::exit::Exit;
use crate::output;

pub(super) async fn run(context: &Context, args: ArchiveArgs) -> CommandResult {
    let link = match &args.to {
        Some(folder) => context.link_with_archives(folder).await?,
        None => context.link().await?,
    };
    let mut body = json!({});
    if let Some(before) = args.before {
        body["before"] = before.into();
    }
    let report = link.send(ApiRequest::post("/v1/archives", body)).await?;
    if !context.json(&report) {
        output::line(output::archive::page(&report));
    }
    Ok(Exit::Success)
}
