//! Tests each function of a store that the other tests do not cover.

use std::collections::BTreeMap;

use abide_engine::base::{Digest, RequestId, StreamId, TypedId as _};
use abide_engine::ledger::KindName;
use abide_engine::library::{Definition, DefinitionKind};
use abide_engine::run::RunOutcome;
use abide_engine::store::{
    About, Commit, EventPosition, EventQuery, KeyRange, MethodRef, Overview, RunFilter, SignalKind,
    TurnChange,
};
use serde_json::json;

use super::support::{Opened, TENANT, law, minutes, new_run, open, parked, tx};
use crate::postgres::{TestDb, databases};

#[tokio::test]
async fn runs_are_listed_by_every_filter() {
    for database in databases() {
        let store = open(&database).await;
        let request: RequestId = store.id();
        let mut runs: Vec<_> = (0..4).map(|_| new_run(store.id())).collect();
        runs[1].request = Some(request);
        runs[2].method = "check_in".to_owned();
        let ids: Vec<_> = runs.iter().map(|run| run.id).collect();
        tx!(store.write, [runs], |tx| tx.insert_runs(&runs).await?).await.unwrap();
        let mut waiting = parked(store.commit(ids[3], 0), Some(store.now()), 0);
        waiting.head.status = "waiting";
        store.must_commit(waiting).await;
        let mut over = Commit { turn: TurnChange::End, ..store.commit(ids[0], 0) };
        over.head.status = "completed";
        over.head.outcome = Some("succeeded");
        over.head.ended_at = Some(store.now());
        store.must_commit(over).await;
        store.clock.set(store.now() + minutes(1));

        let default = RunFilter::default;
        let cases = [
            ("all", default(), vec![3, 2, 1, 0]),
            ("status", RunFilter { status: Some("pending".into()), ..default() }, vec![2, 1]),
            ("method", RunFilter { method: Some("check_in".into()), ..default() }, vec![2]),
            ("request", RunFilter { request: Some(request), ..default() }, vec![1]),
            ("waiting", RunFilter { waiting: true, ..default() }, vec![3]),
            ("stuck", RunFilter { stuck: true, ..default() }, vec![3]),
            ("before", RunFilter { before: Some(ids[2]), ..default() }, vec![1, 0]),
        ];
        for (name, filter, expected) in cases {
            let found = tx!(store.read, [filter], |tx| tx.runs(TENANT, &filter, 9).await?).await;
            let found: Vec<_> = found.unwrap().into_iter().map(|run| run.id).collect();
            let expected: Vec<_> = expected.into_iter().map(|i: usize| ids[i]).collect();
            assert_eq!(found, expected, "{database}: {name}");
        }
        let filter = default();
        let two = tx!(store.read, [filter], |tx| tx.runs(TENANT, &filter, 2).await?).await.unwrap();
        assert_eq!(two.len(), 2, "{database}");
        let other =
            tx!(store.read, [filter], |tx| tx.runs("hope", &filter, 9).await?).await.unwrap();
        assert_eq!(other, [], "{database}");
        let live = tx!(store.read, |tx| tx.live_runs(request).await?).await.unwrap();
        assert_eq!(live.iter().map(|run| run.id).collect::<Vec<_>>(), [ids[1]], "{database}");
        assert_eq!(live[0].due_at, Some(super::support::START), "{database}");
        let ended = ids[0];
        let ended = tx!(store.read, |tx| tx.run(ended).await?).await.unwrap().expect("kept");
        assert_eq!(ended.outcome, Some(RunOutcome::Succeeded), "{database}");
        assert_eq!((ended.due_at, ended.ended_at.is_some()), (None, true), "{database}");
    }
}

#[tokio::test]
async fn a_bundle_is_kept_once_and_its_versions_count_up() {
    for database in databases() {
        let store = open(&database).await;
        let text = |body: &str| Definition {
            digest: Digest::of(body.as_bytes()),
            kind: DefinitionKind::Template,
            name: "invite.hbs".to_owned(),
            body: body.to_owned(),
            graph: None,
        };
        let bundle = |text: &Definition| {
            let body = json!({
                "method": Digest::of(b"m"), "templates": {"invite.hbs": text.digest},
                "contracts": {}, "graph_v": 1,
            });
            let body = body.to_string();
            Definition {
                digest: Digest::of(body.as_bytes()),
                kind: DefinitionKind::Bundle,
                name: "fill_roles".to_owned(),
                body,
                graph: Some("{}".to_owned()),
            }
        };
        let texts = [text("one"), text("two")];
        let keep = async |ix: usize| {
            let bundle = bundle(&texts[ix]);
            let (digest, all) = (bundle.digest, vec![texts[ix].clone(), bundle]);
            let kept = tx!(store.write, [all], |tx| {
                tx.store_bundle(MethodRef { tenant: TENANT, method: "fill_roles" }, digest, || all)
                    .await?
            });
            kept.await.expect("kept")
        };
        assert_eq!(
            (keep(0).await, keep(0).await, keep(1).await, keep(0).await),
            (1, 1, 2, 1),
            "{database}"
        );
        let count = database.number("SELECT count(*) FROM definition").await;
        assert_eq!(count, 4, "{database}");
        let graphs = database.number("SELECT count(graph_v) FROM definition").await;
        assert_eq!(graphs, 2, "{database}: bundles have a graph, texts have none");
        let unknown = Digest::of(b"unknown");
        assert!(tx!(store.read, |tx| tx.bundle(unknown).await?).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn concurrent_bundles_get_different_versions() {
    for database in databases() {
        let store = open(&database).await;
        let rivals: Vec<_> = (0..6u8)
            .map(|i| {
                let store = store.clone();
                tokio::spawn(async move {
                    let digest = Digest::of(&[i]);
                    tx!(store.write, |tx| tx
                        .store_bundle(MethodRef { tenant: TENANT, method: "m" }, digest, Vec::new)
                        .await?)
                    .await
                })
            })
            .collect();
        let mut versions = Vec::new();
        for rival in rivals {
            // PostgreSQL may abort the transaction more often than the store retries it.
            // In that case the store returns an error, and the caller has to retry.
            match rival.await.expect("no panic") {
                Ok(version) => versions.push(version),
                Err(problem) => assert_eq!(problem.code, "serialization_failure", "{database}"),
            }
        }
        versions.sort_unstable();
        let expected: Vec<i64> = (1..=i64::try_from(versions.len()).expect("few")).collect();
        assert_eq!(versions, expected, "{database}");
        assert!(!versions.is_empty(), "{database}");
    }
}

#[tokio::test]
async fn a_tenant_keeps_its_policy_and_its_stream() {
    for database in databases() {
        let store = open(&database).await;
        let policy = json!({"messages_per_month": 500, "name": "Grace's"});
        let set = tx!(store.write, [policy], |tx| {
            tx.ensure_tenant(TENANT).await?;
            tx.ensure_tenant(TENANT).await?;
            tx.set_policy(TENANT, &policy).await?;
            tx.tenant(TENANT).await?
        });
        let tenant = set.await.unwrap().expect("made");
        assert_eq!((tenant.paused, &tenant.policy), (false, &policy), "{database}");
        let stream = tenant.stream;
        let logged = tx!(store.write, |tx| {
            tx.lock_partitions(TENANT, &[stream.uuid()]).await?;
            tx.log(stream, KindName::of("tenant.paused"), About::default(), json!({"by": "kim"}))?;
        });
        logged.await.unwrap();
        let events = tx!(store.read, |tx| tx.stream_events(stream, 0, 9).await?).await.unwrap();
        assert_eq!(events[0].body, json!({"by": "kim"}), "{database}");
        assert!(tx!(store.read, |tx| tx.tenant("hope").await?).await.unwrap().is_none());
    }
}

law!(an_overview_counts_what_is_live_and_what_is_late, async |database: &TestDb, store: Opened| {
    let runs = store.start_all(4).await;
    let look = async |tenant: &'static str, after| {
        tx!(store.read, |tx| tx.overview(tenant, after).await?).await.expect("read")
    };
    assert_eq!(look("hope", None).await, Overview::default(), "{database}: another tenant's");
    for (ix, minute) in [(0, 30), (1, 60)] {
        let due = Some(store.now() + minutes(minute));
        let mut waiting = parked(store.commit(runs[ix], 0), due, 0);
        waiting.head.status = "waiting";
        waiting.head.last_at = store.now() + minutes(minute);
        waiting.events[0].id = store.id();
        store.must_commit(waiting).await;
    }
    let mut over = Commit { turn: TurnChange::End, ..store.commit(runs[2], 0) };
    (over.head.status, over.head.ended_at) = ("failed", Some(store.now()));
    over.events[0].id = store.id();
    store.must_commit(over).await;
    store.clock.set(store.now() + minutes(45));
    let seen = look(TENANT, None).await;
    let statuses = [("pending".to_owned(), 1), ("waiting".to_owned(), 2)];
    assert_eq!(seen.runs, BTreeMap::from(statuses), "{database}");
    assert_eq!((seen.timers, seen.late, seen.stuck), (1, 2, 1), "{database}: {seen:?}");
    assert_eq!(seen.next_at, Some(super::support::START + minutes(60)), "{database}");
    assert_eq!(seen.oldest.map(|(run, ..)| run), Some(runs[0]), "{database}");
    let last = seen.last.expect("there are events");
    let since = async |after| look(TENANT, Some(after)).await.since;
    assert_eq!(since(last).await, Some((0, 0)), "{database}");
    let all = tx!(store.read, |tx| tx.tenant_events(TENANT, None, 9).await?).await.unwrap();
    assert_eq!(
        since(all[2].id).await,
        Some((2, 2)),
        "{database}: each event is the receipt of a call"
    );
});

#[tokio::test]
async fn events_are_read_by_stream_and_by_tenant() {
    for database in databases() {
        let store = open(&database).await;
        let runs = store.start_all(2).await;
        for seq in 0..3 {
            for run in &runs {
                store.must_commit(store.commit(*run, seq)).await;
            }
        }
        let stream = StreamId::from(runs[0]);
        let tail = tx!(store.read, |tx| tx.stream_events(stream, 1, 1).await?).await.unwrap();
        assert_eq!(tail.iter().map(|e| e.seq).collect::<Vec<_>>(), [2], "{database}");
        let page = tx!(store.read, |tx| tx.tenant_events(TENANT, None, 4).await?).await.unwrap();
        assert_eq!(page.len(), 4, "{database}");
        assert!(page.is_sorted_by(|a, b| a.id > b.id), "{database}: newest first");
        let last = page[3].id;
        let rest =
            tx!(store.read, |tx| tx.tenant_events(TENANT, Some(last), 9).await?).await.unwrap();
        assert_eq!(rest.len(), 2, "{database}");
        let feed = async |after, about, since| {
            let read = tx!(store.read, |tx| tx
                .events_after(TENANT, after, EventQuery { about, correlation: None, since }, 9)
                .await?);
            read.await.expect("read")
        };
        database.wait_until_log_is_readable().await;
        let (start, beginning) = (super::support::START, EventPosition::beginning());
        let third = feed(beginning, None, None).await[2].id;
        let place = tx!(store.read, |tx| {
            let elsewhere = tx.event_place("north", third).await?;
            assert_eq!(elsewhere, None, "another tenant's");
            tx.event_place(TENANT, third).await?.expect("an event")
        });
        let place = place.await.expect("read");
        let counts = [
            feed(beginning, None, None).await,
            feed(place, None, None).await,
            feed(beginning, Some(stream), None).await,
            feed(beginning, None, Some(start)).await,
            feed(beginning, None, Some(start + minutes(1))).await,
        ];
        let counts = counts.map(|events| events.len());
        assert_eq!(counts, [6, 3, 3, 6, 0], "{database}");
    }
}

#[tokio::test]
async fn the_audit_finds_each_kind_of_breach() {
    for database in databases() {
        let store = open(&database).await;
        let runs = store.start_all(4).await;
        let request: RequestId = store.id();
        let mut asleep = parked(store.commit(runs[3], 0), Some(store.now()), 0);
        asleep.armed = Some(super::support::wait(request, 1));
        store.must_commit(asleep).await;
        let audit = async || {
            let found = tx!(store.read, |tx| tx.broken_heads(KeyRange::ALL).await?).await.unwrap();
            let mut counts = BTreeMap::new();
            for (rule, _) in found {
                *counts.entry(rule).or_insert(0) += 1;
            }
            counts
        };
        assert_eq!(audit().await, BTreeMap::new(), "{database}: there is no breach");
        for (broken, rule) in [
            ("UPDATE turn SET due_at = NULL", "nothing_wakes_run"),
            ("UPDATE run SET ended_at = 1", "turn_without_live_run"),
            ("DELETE FROM turn; UPDATE run SET ended_at = NULL", "run_without_turn"),
            ("DELETE FROM run", "orphan_wait"),
        ] {
            database.execute(broken).await;
            let found = audit().await;
            assert!(found.contains_key(rule), "{database}: {broken}: {found:?}");
        }
    }
}

#[tokio::test]
async fn personal_data_is_in_rows_of_its_own() {
    for database in databases() {
        let store = open(&database).await;
        let kept =
            tx!(store.write, |tx| (tx.store_pii("+15550100").await?, tx.store_pii("").await?));
        let (one, other) = kept.await.unwrap();
        assert_ne!(one, other, "{database}");
        assert_eq!(database.number("SELECT count(*) FROM pii").await, 2, "{database}");
    }
}

#[tokio::test]
async fn a_signal_with_a_key_is_stored_once() {
    for database in databases() {
        let store = open(&database).await;
        let signalled = |key: Option<&'static str>| {
            let run = store.id();
            tx!(store.write, |tx| {
                (
                    tx.signal(run, SignalKind::Order("cancel"), key, &json!(null)).await?,
                    tx.signal(run, SignalKind::Order("cancel"), key, &json!(null)).await?,
                )
            })
        };
        assert_eq!(signalled(Some("k")).await.unwrap(), (true, false), "{database}");
        assert_eq!(
            signalled(None).await.unwrap(),
            (true, true),
            "{database}: without a key, both are stored"
        );
    }
}

law!(the_open_orders_of_a_run_are_read_in_order, async |database: &TestDb, store: Opened| {
    let (run, other) = (store.start().await, store.start().await);
    let given = tx!(store.write, |tx| {
        for kind in ["pause", "resume", "cancel"] {
            tx.signal(run, SignalKind::Order(kind), None, &json!({})).await?;
        }
        tx.signal(run, SignalKind::Named("go"), None, &json!(1)).await?;
        tx.signal(other, SignalKind::Order("retry"), None, &json!({})).await?
    });
    assert!(given.await.unwrap());
    let open = async || tx!(store.read, |tx| tx.open_orders(run).await?).await.unwrap();
    assert_eq!(open().await, ["pause", "resume", "cancel"], "{database}: signals are not orders");
    database.execute("UPDATE signal SET consumed_seq = 1 WHERE kind = 'pause'").await;
    assert_eq!(open().await, ["resume", "cancel"], "{database}: an obeyed order is not open");
});
