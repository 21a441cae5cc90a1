//! Signals from outside share a commit, and each has a result of its own.

use abide_engine::base::{RunId, limits};
use abide_engine::run::RunStatus;
use abide_engine::store::{Commit, NewRun, NewSignal, ParentLink, SignalStored, TurnChange};
use futures_util::future::join_all;
use serde_json::json;

use super::support::{Opened, START, TENANT, law, minutes, new_run, parked, tx};
use crate::postgres::TestDb;

fn signal(run: RunId, dedupe: Option<&str>) -> NewSignal {
    NewSignal {
        tenant: TENANT.to_owned(),
        run,
        name: "go".to_owned(),
        dedupe: dedupe.map(str::to_owned),
        payload: json!({ "by": "pat" }).to_string(),
    }
}

/// Sends all signals concurrently, so that they are batched. Returns the results in the sequence of `signals`.
async fn together(store: &Opened, signals: Vec<NewSignal>) -> Vec<SignalStored> {
    let sent = join_all(signals.into_iter().map(|signal| store.store.signal(signal))).await;
    sent.into_iter().map(|result| result.expect("stored")).collect()
}

law!(signals_that_arrive_together_have_a_result_each, async |database: &TestDb, store: Opened| {
    let runs = store.start_all(4).await;
    let [first, second, ended, quiet] = runs[..] else { panic!("four runs") };
    let mut end = Commit { turn: TurnChange::End, ..store.commit(ended, 0) };
    (end.head.status, end.head.ended_at) = ("completed", Some(START));
    store.must_commit(end).await;
    for run in [first, second, quiet] {
        let later = Some(store.now() + minutes(60));
        store.must_commit(parked(store.commit(run, 0), later, 0)).await;
    }
    let of_another = NewSignal { tenant: "others".to_owned(), ..signal(first, None) };
    let results = together(
        &store,
        vec![
            signal(first, Some("k1")),
            signal(first, Some("k1")),
            signal(second, None),
            signal(second, None),
            signal(ended, None),
            signal(store.id(), None),
            of_another,
        ],
    )
    .await;
    let bundle = new_run(store.id()).bundle;
    let keyed = [SignalStored::Known { bundle }, SignalStored::Stored { bundle }];
    assert!(keyed.iter().all(|result| results[..2].contains(result)), "{database}: once a key");
    let rest = [
        SignalStored::Stored { bundle },
        SignalStored::Stored { bundle },
        SignalStored::Ended(RunStatus::Completed),
        SignalStored::NoRun,
        SignalStored::NoRun,
    ];
    assert_eq!(results[2..], rest, "{database}");
    let mut due = store.due(store.now()).await;
    due.sort_unstable();
    assert_eq!(due, [first, second], "{database}: a signal wakes its run");
    assert!(store.take_work_due().runs, "{database}");
    let open = tx!(store.read, |tx| tx.open_signals_of(&[first, second, quiet]).await?);
    let open = open.await.unwrap();
    assert_eq!(open.len(), 2, "{database}");
    assert_eq!((open[&first].named.len(), open[&second].named.len()), (1, 2), "{database}");
});

law!(a_signal_wakes_the_live_branches_of_its_run, async |database: &TestDb, store: Opened| {
    let (run, call) = (store.start().await, store.id());
    let link = |ordinal, branch| ParentLink { parent: run, call, ordinal, branch };
    let new = |link| NewRun { parent_link: Some(link), ..new_run(store.id()) };
    let children = vec![new(link(0, true)), new(link(1, false))];
    let [branch, called] = [children[0].id, children[1].id];
    tx!(store.write, [children], |tx| tx.insert_runs(&children).await?).await.expect("started");
    for run in [run, branch, called] {
        store.must_commit(parked(store.commit(run, 0), None, 0)).await;
    }
    let bundle = new_run(store.id()).bundle;
    assert_eq!(together(&store, vec![signal(run, None)]).await, [SignalStored::Stored { bundle }]);
    let mut due = store.due(store.now()).await;
    due.sort_unstable();
    assert_eq!(due, [run, branch], "{database}: a called method has signals of its own");
});

law!(
    a_run_takes_a_thousand_signals_before_it_reads_them,
    async |database: &TestDb, store: Opened| {
        let run = store.start().await;
        let many = limits::OPEN_SIGNALS_MAX + 5;
        let results = together(&store, (0..many).map(|_| signal(run, None)).collect()).await;
        let refused = results.iter().filter(|result| **result == SignalStored::TooMany).count();
        assert_eq!(refused, 5, "{database}");
        let open = tx!(store.read, |tx| tx.open_signals(run).await?).await.unwrap();
        assert!(open.more_named && open.named.len() < 100, "{database}: the oldest are read ahead");
    }
);
