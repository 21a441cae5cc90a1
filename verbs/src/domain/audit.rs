//! Checks that the stored rows keep the rules of the church domain:
//! the rules about targets, offers, tallies, capacities and histories of requests.

use std::collections::BTreeMap;

use abide_engine::base::{Problem, RequestId};
use abide_engine::domain::Breach;
use abide_engine::store::{KeyRange, Tx};

use uuid::Uuid;

use crate::data;
use crate::data::audit::{DoubleBooking, RequestChange, RequestHead, TakenSeat, TallyCell};
use crate::data::capacity::CapacityMismatch;
use crate::request::{RequestCause, RequestStatus, Targets};

/// Number of requests that one transaction checks.
const REQUESTS_PER_PAGE: i64 = 200;

/// Returns the next range of requests to check.
pub(super) async fn range(tx: &mut Tx, first: Uuid) -> Result<KeyRange, Problem> {
    Ok(data::audit::request_range(tx, first, REQUESTS_PER_PAGE).await?)
}

/// Returns every breach of the church domain's rules by the requests of a range.
pub(super) async fn audit(tx: &mut Tx, range: KeyRange) -> Result<Vec<Breach>, Problem> {
    let changes = data::audit::changes(tx, range).await?;
    let heads = data::audit::heads(tx, range).await?;
    let mut breaches = histories(&changes, &heads);
    let targets: BTreeMap<(RequestId, i64), Targets> = changes
        .iter()
        .filter_map(|c| Some(((c.request, c.version), Targets::from_value(&c.targets).ok()?)))
        .collect();
    for taken in data::audit::seats(tx, range).await? {
        let known = targets.get(&(taken.request, taken.version));
        let target = known.map_or(0, |targets| targets.of(&taken.role));
        if taken.seat > target {
            let TakenSeat { request, person, role, seat, .. } = taken;
            breaches.push(breach(
                "accepted_over_target",
                format!("{request}: {person} took seat {seat} of {target} for `{role}`"),
            ));
        }
    }
    for (request, person) in data::audit::asked_twice(tx, range).await? {
        breaches.push(breach("two_open_offers", format!("{request}: {person}")));
    }
    for (request, person) in data::audit::invitation_mismatches(tx, range).await? {
        breaches.push(breach("invitation_without_offer", format!("{request}: {person}")));
    }
    for clash in data::audit::double_bookings(tx, range).await? {
        let DoubleBooking { person, first, second } = clash;
        breaches
            .push(breach("double_booked", format!("{person} serves in {first} and in {second}")));
    }
    let orphans = data::audit::orphan_offers(tx, range).await?;
    if orphans > 0 {
        breaches.push(breach("offer_of_ended_request", format!("{orphans} open offers")));
    }
    let counted = data::audit::recounted_tallies(tx, range).await?;
    let tallied = data::audit::stored_tallies(tx, range).await?;
    let seen_to = data::rebalance::all(tx).await?;
    let unseen: Vec<_> = heads.iter().filter(|head| !seen_to.contains(&head.request)).collect();
    breaches.extend(overfull(&unseen, &targets, &counted));
    breaches.extend(tallies(counted, tallied));
    Ok(breaches)
}

/// Returns every breach of the church domain's rules that is about no request.
pub(super) async fn rest(tx: &mut Tx) -> Result<Vec<Breach>, Problem> {
    let mut breaches = Vec::new();
    for (message, until) in data::audit::held_past_start(tx).await? {
        let detail =
            format!("{message} is held until {until}, but its offer or question started before");
        breaches.push(breach("held_while_time_runs", detail));
    }
    for mismatch in data::capacity::mismatches(tx).await? {
        let CapacityMismatch { tenant, key, used, held } = mismatch;
        let detail = format!("{tenant} `{key}`: {used} reserved, {held} held");
        breaches.push(breach("capacity_differs", detail));
    }
    Ok(breaches)
}

/// Returns a breach for each role in which a live request has more places taken than the role's target.
/// The caller must leave requests with an open rebalance out of `heads`,
/// because such requests may exceed their targets.
fn overfull(
    heads: &[&RequestHead],
    targets: &BTreeMap<(RequestId, i64), Targets>,
    counted: &[TallyCell],
) -> Vec<Breach> {
    let live: BTreeMap<RequestId, &Targets> = heads
        .iter()
        .filter(|head| RequestStatus::parse(&head.status).is_some_and(RequestStatus::is_live))
        .filter_map(|head| Some((head.request, targets.get(&(head.request, head.version))?)))
        .collect();
    let places = counted.iter().filter(|counted| !counted.cell.contains('#'));
    places
        .filter_map(|TallyCell { request, cell: role, counts: [_, taken, ..] }| {
            let target = live.get(request)?.of(role);
            let detail = format!("{request}: {taken} places of `{role}` are taken, of {target}");
            (*taken > target).then(|| breach("accepted_over_target", detail))
        })
        .collect()
}

/// Checks that each request's history has every version from 1, follows the state machine,
/// and ends in the stored status and version of the request.
fn histories(changes: &[RequestChange], heads: &[RequestHead]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let mut last: BTreeMap<RequestId, &RequestChange> = BTreeMap::new();
    for change in changes {
        let before = last.insert(change.request, change);
        let (was, version) = match before {
            Some(before) => (Some(before.became.as_str()), before.version),
            None => (None, 0),
        };
        if change.version != version + 1 || change.was.as_deref() != was {
            breaches.push(breach(
                "history_broken",
                format!("{}: version {} does not follow {version}", change.request, change.version),
            ));
        }
        if !legal(change) {
            breaches.push(breach(
                "illegal_transition",
                format!(
                    "{}: `{}` took `{}` and became `{}`",
                    change.request,
                    change.was.as_deref().unwrap_or("none"),
                    change.cause,
                    change.became
                ),
            ));
        }
    }
    for RequestHead { request, status, version } in heads {
        let known = last.get(request).map(|change| (change.became.as_str(), change.version));
        if known != Some((status.as_str(), *version)) {
            breaches.push(breach(
                "history_differs",
                format!("{request}: `{status}` at version {version}, its history says {known:?}"),
            ));
        }
    }
    breaches
}

fn legal(change: &RequestChange) -> bool {
    let (Some(cause), Some(became)) =
        (RequestCause::parse(&change.cause), RequestStatus::parse(&change.became))
    else {
        return false;
    };
    let was = change.was.as_deref().map_or(Some(RequestStatus::Draft), RequestStatus::parse);
    was.is_some_and(|was| was.after(cause) == Ok(became))
}

/// Returns a breach for each stored tally that differs from the recounted tally.
/// A missing tally counts as a tally of zeros.
fn tallies(counted: Vec<TallyCell>, tallied: Vec<TallyCell>) -> Vec<Breach> {
    let mut cells: BTreeMap<(RequestId, String), ([i64; 4], [i64; 4])> = BTreeMap::new();
    for TallyCell { request, cell, counts } in counted {
        cells.entry((request, cell)).or_default().0 = counts;
    }
    for TallyCell { request, cell, counts } in tallied {
        cells.entry((request, cell)).or_default().1 = counts;
    }
    cells
        .into_iter()
        .filter(|(_, (counted, tallied))| counted != tallied)
        .map(|((request, cell), (counted, tallied))| {
            let detail = format!(
                "{request} `{cell}`: counted {counted:?}, tallied {tallied:?} (open, yes, no, gone)"
            );
            breach("tally_differs", detail)
        })
        .collect()
}

fn breach(rule: &str, detail: String) -> Breach {
    Breach { rule: rule.to_owned(), detail }
}

#[cfg(test)]
mod tests {
    use abide_engine::base::{Timestamp, TypedId};
    use serde_json::json;

    use super::*;

    fn request(n: u128) -> RequestId {
        RequestId::from_uuid(uuid::Uuid::from_u128(n))
    }

    fn change(version: i64, was: Option<&str>, cause: &str, became: &str) -> RequestChange {
        RequestChange {
            request: request(1),
            version,
            was: was.map(ToOwned::to_owned),
            cause: cause.to_owned(),
            became: became.to_owned(),
            targets: json!({}),
            changed_at: Timestamp::EPOCH,
        }
    }

    fn rules(changes: &[RequestChange], status: &str, version: i64) -> Vec<String> {
        let heads = [RequestHead { request: request(1), status: status.to_owned(), version }];
        histories(changes, &heads).into_iter().map(|breach| breach.rule).collect()
    }

    #[test]
    fn a_true_history_passes_and_every_forgery_is_named() {
        let opened = change(1, None, "open", "open");
        let filled = change(2, Some("open"), "count:all", "filled");
        assert_eq!(rules(&[opened.clone(), filled.clone()], "filled", 2), [] as [&str; 0]);
        assert_eq!(rules(&[opened.clone(), filled.clone()], "open", 2), ["history_differs"]);
        let gap = change(3, Some("open"), "count:all", "filled");
        assert_eq!(rules(&[opened.clone(), gap], "filled", 3), ["history_broken"]);
        let forged = change(2, Some("open"), "count:some", "filled");
        assert_eq!(rules(&[opened.clone(), forged], "filled", 2), ["illegal_transition"]);
        let after_the_end = [
            opened,
            change(2, Some("open"), "cancel", "cancelled"),
            change(3, Some("cancelled"), "count:all", "filled"),
        ];
        assert_eq!(rules(&after_the_end, "filled", 3), ["illegal_transition"]);
    }

    #[test]
    fn a_tally_that_was_not_recounted_is_named() {
        let cell = |counts| TallyCell { request: request(1), cell: "nursery".to_owned(), counts };
        assert!(tallies(vec![cell([0, 2, 0, 0])], vec![cell([0, 2, 0, 0])]).is_empty());
        assert!(tallies(Vec::new(), vec![cell([0, 0, 0, 0])]).is_empty());
        assert_eq!(tallies(vec![cell([0, 2, 0, 0])], vec![cell([0, 1, 0, 0])]).len(), 1);
        assert_eq!(tallies(vec![cell([0, 2, 0, 0])], Vec::new()).len(), 1);
    }
}
