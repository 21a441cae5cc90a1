//! Versions of methods, and the orders that upgrade runs from one version to another.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::{Digest, RequestId, RunId};
use abide_engine::library::{Definition, DefinitionKind};
use abide_engine::run::RenamedSteps;
use abide_engine::store::{
    Commit, LiveBundle, MethodRef, NewRun, TurnChange, UpgradeResult, UpgradeRow, UpgradeState,
    VarRow, VersionOrigin,
};
use serde_json::json;

use super::support::{Opened, START, TENANT, law, new_run, tx};
use crate::postgres::TestDb;

/// Stores a version of a method, and returns its number and the digest of its bundle.
async fn keep(store: &Opened, method: &'static str, text: &str) -> (i64, Digest) {
    let text = Definition {
        digest: Digest::of(text.as_bytes()),
        kind: DefinitionKind::Method,
        name: format!("{method}.yaml"),
        body: text.to_owned(),
        graph: None,
    };
    let pins = json!({"method": method, "text": text.digest, "templates": {}, "contracts": {}});
    let body = pins.to_string();
    let digest = Digest::of(body.as_bytes());
    let (name, graph) = (method.to_owned(), Some("{}".to_owned()));
    let all = vec![text, Definition { digest, kind: DefinitionKind::Bundle, name, body, graph }];
    let kept = tx!(store.write, [all], |tx| {
        tx.store_bundle(MethodRef { tenant: TENANT, method }, digest, || all).await?
    });
    (kept.await.expect("kept"), digest)
}

/// Starts a run that is pinned to this bundle.
async fn start(store: &Opened, bundle: Digest, request: Option<RequestId>) -> RunId {
    let new = NewRun { bundle, request, ..new_run(store.id()) };
    let id = new.id;
    tx!(store.write, [new], |tx| tx.insert_runs(&[new]).await?).await.expect("started");
    id
}

async fn active(store: &Opened, method: &'static str) -> Option<i64> {
    let read = tx!(store.read, |tx| tx.active_version(TENANT, method).await?);
    read.await.expect("read").map(|(version, _)| version)
}

law!(at_most_one_version_of_a_method_is_active, async |database: &TestDb, store: Opened| {
    let (one, _) = keep(&store, "fill_roles", "one").await;
    let (two, digest) = keep(&store, "fill_roles", "two").await;
    keep(&store, "other", "three").await;
    assert_eq!(
        active(&store, "fill_roles").await,
        None,
        "{database}: no version is active, so files decide"
    );
    for version in [one, two, two] {
        let made = tx!(store.write, |tx| {
            tx.activate(MethodRef { tenant: TENANT, method: "fill_roles" }, Some(version)).await?;
        });
        made.await.unwrap();
        assert_eq!(active(&store, "fill_roles").await, Some(version), "{database}");
    }
    let sum = "SELECT CAST(SUM(active) AS BIGINT) FROM method_version";
    assert_eq!(database.number(sum).await, 1, "{database}");
    let methods = tx!(store.read, |tx| tx.active_methods(TENANT).await?).await.unwrap();
    assert_eq!(methods.len(), 1, "{database}");
    assert_eq!((&*methods[0].text, methods[0].bundle), ("two", digest), "{database}");
    let pins = tx!(store.read, |tx| tx.pins(digest).await?).await.unwrap().expect("kept");
    assert_eq!(pins.text, Digest::of(b"two"), "{database}");
    let (text, unknown) = (pins.text, Digest::of(b"never kept"));
    let texts = tx!(store.read, |tx| tx.texts([text, unknown].into_iter()).await?).await.unwrap();
    assert_eq!(texts, BTreeMap::from([(text, "two".to_owned())]), "{database}");
    let elsewhere = tx!(store.read, |tx| tx.active_version("hope", "fill_roles").await?);
    assert_eq!(elsewhere.await.unwrap(), None, "{database}");
    tx!(store.write, |tx| tx
        .activate(MethodRef { tenant: TENANT, method: "fill_roles" }, None)
        .await?)
    .await
    .unwrap();
    assert_eq!(active(&store, "fill_roles").await, None, "{database}: files decide again");
});

law!(
    a_deleted_version_is_hidden_and_its_number_is_never_reused,
    async |database: &TestDb, store: Opened| {
        let (_, first) = keep(&store, "m", "one").await;
        let (_, second) = keep(&store, "m", "two").await;
        start(&store, second, None).await;
        let published = tx!(store.write, |tx| {
            tx.mark_published(MethodRef { tenant: TENANT, method: "m" }, 2, true).await?;
            tx.versions(TENANT, Some("m")).await?
        });
        let shown: Vec<_> = published
            .await
            .unwrap()
            .into_iter()
            .map(|row| (row.version, row.origin, row.shadow, row.live))
            .collect();
        let expected = [(2, VersionOrigin::Published, true, 1), (1, VersionOrigin::File, false, 0)];
        assert_eq!(shown, expected, "{database}: newest first");
        let known = async || tx!(store.read, |tx| tx.known_bundles(TENANT).await?).await.unwrap();
        assert_eq!(known().await.len(), 2, "{database}");
        tx!(store.write, |tx| tx
            .delete_version(MethodRef { tenant: TENANT, method: "m" }, 2)
            .await?)
        .await
        .unwrap();
        assert_eq!(known().await, BTreeSet::from([("m".to_owned(), first)]), "{database}");
        let again = tx!(store.read, |tx| tx.version_of(TENANT, "m", second).await?).await.unwrap();
        assert_eq!(again, Some(2), "{database}: its number stays assigned");
        tx!(store.write, |tx| tx
            .restore_version(MethodRef { tenant: TENANT, method: "m" }, 2)
            .await?)
        .await
        .unwrap();
        assert_eq!(known().await.len(), 2, "{database}: it is shown again");
        assert_eq!(keep(&store, "m", "three").await.0, 3, "{database}");
        let live = tx!(store.read, |tx| tx.live_bundles().await?).await.unwrap();
        assert_eq!(
            live,
            [LiveBundle { digest: second, method: "m".to_owned(), runs: 1 }],
            "{database}: a run is still pinned to it"
        );
    }
);

law!(a_start_with_an_outdated_version_is_left_out, async |database: &TestDb, store: Opened| {
    let (version, bundle) = keep(&store, "fill_roles", "one").await;
    let left_out = async |expected_active_version: i64| {
        let new = NewRun {
            bundle,
            expected_active_version: Some(expected_active_version),
            ..new_run(store.id())
        };
        let inserted = tx!(store.write, [new], |tx| tx.insert_runs(&[new]).await?).await;
        inserted.expect("answered") == [abide_engine::store::Inserted::LeftOut]
    };
    assert_eq!((left_out(0).await, left_out(version).await), (false, true), "{database}");
    tx!(store.write, |tx| tx
        .activate(MethodRef { tenant: TENANT, method: "fill_roles" }, Some(version))
        .await?)
    .await
    .unwrap();
    assert_eq!((left_out(0).await, left_out(version).await), (true, false), "{database}");
});

law!(the_runs_of_a_version_and_of_a_request_are_found, async |database: &TestDb, store: Opened| {
    let (_, bundle) = keep(&store, "m", "one").await;
    let request: RequestId = store.id();
    let mut runs = Vec::new();
    for request in [None, Some(request), Some(request), None] {
        runs.push(start(&store, bundle, request).await);
    }
    start(&store, Digest::of(b"other"), None).await;
    store.must_commit(store.commit(runs[2], 0)).await;
    let mut over = Commit { turn: TurnChange::End, ..store.commit(runs[3], 0) };
    over.head.ended_at = Some(START);
    store.must_commit(over).await;
    let page = async |after: Option<RunId>, limit: i64| {
        let read = tx!(store.read, |tx| tx.runs_of_bundle(TENANT, bundle, after, limit).await?);
        read.await.expect("read").into_iter().map(|run| run.id).collect::<Vec<_>>()
    };
    assert_eq!(page(None, 2).await, runs[..2], "{database}");
    assert_eq!(page(Some(runs[1]), 9).await, runs[2..3], "{database}: only live runs");
    let unbegun = tx!(store.read, |tx| tx.pending_runs(request).await?).await.unwrap();
    assert_eq!(unbegun, runs[1..2], "{database}");
    let wanted = [runs[3], runs[0], runs[3]];
    let heads = tx!(store.read, |tx| tx.runs_by_id(&wanted).await?).await.unwrap();
    assert_eq!(heads.keys().copied().collect::<Vec<_>>(), [runs[0], runs[3]], "{database}");
});

law!(
    an_upgrade_order_is_stored_with_the_result_for_each_run,
    async |database: &TestDb, store: Opened| {
        let runs = store.start_all(3).await;
        let order = UpgradeRow {
            id: store.id(),
            tenant: TENANT.to_owned(),
            method: "fill_roles".to_owned(),
            bundle: Digest::of(b"new"),
            version: 2,
            renamed: RenamedSteps::from([("alt \u{1F600}".to_owned(), "neu".to_owned())]),
            undoes: None,
        };
        let (id, old) = (order.id, Digest::of(b"bundle"));
        let ordered: Vec<_> = runs.iter().map(|run| (*run, old, 1)).collect();
        let given = tx!(store.write, [order, ordered], |tx| {
            tx.insert_upgrade(&order).await?;
            tx.order_upgrade(id, &ordered).await?;
            tx.order_upgrade(id, &[]).await?;
            tx.upgrade(id).await?.expect("kept")
        });
        assert_eq!(given.await.unwrap(), order, "{database}");
        let signal =
            tx!(store.read, [runs], |tx| tx.open_signals(runs[0]).await?.orders[0].payload.clone());
        assert_eq!(
            signal.await.unwrap(),
            json!({ "upgrade": id }),
            "{database}: each run gets an order"
        );
        let settled = tx!(store.write, [runs], |tx| {
            tx.settle_upgrade(id, runs[0], UpgradeResult::Moved).await?;
            tx.settle_upgrade(id, runs[1], UpgradeResult::Kept { why: "the step `x` is gone" })
                .await?;
            (tx.last_move(runs[0]).await?, tx.last_move(runs[1]).await?)
        });
        assert_eq!(settled.await.unwrap(), (Some(id), None), "{database}");
        let counts = tx!(store.read, |tx| tx.upgrade_counts(id).await?).await.unwrap();
        let states = [UpgradeState::Kept, UpgradeState::Moved, UpgradeState::Ordered];
        let expected = states.map(|state| (state, 1));
        assert_eq!(counts, BTreeMap::from(expected), "{database}");
        let kept = tx!(store.read, |tx| tx.upgrade_runs(id, UpgradeState::Kept, None, 9).await?)
            .await
            .unwrap();
        assert_eq!(
            (kept[0].run, kept[0].from, kept[0].from_version),
            (runs[1], old, 1),
            "{database}"
        );
        assert_eq!(kept[0].why.as_deref(), Some("the step `x` is gone"), "{database}");
        let past = runs[1];
        let none =
            tx!(store.read, |tx| tx.upgrade_runs(id, UpgradeState::Kept, Some(past), 9).await?);
        assert_eq!(none.await.unwrap(), [], "{database}");
        let repinned = Commit { repinned: Some((order.bundle, 2)), ..store.commit(runs[0], 0) };
        store.must_commit(repinned).await;
        let moved = runs[0];
        let head = tx!(store.read, |tx| tx.run(moved).await?).await.unwrap().expect("a run");
        assert_eq!((head.bundle, head.version), (order.bundle, 2), "{database}");
    }
);

law!(
    a_variable_is_renamed_with_its_dependent_variables,
    async |database: &TestDb, store: Opened| {
        let run = store.start().await;
        let names = ["a%", "a% in", "a%b", "a_", "A%", "ä", "ä in", "äb", "new", "new in", "#own"];
        let vars = names.map(|name| VarRow {
            name: name.to_owned(),
            value: Some(json!(name).to_string()),
            blob: None,
        });
        store.must_commit(Commit { vars: vars.to_vec(), ..store.commit(run, 0) }).await;
        let renamed = tx!(store.write, |tx| {
            tx.rename_variables(run, "a%", "new").await?;
            tx.rename_variables(run, "ä", "ß").await?;
            tx.variable_names(&[run]).await?.remove(&run).unwrap_or_default()
        });
        let expected = ["new", "new in", "a%b", "a_", "A%", "ß", "ß in", "äb", "goal"];
        let expected: BTreeSet<String> = expected.map(str::to_owned).into();
        assert_eq!(
            renamed.await.unwrap(),
            expected,
            "{database}: `%` and `_` are ordinary characters"
        );
        let new = vec!["new".to_owned(), "ß in".to_owned()];
        let values = tx!(store.read, [new], |tx| tx.vars(run, &new).await?).await.unwrap();
        let values: Vec<_> = values.into_iter().map(|(_, value)| value).collect();
        assert_eq!(
            values,
            [json!("a%"), json!("ä in")],
            "{database}: older variables of that name are replaced"
        );
    }
);
