//! The order in which people are asked who may be asked alike.
//!
//! It only sorts people whom others have found: it adds nobody and leaves nobody out.

use std::cmp::Reverse;

use abide_engine::base::{PersonId, Problem};
use abide_engine::policy::AskOrder;
use abide_engine::response::TYPICAL_RATE;
use abide_engine::store::Tx;
use abide_engine::verb::CallContext;

use crate::data::response;

/// Number of people, the first ones, who are sorted by how they answer: those who are asked first, if not all are.
const SORTED_MAX: usize = 500;
/// Number of people whose histories one statement reads.
const PAGE_PEOPLE: usize = 100;
/// People who last took a place on the same day (UTC) have rested alike.
const DAY_MICROS: i64 = 86_400 * 1_000_000;
/// Rates are compared in whole percent, so that people who answer alike keep their order.
const PERCENT: f64 = 100.0;

/// Returns how many people must be found, at least, for [`sort`] to choose the first of them.
#[must_use]
pub fn sorted(cx: &CallContext<'_>) -> i64 {
    match cx.settings.ask_order {
        AskOrder::Rested => 0,
        AskOrder::Likely => SORTED_MAX as i64,
    }
}

/// Sorts people, who come in the order in which they took their last place. With `ask_order: likely`, those who last
/// took a place on the same day, and those who never did, are sorted by the probability that they answer; the sort
/// is stable. With another setting, nothing changes.
///
/// # Errors
/// Errors from the store.
pub async fn sort(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    found: &mut [PersonId],
) -> Result<(), Problem> {
    if cx.settings.ask_order != AskOrder::Likely {
        return Ok(());
    }
    let sorted = found.len().min(SORTED_MAX);
    let Some(first) = found.get_mut(..sorted) else { return Ok(()) };
    let expected = response::of_all(tx, cx.tenant, cx.now).await?.rate(TYPICAL_RATE);
    let placed = response::placed_at(tx, first).await?;
    let mut keyed = Vec::with_capacity(first.len());
    for page in first.chunks(PAGE_PEOPLE) {
        let histories = response::of_people(tx, cx.tenant, page, cx.now).await?;
        for person in page {
            let rate = histories.get(person).map_or(expected, |history| history.rate(expected));
            let rested_since =
                placed.get(person).map_or(0, |at| at.micros().div_euclid(DAY_MICROS));
            keyed.push(AskRank { rested_since, percent: Reverse((rate * PERCENT).round() as i64) });
        }
    }
    let mut ranked: Vec<(AskRank, PersonId)> =
        keyed.into_iter().zip(first.iter().copied()).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    for (place, (_, person)) in first.iter_mut().zip(ranked) {
        *place = person;
    }
    Ok(())
}

/// What decides who is asked first, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct AskRank {
    /// The day of the last place; 0 for never.
    rested_since: i64,
    /// The probability of an answer.
    percent: Reverse<i64>,
}
