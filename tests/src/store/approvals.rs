//! Approvals: stored once, ended once, and seen by their own tenant alone.

use abide_engine::base::{ApprovalId, CallId, Digest, RunId, Timestamp};
use abide_engine::contract::Approvers;
use abide_engine::run::{ApprovalScope, ApprovalVote};
use abide_engine::store::{ApprovalEnd, ApprovalFilter, ApprovalRow, ApprovalState};
use serde_json::json;

use super::support::{Opened, START, TENANT, law, tx};
use crate::postgres::TestDb;

fn row(store: &Opened) -> ApprovalRow {
    let (run, call): (RunId, CallId) = (store.ids.mint(START), store.ids.mint(START));
    ApprovalRow {
        id: store.ids.mint(START),
        tenant: TENANT.to_owned(),
        correlation: None,
        run,
        call,
        step_id: "last_call".to_owned(),
        tool: "broadcast".to_owned(),
        scope: ApprovalScope::Call,
        risk: "T3".to_owned(),
        input: Digest::of(b"input"),
        reason: "26 people are many".to_owned(),
        shows: json!({ "what": "text 26 people" }),
        approvers: vec![Approvers { role: "supervisor".to_owned(), n: 2 }],
        votes: Vec::new(),
        state: ApprovalState::Pending,
        asked_at: START,
        expires_at: Timestamp::from_micros(START.micros() + 1),
        decided_at: None,
        decided_by: None,
        note: None,
    }
}

async fn insert(store: &Opened, row: &ApprovalRow) {
    let row = row.clone();
    tx!(store.write, [row], |tx| tx.insert_approval(&row).await?).await.expect("stored");
}

async fn find(store: &Opened, tenant: &'static str, id: ApprovalId) -> Option<ApprovalRow> {
    tx!(store.read, |tx| tx.approval(tenant, id).await?).await.expect("read")
}

law!(of_two_votes_at_one_time_one_is_repeated, async |_: &TestDb, store: Opened| {
    let asked = row(&store);
    insert(&store, &asked).await;
    let vote = |name: &str| ApprovalVote {
        by: name.to_owned(),
        name: name.to_owned(),
        role: "supervisor".to_owned(),
        at: START.to_string(),
    };
    let add = async |read: &ApprovalRow, vote: ApprovalVote| {
        let read = read.clone();
        tx!(store.write, [read, vote], |tx| tx.add_approval_vote(&read, &vote).await?).await
    };
    assert_eq!(add(&asked, vote("ruth")).await, Ok(true));
    assert_eq!(add(&asked, vote("sam")).await, Ok(false), "it has changed since it was read");
    let read = find(&store, TENANT, asked.id).await.expect("an approval");
    assert_eq!(read.turn().map(|turn| (turn.role, turn.missing)), Some(("supervisor", 1)));
    assert_eq!(add(&read, vote("sam")).await, Ok(true));
    let read = find(&store, TENANT, asked.id).await.expect("an approval");
    assert_eq!((read.turn(), read.deciding_role(), read.votes.len()), (None, "supervisor", 2));
});

law!(an_approval_ends_once_and_is_seen_by_its_tenant_alone, async |_: &TestDb, store: Opened| {
    let asked = row(&store);
    insert(&store, &asked).await;
    assert_eq!(find(&store, TENANT, asked.id).await, Some(asked.clone()));
    assert_eq!(find(&store, "another", asked.id).await, None);

    let (id, note) = (asked.id, Some("as agreed"));
    let awaits = async || tx!(store.read, |tx| tx.awaits_decision(id).await?).await.expect("read");
    assert!(awaits().await);
    let end = |state| ApprovalEnd { state, at: START, by: Some("Ruth"), note };
    for (state, ended) in [(ApprovalState::Approved, true), (ApprovalState::Denied, false)] {
        let end = end(state);
        let did = tx!(store.write, |tx| tx.end_approval(id, end).await?).await.expect("written");
        assert_eq!(did, ended, "{state}");
        assert!(!awaits().await, "{state}");
    }
    let found = find(&store, TENANT, id).await.expect("stored");
    assert_eq!((found.state, found.decided_at), (ApprovalState::Approved, Some(START)));
    assert_eq!((found.decided_by.as_deref(), found.note.as_deref()), (Some("Ruth"), note));
});

law!(approvals_are_listed_newest_first_by_state, async |_: &TestDb, store: Opened| {
    let mut all = Vec::new();
    for state in [ApprovalState::Pending, ApprovalState::Void, ApprovalState::Pending] {
        let asked = ApprovalRow { state, ..row(&store) };
        insert(&store, &asked).await;
        all.push(asked.id);
    }
    let list = async |state, before, limit| {
        let filter = ApprovalFilter { state, before };
        let found = tx!(store.read, |tx| tx.approvals(TENANT, filter, limit).await?).await;
        found.expect("listed").into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    let pending = Some(ApprovalState::Pending);
    assert_eq!(list(None, None, 9).await, [all[2], all[1], all[0]]);
    assert_eq!(list(pending, None, 9).await, [all[2], all[0]]);
    assert_eq!(list(pending, Some(all[2]), 9).await, [all[0]]);
    assert_eq!(list(None, Some(all[2]), 1).await, [all[1]]);
});
