//! Shows what a shadow run would do.

use serde_json::Value;

use super::super::context::Context;
use crate::api_request::{ApiRequest, path_segment};
use crate::link::Link;
use crate::output;
use crate::output::members::{items, text};
use crate::output::preview::Preview;
use crate::problem::ProblemDocument;

/// Number of items per request.
const PAGE: usize = 500;
/// Maximum number of requests for one list. No shadow run records more than they return.
const PAGES_MAX: usize = 20;

/// Reads what a shadow run would do.
pub(super) async fn read(link: &Link, run: Value) -> Result<Preview, ProblemDocument> {
    let path = format!("/v1/runs/{}", path_segment(text(&run, "id")));
    let events = all(link, &format!("{path}/events")).await?;
    let receipts = all(link, &format!("{path}/receipts")).await?;
    let mut messages = all(link, &format!("{path}/messages")).await?;
    messages.reverse();
    Ok(Preview { run, events, messages, receipts })
}

/// Prints what a shadow run would do.
pub(super) async fn print(context: &Context, link: &Link, preview: &Preview) {
    if !context.json(&preview.to_json()) {
        output::line(preview.page(&context.time_format(link).await));
    }
}

async fn all(link: &Link, path: &str) -> Result<Vec<Value>, ProblemDocument> {
    let (mut found, mut cursor) = (Vec::new(), None::<String>);
    for _ in 0..PAGES_MAX {
        let request = ApiRequest::get(path).query("limit", Some(PAGE)).query("cursor", cursor);
        let page = link.send(request).await?;
        found.extend(items(&page).iter().cloned());
        cursor = page["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    Ok(found)
}
