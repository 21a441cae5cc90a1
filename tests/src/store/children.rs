//! The child runs of a step are read in the sequence of their ordinals, and can consume signals. Their
//! parent takes over their compensations.

use abide_engine::base::{CallId, Digest, Problem, RunId};
use abide_engine::run::Replacement;
use abide_engine::store::{
    Commit, NewRun, ParentLink, SignalKind, TurnChange, Tx, UndoRow, tx_closure,
};
use futures_util::future::BoxFuture;
use serde_json::json;

use super::support::{Opened, START, law, minutes, new_run, parked, tx};
use crate::postgres::TestDb;

/// Builds a child run.
fn child(store: &Opened, link: ParentLink) -> NewRun {
    NewRun { parent_link: Some(link), ..new_run(store.id()) }
}

/// Starts branches of a run in reverse sequence, and returns the ids of the branches by ordinal.
async fn branches(store: &Opened, parent: RunId, call: CallId, count: i64) -> Vec<RunId> {
    let link = |ordinal| ParentLink { parent, call, ordinal, branch: true };
    let mut new: Vec<NewRun> = (0..count).map(|ordinal| child(store, link(ordinal))).collect();
    let ids = new.iter().map(|run| run.id).collect();
    new.reverse();
    tx!(store.write, [new], |tx| tx.insert_runs(&new).await?).await.expect("started");
    ids
}

async fn end(store: &Opened, run: RunId, status: &'static str) {
    let mut end = Commit { turn: TurnChange::End, ..store.commit(run, 0) };
    (end.head.status, end.head.ended_at) = (status, Some(START));
    store.must_commit(end).await;
}

law!(the_children_of_a_step_are_read_in_order, async |database: &TestDb, store: Opened| {
    let (parent, call, other) = (store.start().await, store.id(), store.id());
    let ids = branches(&store, parent, call, 5).await;
    branches(&store, parent, other, 1).await;
    let part = async |places: std::ops::Range<usize>| {
        let read = tx!(store.read, [places], |tx| tx.children(parent, call, places).await?);
        let children = read.await.expect("read").into_iter();
        children.map(|child| (child.run, child.ordinal, child.status)).collect::<Vec<_>>()
    };
    let expected = |ix: usize| (ids[ix], i64::try_from(ix).expect("few"), "pending".to_owned());
    assert_eq!(part(1..3).await, [expected(1), expected(2)], "{database}");
    assert_eq!(part(0..usize::MAX).await.len(), 5, "{database}");
    assert_eq!(part(5..9).await, [], "{database}");
});

law!(
    the_live_children_of_a_run_are_those_that_have_not_ended,
    async |database: &TestDb, store: Opened| {
        let (parent, call) = (store.start().await, store.id());
        let ids = branches(&store, parent, call, 3).await;
        let live = async || tx!(store.read, |tx| tx.live_children(parent).await?).await.unwrap();
        assert_eq!(live().await, ids, "{database}");
        let counted = tx!(store.read, |tx| tx.count_live_children(&[parent]).await?).await.unwrap();
        assert_eq!(counted.get(&parent), Some(&3), "{database}");
        end(&store, ids[1], "failed").await;
        assert_eq!(live().await, [ids[0], ids[2]], "{database}");
        let none = ids[0];
        assert!(tx!(store.read, |tx| tx.live_children(none).await?).await.unwrap().is_empty());
    }
);

law!(
    only_one_of_siblings_that_end_at_once_is_the_last,
    async |database: &TestDb, store: Opened| {
        let (parent, call) = (store.start().await, store.id());
        let ids = branches(&store, parent, call, 6).await;
        let ends: Vec<_> = ids
            .into_iter()
            .map(|run| {
                let store = store.clone();
                tokio::spawn(async move {
                    let mut commit = Commit { turn: TurnChange::End, ..store.commit(run, 0) };
                    (commit.head.status, commit.head.ended_at) = ("completed", Some(START));
                    let ended = tx!(store.write, [commit], |tx| {
                        tx.count_completed_siblings(run).await?; // locks the turns of the run and its parent
                        tx.commit_step(commit).await?;
                        tx.count_completed_siblings(run).await?
                    });
                    ended.await.expect("ended")
                })
            })
            .collect();
        let mut seen = Vec::new();
        for end in ends {
            seen.push(end.await.expect("no panic"));
        }
        seen.sort_unstable();
        assert_eq!(
            seen,
            [1, 2, 3, 4, 5, 6],
            "{database}: each one counts itself and those before it"
        );
    }
);

law!(branches_are_listed_after_their_run, async |database: &TestDb, store: Opened| {
    let (run, call) = (store.start().await, store.id());
    let first = branches(&store, run, call, 2).await;
    let second = branches(&store, first[1], store.id(), 2).await;
    let called =
        child(&store, ParentLink { parent: run, call: store.id(), ordinal: 0, branch: false });
    let alone = called.id;
    tx!(store.write, [called], |tx| tx.insert_runs(&[called]).await?).await.unwrap();
    let tree = tx!(store.read, |tx| tx.with_branches(run).await?).await.unwrap();
    let found: Vec<RunId> = tree.iter().map(|branch| branch.run).collect();
    assert_eq!(
        found,
        [&[run][..], &first, &second].concat(),
        "{database}: called methods are not branches"
    );
    assert_eq!(tree[2].ordinal, 1, "{database}");

    let stuck = async || tx!(store.read, |tx| tx.stuck_branch(run).await?).await.unwrap();
    assert_eq!(stuck().await, None, "{database}");
    for late in [alone, second[0]] {
        store.must_commit(parked(store.commit(late, 0), Some(START), 0)).await;
    }
    store.clock.set(START + minutes(1));
    assert_eq!(stuck().await, Some(second[0]), "{database}: also a branch of a branch");
});

law!(a_named_signal_wakes_the_branches_too, async |database: &TestDb, store: Opened| {
    let run = store.start().await;
    let branch = branches(&store, run, store.id(), 1).await[0];
    for parked_run in [run, branch] {
        store.must_commit(parked(store.commit(parked_run, 0), None, 0)).await;
    }
    let sent = |name: Option<&'static str>| {
        tx!(store.write, |tx| {
            let kind = name.map_or(SignalKind::Order("pause"), SignalKind::Named);
            tx.signal(run, kind, None, &json!(1)).await?
        })
    };
    assert!(sent(None).await.unwrap());
    assert_eq!(store.due(START).await, [run], "{database}: an order is for the run itself");
    assert!(sent(Some("go")).await.unwrap());
    assert_eq!(
        store.due(START).await,
        [run, branch],
        "{database}: a signal is for any branch that waits"
    );
});

law!(a_signal_is_consumed_by_one_branch, async |database: &TestDb, store: Opened| {
    let run = store.start().await;
    for (name, data) in [("other", 0), ("go", 1), ("stop", 2), ("go", 3)] {
        let sent = json!(data);
        let signalled = tx!(store.write, [sent], |tx| {
            tx.signal(run, SignalKind::Named(name), Some(&format!("k{data}")), &sent).await?
        });
        assert!(signalled.await.unwrap());
    }
    let oldest = async |names: &'static [&'static str]| {
        tx!(store.read, |tx| tx.first_named(run, names).await?).await.expect("read")
    };
    assert_eq!(oldest(&[]).await, None, "{database}");
    assert_eq!(oldest(&["Go", "g%", "nobody's"]).await, None, "{database}: names are exact");
    let first = oldest(&["stop", "go"]).await.expect("two open signals");
    assert_eq!((first.name.as_deref(), &first.payload), (Some("go"), &json!(1)), "{database}");
    let rivals: Vec<_> = (1..=6)
        .map(|seq| {
            let (store, id) = (store.clone(), first.id);
            tokio::spawn(async move {
                tx!(store.write, |tx| tx.consume_named(run, id, seq).await?).await
            })
        })
        .collect();
    let mut taken = 0;
    for rival in rivals {
        taken += i32::from(rival.await.expect("no panic").expect("answered"));
    }
    assert_eq!(taken, 1, "{database}");
    assert_eq!(oldest(&["stop", "go"]).await.map(|s| s.payload), Some(json!(2)), "{database}");
    let known = tx!(store.read, |tx| {
        let named = SignalKind::Named("go");
        (tx.has_signal(run, named, "k1").await?, tx.has_signal(run, named, "k9").await?)
    });
    assert_eq!(known.await.unwrap(), (true, false), "{database}: a consumed signal is still known");
    let open = tx!(store.read, |tx| tx.open_signals_of(&[run]).await?).await.unwrap();
    let open: Vec<_> = open[&run].named.iter().map(|signal| signal.payload.clone()).collect();
    assert_eq!(open, [json!(0), json!(2), json!(3)], "{database}: oldest first");
});

law!(a_run_and_its_children_are_locked_in_one_order, async |database: &TestDb, store: Opened| {
    for _ in 0..25 {
        let parent = store.start().await;
        let ids = branches(&store, parent, store.id(), 6).await;
        let mut at_once = Vec::new();
        for run in ids.clone() {
            let mut end = Commit { turn: TurnChange::End, ..store.commit(run, 0) };
            (end.head.status, end.head.ended_at) = ("cancelled", Some(START));
            at_once.push(store.store.write(stepping(end, vec![parent])));
        }
        let park = parked(store.commit(parent, 0), None, 0);
        at_once.push(store.store.write(stepping(park, ids)));
        let done = futures_util::future::join_all(at_once).await;
        assert!(done.iter().all(|done| done == &Ok(())), "{database}: {done:?}");
    }
});

/// Returns a transaction that commits a step of a run, and wakes the runs in `woken`.
/// For example, the end of a child wakes its parent, and an order to a parent wakes its children.
fn stepping(
    commit: Commit,
    woken: Vec<RunId>,
) -> impl for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<(), Problem>> + Send + 'static {
    tx_closure(move |tx| {
        let (commit, woken) = (commit.clone(), woken.clone());
        Box::pin(async move {
            woken.iter().for_each(|run| tx.wake(*run));
            tx.commit_step(commit).await?;
            Ok(())
        })
    })
}

law!(compensations_are_a_stack, async |database: &TestDb, store: Opened| {
    let run = store.start().await;
    let undo = |pos: i64, node: u32| UndoRow { pos, node, args: Digest::of(&[1, 2, 3]) };
    let pushed = tx!(store.write, |tx| {
        for pos in 1..=3 {
            tx.push_undo(run, undo(pos, 10 + u32::try_from(pos).unwrap_or(0))).await?;
        }
        let changed = [(11, 12), (12, 11), (9, 9)];
        let changed = changed.map(|(old, new)| Replacement { old, new });
        tx.renumber_undos(run, &changed).await?;
    });
    pushed.await.unwrap();
    let nodes = tx!(store.read, |tx| tx.undo_nodes(&[run]).await?).await.unwrap();
    assert_eq!(nodes[&run], [11, 12, 13], "{database}: two steps are swapped");
    let mut walked = Vec::new();
    loop {
        let top = tx!(store.read, |tx| tx.top_undo(run).await?).await.unwrap();
        let Some(top) = top else { break };
        let state = if walked.is_empty() { "failed" } else { "done" };
        tx!(store.write, |tx| tx.close_undo(run, top.pos, state).await?).await.unwrap();
        walked.push((top.pos, top.node));
    }
    assert_eq!(walked, [(3, 13), (2, 11), (1, 12)], "{database}: the last is undone first");
});

law!(
    a_parent_undoes_its_branches_calls_last_branch_first,
    async |database: &TestDb, store: Opened| {
        let run = store.start().await;
        let ids = branches(&store, run, store.id(), 3).await;
        let args = Digest::of(b"args");
        let adopted = tx!(store.write, [ids], |tx| {
            tx.push_undo(run, UndoRow { pos: 1, node: 1, args }).await?;
            for (branch, calls) in [(0_u32, 2), (2, 1)] {
                for pos in 1..=calls {
                    let node = 100 * (branch + 1) + u32::try_from(pos).unwrap_or(0);
                    tx.push_undo(ids[branch as usize], UndoRow { pos, node, args }).await?;
                }
            }
            tx.adopt_undos(run, 1, &[(ids[0], 2), (ids[1], 0), (ids[2], 1)]).await?
        });
        assert_eq!(adopted.await.unwrap(), 4, "{database}: the height of the stack");
        let mut walked = Vec::new();
        while let Some(top) = tx!(store.read, |tx| tx.top_undo(run).await?).await.unwrap() {
            tx!(store.write, |tx| tx.close_undo(run, top.pos, "done").await?).await.unwrap();
            walked.push((top.pos, top.node));
        }
        assert_eq!(walked, [(4, 301), (3, 102), (2, 101), (1, 1)], "{database}");
    }
);
