//! Lists are read page by page while items are added.
//! No item is returned twice, and no older item is left out.

use std::collections::BTreeSet;

use abide_engine::base::{EventId, MessageId, RunId, StreamId, TimerId};
use abide_engine::store::{EventPosition, EventQuery, MessageQuery, RunFilter, ScheduleTarget};
use serde_json::json;

use super::support::{Opened, TENANT, inbound, law, minutes, schedule, tx};
use crate::postgres::TestDb;

/// The lists that are read in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    Runs,
    Messages,
    Log,
    Feed,
    Stream(RunId),
    Timers(RunId),
    Starts,
}

/// Number of items that exist before reading begins.
const OLD: usize = 9;
/// Number of items in a page.
const PAGE: i64 = 2;

/// Adds an item to every list. The new item is the newest of its list. The clock moves only before every
/// second item, so the items of a list form pairs with the same time.
async fn add(store: &Opened, run: RunId, nth: usize) {
    if nth.is_multiple_of(2) {
        store.clock.set(store.now() + minutes(1));
    }
    store.start().await;
    let inbound = inbound(&format!("p{nth}"), "+15550100", store.now());
    let goal = json!({});
    let targets =
        [ScheduleTarget::Signal(run, goal.clone()), ScheduleTarget::Start("m".to_owned(), goal)];
    let schedules = targets.map(|target| schedule(store.id(), target, store.now()));
    let stored = tx!(store.write, [inbound, schedules], |tx| {
        tx.store_inbound(TENANT, &inbound).await?;
        for schedule in &schedules {
            tx.insert_schedule(schedule).await?;
        }
    });
    stored.await.expect("stored");
    let mut commit = store.commit(run, i64::try_from(nth).expect("few"));
    commit.events[0].id = store.id();
    store.must_commit(commit).await;
}

/// Returns the ids on one page of a list. The page begins right after the item with the id `behind`.
/// If `behind` is `None`, it is the first page.
async fn page(store: &Opened, list: List, behind: Option<&str>) -> Vec<String> {
    let message = behind.and_then(|id| id.parse::<MessageId>().ok());
    let event = behind.and_then(|id| id.parse::<EventId>().ok());
    let filter =
        RunFilter { before: behind.and_then(|id| id.parse().ok()), ..RunFilter::default() };
    let query = MessageQuery { before: message, ..MessageQuery::default() };
    let timer = behind.and_then(|id| id.parse::<TimerId>().ok());
    let seq: i64 = behind.and_then(|seq| seq.parse().ok()).unwrap_or(0);
    let read = tx!(store.read, [filter, query], |tx| {
        let named = |id: &dyn std::fmt::Display| id.to_string();
        match list {
            List::Runs => {
                tx.runs(TENANT, &filter, PAGE).await?.iter().map(|r| named(&r.id)).collect()
            }
            List::Messages => {
                tx.inbound_page(TENANT, &query, PAGE).await?.iter().map(|m| named(&m.id)).collect()
            }
            List::Log => {
                tx.tenant_events(TENANT, event, PAGE).await?.iter().map(|e| named(&e.id)).collect()
            }
            List::Feed => {
                let after = match event {
                    Some(id) => tx.event_place(TENANT, id).await?.expect("an event"),
                    None => EventPosition::beginning(),
                };
                let found = tx.events_after(TENANT, after, EventQuery::default(), PAGE).await?;
                found.iter().map(|e| named(&e.id)).collect()
            }
            List::Stream(run) => {
                let found = tx.stream_events(StreamId::from(run), seq, PAGE).await?;
                found.iter().map(|e| named(&e.seq)).collect::<Vec<String>>()
            }
            List::Timers(run) => {
                let found = tx.schedules(TENANT, Some(run), timer, PAGE).await?;
                found.iter().map(|s| named(&s.id)).collect()
            }
            List::Starts => {
                let found = tx.schedules(TENANT, None, timer, PAGE).await?;
                found.iter().map(|s| named(&s.id)).collect()
            }
        }
    });
    read.await.expect("read")
}

law!(a_list_is_read_whole_while_others_write, async |database: &TestDb, store: Opened| {
    let run = store.start().await;
    let mut nth = 0;
    for _ in 0..OLD {
        add(&store, run, nth).await;
        nth += 1;
    }
    let whole = [List::Runs, List::Messages, List::Log, List::Feed, List::Starts];
    for list in whole.into_iter().chain([List::Stream(run), List::Timers(run)]) {
        database.wait_until_log_is_readable().await;
        let old = all(&store, list, async || {}).await;
        assert!(old.len() >= OLD, "{database}: {list:?}: {old:?}");
        let mut meanwhile = 0;
        let read = all(&store, list, async || {
            // Items are added only three times. If they were added after each page,
            // reading a list that begins with the oldest item would never end.
            if meanwhile < 3 {
                meanwhile += 1;
                add(&store, run, nth).await;
                nth += 1;
            }
        })
        .await;
        let once: BTreeSet<&String> = read.iter().collect();
        assert_eq!(once.len(), read.len(), "{database}: {list:?}: nothing twice: {read:?}");
        let kept: Vec<&String> = read.iter().filter(|id| old.contains(id)).collect();
        assert_eq!(kept, old.iter().collect::<Vec<_>>(), "{database}: {list:?}: in the same order");
    }
});

/// Reads a list page by page, and calls the function `meanwhile` after each page.
async fn all(store: &Opened, list: List, mut meanwhile: impl AsyncFnMut()) -> Vec<String> {
    let mut read: Vec<String> = Vec::new();
    loop {
        let items = page(store, list, read.last().map(String::as_str)).await;
        let Some(_) = items.last() else { return read };
        assert!(items.len() <= usize::try_from(PAGE).expect("few"), "{list:?}");
        read.extend(items);
        meanwhile().await;
    }
}
