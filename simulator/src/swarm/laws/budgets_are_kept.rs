//! No month's budget is spent beyond its end: the provider has no more texts of a month than it allows.

use std::collections::BTreeMap;

use abide_engine::base::Timestamp;
use abide_engine::policy::Month;
use jiff::tz::TimeZone;

use super::history::BEGINS_WITHIN;
use crate::play::{Evidence, Exchange, Question};

pub(super) fn law(evidence: &Evidence) -> Vec<String> {
    let Some(budget) = evidence.settings.messages_per_month else { return Vec::new() };
    let changed = |entry: &crate::play::Entry| match &entry.what {
        Exchange::Asked(Question::Configure(changes)) => {
            let other = |name, own: serde_json::Value| changes.get(name).is_some_and(|v| *v != own);
            other("messages_per_month", budget.into())
                || other("time_zone", evidence.settings.time_zone.as_str().into())
        }
        _ => false,
    };
    // Behind a change nobody knows which budget held.
    let known = evidence.journal.iter().find(|entry| changed(entry)).map_or(usize::MAX, |e| e.sent);
    let zone = TimeZone::get(&evidence.settings.time_zone).unwrap_or(TimeZone::UTC);
    let mut months: BTreeMap<Timestamp, u64> = BTreeMap::new();
    for sent in evidence.sent.iter().filter(|sent| sent.nth < known) {
        let month = Month::of(sent.message.at, &zone);
        // One that left with the month's first second may have been let go in the month before.
        if sent.message.at > month.from + BEGINS_WITHIN {
            *months.entry(month.from).or_default() += 1;
        }
    }
    let over = months.into_iter().filter(|(_, sent)| *sent > budget);
    over.map(|(month, sent)| format!("{sent} of {budget} left in the month from {month}")).collect()
}
