//! Law: the budget is kept. The provider accepts no more messages in a month
//! than the tenant's budget allows.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::{MessageId, Timestamp};
use abide_engine::policy::{self, Month};

use super::history::{BEGINS_WITHIN, instant};
use crate::play::{EngineCommand, Exchange, TenantEvidence};

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let Some(budget) = evidence.settings.messages_per_month else { return Vec::new() };
    let changed = |entry: &crate::play::JournalEntry| match &entry.what {
        Exchange::CommandSent(EngineCommand::Configure(changes)) => {
            let other = |name, own: serde_json::Value| changes.get(name).is_some_and(|v| *v != own);
            other("messages_per_month", budget.into())
                || other("time_zone", evidence.settings.time_zone.as_str().into())
        }
        _ => false,
    };
    // After a change of the budget or the time zone, it is not known which budget applied to a message.
    // So only messages before the first such change are counted.
    let known = evidence.journal.iter().find(|entry| changed(entry)).map_or(usize::MAX, |e| e.sent);
    let tried_again = evidence.messages.iter().filter(|message| message.attempts > Some(1));
    let again: BTreeMap<MessageId, Timestamp> = tried_again
        .filter_map(|message| Some((message.id, instant(Some(&message.created_at))?)))
        .collect();
    let is_free = |kind: &String| !policy::budget::counts(kind);
    let free =
        evidence.messages.iter().filter(|message| message.kind.as_ref().is_some_and(is_free));
    let free: BTreeSet<MessageId> = free.map(|message| message.id).collect();
    let zone = evidence.settings.zone();
    let mut months: BTreeMap<Timestamp, u64> = BTreeMap::new();
    for sent in
        evidence.sent.iter().filter(|sent| sent.nth < known && !free.contains(&sent.message.id))
    {
        let month = Month::of(sent.message.at, &zone);
        // A message that is sent in the first second of a month may have been released,
        // and counted, in the month before. The same is true of a message that was created in
        // the month before and is sent by a later attempt. Such messages are not counted here.
        let paid_before = again.get(&sent.message.id).is_some_and(|made| *made < month.from);
        if sent.message.at > month.from + BEGINS_WITHIN && !paid_before {
            *months.entry(month.from).or_default() += 1;
        }
    }
    let over = months.into_iter().filter(|(_, sent)| *sent > budget);
    over.map(|(month, sent)| format!("{sent} of {budget} sent in the month from {month}")).collect()
}
