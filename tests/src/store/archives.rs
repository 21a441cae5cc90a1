//! Archives, the chains that they begin, and what the audit reads and remembers.

use std::collections::BTreeMap;

use abide_engine::base::{
    ArchiveId, Digest, EventId, RequestId, RunId, StreamId, Timestamp, TypedId as _,
};
use abide_engine::store::{
    ArchiveCutoffs, ArchiveRow, ArchiveState, ChainBase, KeyRange, SealName, StreamPosition,
};
use serde_json::json;
use sqlx::types::Uuid;

use super::support::{Opened, START, TENANT, law, minutes, tx};
use crate::postgres::TestDb;

fn archive(id: ArchiveId) -> ArchiveRow {
    ArchiveRow {
        id,
        tenant: TENANT.to_owned(),
        path: "archive/a.jsonl".to_owned(),
        state: ArchiveState::Open,
        lines: 0,
        bytes: 0,
        digest: Digest::ZERO,
        streams: 0,
        counts: BTreeMap::new(),
        cutoffs: ArchiveCutoffs { runs: START, messages: START, events: START },
        worker: None,
        lease_until: START,
        created_at: START,
        sealed_at: None,
    }
}

law!(a_tenant_has_one_open_archive, async |database: &TestDb, store: Opened| {
    let (first, second) = (archive(store.id()), archive(store.id()));
    let none = tx!(store.read, |tx| tx.open_archive(TENANT).await?).await.expect("read");
    assert_eq!(none, None);
    for (row, is_new) in [(&first, true), (&second, false)] {
        let inserted = tx!(store.write, [row], |tx| tx.insert_archive(&row).await?).await;
        assert_eq!(inserted.expect("written"), is_new, "{database}");
    }
    let open = tx!(store.read, |tx| tx.open_archive(TENANT).await?).await.expect("read");
    assert_eq!(open.as_ref(), Some(&first));

    let mut sealed = ArchiveRow {
        state: ArchiveState::Sealed,
        lines: 3,
        bytes: 200,
        digest: Digest::of(b"lines"),
        streams: 1,
        counts: BTreeMap::from([("run".to_owned(), 1)]),
        worker: Some(store.id()),
        lease_until: START + minutes(1),
        sealed_at: Some(START + minutes(1)),
        ..first.clone()
    };
    tx!(store.write, [sealed], |tx| tx.save_archive(&sealed).await?).await.expect("written");
    let id = first.id;
    let found = tx!(store.read, |tx| tx.archive(id).await?).await.expect("read");
    assert_eq!(found.as_ref(), Some(&sealed));
    let locked = tx!(store.write, |tx| tx.lock_archive(id).await?).await.expect("read");
    assert_eq!(locked, found);
    let inserted = tx!(store.write, [second], |tx| tx.insert_archive(&second).await?).await;
    assert!(inserted.expect("written"), "{database}: the first one is sealed");

    let pages = tx!(store.read, |tx| {
        let newest = tx.archives(TENANT, None, 1).await?;
        let rest = tx.archives(TENANT, Some(newest[0].id), 9).await?;
        let all = tx.all_archives(None, 1).await?;
        let next = tx.all_archives(Some(all[0].id), 9).await?;
        [newest, rest, all, next].map(|page| page.into_iter().map(|row| row.id).collect::<Vec<_>>())
    });
    let pages = pages.await.expect("read");
    assert_eq!(pages, [[second.id], [first.id], [first.id], [second.id]].map(Vec::from));
    sealed.path.clear();
    let none = tx!(store.read, |tx| tx.archives("other", None, 9).await?).await.expect("read");
    assert_eq!(none, []);
});

law!(a_chain_begins_after_what_was_archived, async |database: &TestDb, store: Opened| {
    let mut streams: Vec<StreamId> = vec![store.id(), store.id()];
    streams.sort_unstable();
    let archive: ArchiveId = store.id();
    let base = move |stream, seq| ChainBase { stream, seq, hash: Digest::of(b"x"), archive };
    let (one, two) = (streams[0], streams[1]);
    tx!(store.write, |tx| {
        tx.put_chain_base(base(one, 3)).await?;
        tx.put_chain_base(base(two, 1)).await?;
        tx.put_chain_base(base(one, 7)).await?;
    })
    .await
    .expect("written");
    let found = tx!(store.read, |tx| {
        let some = tx.chain_bases(&[one]).await?;
        let first = tx.all_chain_bases(None, 1).await?;
        let rest = tx.all_chain_bases(Some(first[0].stream), 9).await?;
        [some, first, rest]
    });
    let expected = [vec![base(one, 7)], vec![base(one, 7)], vec![base(two, 1)]];
    assert_eq!(found.await.expect("read"), expected, "{database}");
    tx!(store.write, |tx| tx.end_chain_bases(&[one]).await?).await.expect("written");
    let left = tx!(store.read, |tx| tx.all_chain_bases(None, 9).await?).await.expect("read");
    assert_eq!(left, [base(two, 1)], "{database}");
});

law!(the_audit_remembers_what_it_stores, async |database: &TestDb, store: Opened| {
    for (name, other) in
        [(SealName::Progress, SealName::Last), (SealName::Last, SealName::Progress)]
    {
        for n in [1, 2] {
            let body = json!({ "n": n });
            tx!(store.write, [body], |tx| tx.put_seal(name, &body).await?).await.expect("written");
            let found = tx!(store.read, |tx| tx.seal(name).await?).await.expect("read");
            assert_eq!(found, Some(body), "{database}");
        }
        let none = tx!(store.read, |tx| tx.seal(other).await?).await.expect("read");
        assert_eq!(none, None, "{database}");
        tx!(store.write, |tx| tx.end_seal(name).await?).await.expect("written");
        let none = tx!(store.read, |tx| tx.seal(name).await?).await.expect("read");
        assert_eq!(none, None, "{database}");
    }
});

law!(runs_and_events_are_read_in_ranges, async |database: &TestDb, store: Opened| {
    let runs = store.start_all(3).await;
    let request: RequestId = store.id();
    for run in &runs {
        for seq in 0..2 {
            store.must_commit(store.commit(*run, seq)).await;
        }
    }
    tx!(store.write, |tx| tx.lock_request(TENANT, request).await?).await.expect("locked");
    let mut sorted: Vec<RunId> = runs.clone();
    sorted.sort_unstable();
    let ranges = tx!(store.read, |tx| {
        let first = tx.run_range(Uuid::nil(), 2).await?;
        let next = first.next().unwrap_or_default();
        [first, tx.run_range(next, 2).await?]
    });
    let [first, last] = ranges.await.expect("read");
    assert_eq!(first, KeyRange { first: Uuid::nil(), last: sorted[1].uuid() }, "{database}");
    assert_eq!((last.last, last.next()), (Uuid::max(), None), "{database}");
    assert_eq!(KeyRange::one(sorted[0].uuid()).next().map(|id| id > sorted[0].uuid()), Some(true));

    let mut position = StreamPosition { stream: StreamId::from_uuid(Uuid::nil()), seq: 0 };
    let mut events = Vec::new();
    loop {
        let page = tx!(store.read, |tx| tx.events_by_stream(position, 4).await?).await;
        let page = page.expect("read");
        let Some(end) = page.last() else { break };
        position = StreamPosition { stream: end.stream, seq: end.seq };
        events.extend(page);
    }
    let places: Vec<_> = events.iter().map(|event| (event.stream, event.seq)).collect();
    assert!(places.is_sorted() && places.len() >= 6, "{database}: {places:?}");
    let streams: Vec<StreamId> = sorted.iter().map(|run| (*run).into()).collect();
    let mut known: Vec<StreamId> = places.iter().map(|(stream, _)| *stream).collect();
    known.dedup();
    assert_eq!(known, streams, "{database}");

    let heads = tx!(store.read, [streams], |tx| {
        tx.stream_heads(&[streams, vec![request.into()]].concat()).await?
    });
    let heads = heads.await.expect("read");
    assert_eq!(heads.len(), 4, "{database}");
    for head in heads {
        let last = events.iter().rfind(|event| event.stream == head.stream);
        assert_eq!(head.status.is_some(), last.is_some(), "{database}: {head:?}");
        assert_eq!(head.last_hash, last.map_or(Digest::ZERO, |event| event.hash), "{database}");
    }
    let beginning = EventId::from_uuid(Uuid::nil());
    let first = tx!(store.read, |tx| tx.changed_streams(TENANT, beginning, 4).await?).await;
    let first = first.expect("read");
    let after = first[3].event;
    let rest = tx!(store.read, |tx| tx.changed_streams(TENANT, after, 99).await?).await;
    let mut changed: Vec<StreamId> =
        first.into_iter().chain(rest.expect("read")).map(|found| found.stream).collect();
    changed.sort_unstable();
    changed.dedup();
    assert_eq!(changed, streams, "{database}");
    let never: Timestamp = START + minutes(60);
    let late: EventId = store.ids.mint(never);
    let none = tx!(store.read, |tx| tx.changed_streams(TENANT, late, 9).await?).await;
    assert_eq!(none.expect("read"), [], "{database}");
});
