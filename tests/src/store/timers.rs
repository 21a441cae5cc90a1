//! Schedules fire in the sequence of their times, and only one process fires each due time.
//! When a run ends, its timers are dropped.

use std::collections::BTreeSet;

use abide_engine::base::{RunId, TimerId, Timestamp};
use abide_engine::policy::{CatchUp, Overlap};
use abide_engine::store::{Commit, ScheduleProgress, ScheduleRow, ScheduleTarget, TurnChange};
use serde_json::json;

use super::support::{Opened, START, TENANT, law, minutes, new_run, schedule, tx};
use crate::postgres::TestDb;

/// Builds a schedule that starts a method `minute` minutes after `START`.
fn start(store: &Opened, minute: i64) -> ScheduleRow {
    let target = ScheduleTarget::Start("fill_roles".to_owned(), json!({"count": 2}));
    let tz = "America/Chicago".to_owned();
    ScheduleRow { tz, ..schedule(store.id(), target, START + minutes(minute)) }
}

fn message(store: &Opened, run: RunId, minute: i64) -> ScheduleRow {
    let target = ScheduleTarget::Signal(run, json!({ "minute": minute }));
    ScheduleRow { target, ..start(store, minute) }
}

async fn add(store: &Opened, rows: &[ScheduleRow]) {
    let rows = rows.to_vec();
    let added = tx!(store.write, [rows], |tx| {
        tx.ensure_tenant(TENANT).await?;
        for row in &rows {
            tx.insert_schedule(row).await?;
        }
    });
    added.await.expect("added");
}

async fn first(store: &Opened) -> Option<ScheduleRow> {
    tx!(store.read, |tx| tx.first_schedule().await?).await.expect("read")
}

/// Advances a schedule to its next time, as firing it does.
/// Returns false if the schedule has changed since it was read.
async fn moved(store: &Opened, seen: &ScheduleRow, next: Option<Timestamp>) -> bool {
    let progress = ScheduleProgress {
        next_at: next,
        last_at: seen.progress.next_at,
        ..ScheduleProgress::default()
    };
    let seen = seen.clone();
    let moved =
        tx!(store.write, [seen, progress], |tx| tx.advance_schedule(&seen, &progress).await?);
    moved.await.expect("answered")
}

law!(
    due_schedules_are_ordered_by_time_and_then_by_age,
    async |database: &TestDb, store: Opened| {
        let rows = [30, 10, 20, 10, 0].map(|minute| start(&store, minute));
        add(&store, &rows).await;
        assert!(store.take_work_due().timers, "{database}: the driver is notified");
        let mut order = Vec::new();
        while let Some(due) = first(&store).await {
            assert!(moved(&store, &due, None).await, "{database}");
            order.push(due.id);
        }
        assert_eq!(order, [4, 1, 3, 2, 0].map(|ix: usize| rows[ix].id), "{database}");
    }
);

law!(only_one_of_many_processes_fires_a_due_schedule, async |database: &TestDb, store: Opened| {
    add(&store, &[start(&store, 0)]).await;
    let due = first(&store).await.expect("it is due");
    let rivals: Vec<_> = (0..8)
        .map(|_| {
            let (store, due, run) = (store.clone(), due.clone(), new_run(store.id()));
            tokio::spawn(async move {
                let progress = ScheduleProgress {
                    next_at: Some(START + minutes(60)),
                    ..ScheduleProgress::default()
                };
                let fired = tx!(store.write, [due, progress, run], |tx| {
                    if tx.advance_schedule(&due, &progress).await? {
                        tx.insert_runs(&[run]).await?;
                    }
                });
                fired.await.expect("answered");
            })
        })
        .collect();
    for rival in rivals {
        rival.await.expect("no panic");
    }
    assert_eq!(database.number("SELECT count(*) FROM run").await, 1, "{database}");
    assert!(!moved(&store, &due, None).await, "{database}: it has changed since it was seen");
    let seen = due.clone();
    let ended = tx!(store.write, [seen], |tx| tx.end_schedule(&seen).await?);
    assert!(!ended.await.unwrap(), "{database}: ending it is refused too");
    assert_eq!(first(&store).await.and_then(|s| s.progress.next_at), Some(START + minutes(60)));
});

law!(a_schedule_is_read_back_as_written, async |database: &TestDb, store: Opened| {
    let run = store.start().await;
    let to_the_micro = Timestamp::from_micros(START.micros() + 1);
    let round = ScheduleRow {
        cron: Some("0 9 * * 1".to_owned()),
        tz: String::new(),
        catch_up: CatchUp::All,
        overlap: Overlap::Queue,
        target: ScheduleTarget::Start(
            "Ärger \u{1F600} '%_\\".to_owned(),
            json!({"": null, "n": i64::MAX}),
        ),
        progress: ScheduleProgress { next_at: Some(to_the_micro), ..ScheduleProgress::default() },
        ..start(&store, 0)
    };
    let said = ScheduleRow {
        target: ScheduleTarget::Signal(run, json!("\u{202e}\0'\"")),
        progress: ScheduleProgress::default(),
        ..start(&store, 0)
    };
    add(&store, &[round.clone(), said.clone()]).await;
    for row in [&round, &said] {
        let id = row.id;
        let read = tx!(store.read, |tx| tx.schedule(TENANT, id).await?).await.unwrap();
        assert_eq!(read.as_ref(), Some(row), "{database}");
    }
    let progress = ScheduleProgress {
        next_at: None,
        waits: true,
        last_at: Some(to_the_micro),
        last_run: Some(run),
        last_error: Some(json!({"code": "x", "hint": ""})),
    };
    let id = round.id;
    let kept = tx!(store.write, [round, progress], |tx| {
        assert!(tx.advance_schedule(&round, &progress).await?);
        tx.schedule(TENANT, id).await?.expect("it is there").progress
    });
    assert_eq!(kept.await.unwrap(), progress, "{database}");
    let elsewhere = tx!(store.write, |tx| {
        (tx.schedule("hope", id).await?, tx.remove_schedule("hope", id).await?)
    });
    assert_eq!(elsewhere.await.unwrap(), (None, false), "{database}: another tenant's");
    assert!(tx!(store.write, |tx| tx.remove_schedule(TENANT, id).await?).await.unwrap());
    let gone = tx!(store.read, |tx| tx.schedule(TENANT, id).await?).await.unwrap();
    assert_eq!(gone, None, "{database}");
});

law!(a_schedule_that_waits_or_is_held_is_not_due, async |database: &TestDb, store: Opened| {
    let rows = [start(&store, 0), start(&store, 5)];
    add(&store, &rows).await;
    let waits = ScheduleProgress {
        next_at: rows[0].progress.next_at,
        waits: true,
        ..ScheduleProgress::default()
    };
    let (row, id) = (rows[0].clone(), rows[0].id);
    let set = tx!(store.write, [row, waits], |tx| tx.advance_schedule(&row, &waits).await?);
    assert!(set.await.unwrap(), "{database}");
    assert_eq!(first(&store).await.map(|s| s.id), Some(rows[1].id), "{database}");
    store.take_work_due();
    tx!(store.write, |tx| tx.release_waiting_schedule(id).await?).await.unwrap();
    assert!(store.take_work_due().timers, "{database}: the driver is notified");
    assert_eq!(first(&store).await.map(|s| s.id), Some(id), "{database}");
    let due =
        async || tx!(store.read, |tx| tx.due(tx.now()).await?).await.unwrap().schedule.is_some();
    assert!(due().await, "{database}");
    let pause = async |on: bool| {
        tx!(store.write, |tx| tx.set_tenant_paused(TENANT, on).await?).await.expect("switched");
    };
    pause(true).await;
    assert_eq!((first(&store).await, due().await), (None, false), "{database}: the switch is on");
    pause(false).await;
    assert!(first(&store).await.is_some() && due().await, "{database}");
});

law!(the_timers_of_a_run_are_dropped_with_it, async |database: &TestDb, store: Opened| {
    let (run, other) = (store.start().await, store.start().await);
    let mine = [9, 3, 6].map(|minute| message(&store, run, minute));
    add(&store, &mine).await;
    add(&store, &[message(&store, other, 1), start(&store, 2)]).await;
    let count = async |run: Option<RunId>, most: usize| {
        tx!(store.read, |tx| tx.count_schedules(TENANT, run, most).await?).await.unwrap()
    };
    let counts = [count(Some(run), 9).await, count(Some(run), 2).await, count(None, 9).await];
    assert_eq!(counts, [3, 2, 1], "{database}: counting stops at the limit");
    let next = tx!(store.read, |tx| tx.next_timer(run).await?).await.unwrap();
    assert_eq!(next, Some(START + minutes(3)), "{database}");
    let hour = minutes(60);
    let moved = tx!(store.write, |tx| tx.move_timers(run, hour).await?).await.unwrap();
    let next = tx!(store.read, |tx| tx.next_timer(run).await?).await.unwrap();
    assert_eq!((moved, next), (3, Some(START + minutes(63))), "{database}");
    let dropped = tx!(store.write, |tx| tx.drop_timers(run).await?).await.unwrap();
    let expected: BTreeSet<TimerId> = mine.iter().map(|row| row.id).collect();
    assert_eq!(dropped.into_iter().collect::<BTreeSet<_>>(), expected, "{database}");
    assert_eq!((count(Some(run), 9).await, count(Some(other), 9).await), (0, 1), "{database}");
    assert_eq!(tx!(store.read, |tx| tx.next_timer(run).await?).await.unwrap(), None);
});

law!(the_audit_finds_timers_of_ended_runs, async |database: &TestDb, store: Opened| {
    let (run, last) = (store.start().await, store.start().await);
    let orphan = message(&store, run, 1);
    let stuck = start(&store, 2);
    add(&store, &[orphan.clone(), stuck.clone()]).await;
    let progress = ScheduleProgress { waits: true, last_run: Some(last), ..stuck.progress.clone() };
    let set =
        tx!(store.write, [stuck, progress], |tx| tx.advance_schedule(&stuck, &progress).await?);
    assert!(set.await.unwrap());
    let broken = async || tx!(store.read, |tx| tx.broken_schedules().await?).await.unwrap();
    assert_eq!(broken().await, [], "{database}: both runs live");
    for over in [run, last] {
        let mut end = Commit { turn: TurnChange::End, ..store.commit(over, 0) };
        (end.head.status, end.head.ended_at) = ("completed", Some(START));
        store.must_commit(end).await;
    }
    let expected = [("orphan_timer", orphan.id), ("nothing_frees_schedule", stuck.id)];
    assert_eq!(broken().await, expected, "{database}");
});
