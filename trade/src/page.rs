//! The pages of lists: how many rows they have, and where the next one begins.

use abide_engine::base::{Problem, Value};

use crate::cell;
use crate::data::StoredRow;
use crate::refusal;

/// Number of rows on a page, if the call gives no limit.
const PAGE_DEFAULT: i64 = 50;
/// Maximum number of rows on a page: a receipt and a variable hold the whole page.
const PAGE_MAX: i64 = 200;

/// Returns the number of rows on a page, from the member `limit` of the input.
pub(crate) fn limit(given: Option<&Value>) -> Result<i64, Problem> {
    let Some(value) = given else { return Ok(PAGE_DEFAULT) };
    let limit = cell::whole(value).map_err(|misfit| refusal::misfit("limit", &misfit))?;
    Ok(limit.clamp(1, PAGE_MAX))
}

/// Returns the refusal of a member `after` that no page gave as its `next`.
pub(crate) fn wrong_after() -> Problem {
    refusal::invalid("after", "is not the `next` of the page before")
}

/// Shortens rows to a page, and returns the `next` of the page. `rows` has one row more than the page if
/// there is another page.
pub(crate) fn cut(rows: &mut Vec<StoredRow>, limit: i64) -> Option<String> {
    let page = usize::try_from(limit).unwrap_or_default();
    let is_last = rows.len() <= page;
    rows.truncate(page);
    rows.last().filter(|_| !is_last).map(|last| last.id().to_owned())
}
