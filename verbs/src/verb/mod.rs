//! The verbs with which methods find volunteers, one file each. The contracts of the verbs are in
//! `contracts/verbs.yaml`. The engine checks every call and every result against the verb's contract.

mod args;
mod ask;
mod assign;
mod broadcast;
mod fetch_kb;
mod make_offers;
mod notify;
mod reserve;
mod schedule;
mod search_people;
mod unassign;
mod update_record;
mod wait_for_replies;

use std::sync::Arc;

use abide_engine::verb::{Verb, Verbs};

/// Returns the implementations of all verbs of the church domain, by name.
#[must_use]
pub fn all() -> Verbs {
    Verbs::new()
        .with("search_people", Verb::Write(Arc::new(search_people::SearchPeople)))
        .with("make_offers", Verb::Write(Arc::new(make_offers::MakeOffers)))
        .with("wait_for_replies", Verb::Wait(Arc::new(wait_for_replies::WaitForReplies)))
        .with("assign", Verb::Write(Arc::new(assign::Assign)))
        .with("unassign", Verb::Write(Arc::new(unassign::Unassign)))
        .with("ask", Verb::Write(Arc::new(ask::AskVerb)))
        .with("update_record", Verb::Write(Arc::new(update_record::UpdateRecord)))
        .with("fetch_kb", Verb::Write(Arc::new(fetch_kb::FetchKb)))
        .with("reserve", Verb::Write(Arc::new(reserve::Reserve)))
        .with("schedule", Verb::Write(Arc::new(schedule::Schedule)))
        .with("broadcast", Verb::Write(Arc::new(broadcast::Broadcast)))
        .with("notify", Verb::Write(Arc::new(notify::Notify)))
}

#[cfg(test)]
mod tests {
    use abide_engine::contract::Contracts;

    use super::*;

    /// Checks that each contract has an implementation that fits its effect. If a verb had a contract
    /// but no implementation, methods that call the verb would have no lint findings,
    /// but no process could continue their runs.
    #[test]
    fn every_contract_has_code_of_its_kind() {
        let text = include_str!("../../../contracts/verbs.yaml");
        let (contracts, findings) = Contracts::load(text, "contracts/verbs.yaml");
        assert_eq!(findings, []);
        assert_eq!(all().check(&contracts).err(), None);
    }
}
