//! Lists contain the same rows as a plain filter over all rows, whatever is filtered, and their pages join without gap.
//! The statements differ by what is filtered, because each reads its rows through the index that fits.

use std::fmt::Debug;

use abide_engine::base::{CallId, MessageId, PersonId, RequestId, RunId, Timestamp, TypedId as _};
use abide_engine::store::{
    Commit, InboundResult, InboundRow, MessageQuery, NewRun, OutboundRow, OutboxMessage,
    ParentLink, RunFilter, RunRow, TurnChange,
};
use abide_verbs::data::person::{self, Person, PersonFilter};
use abide_verbs::data::request::{self, RequestFilter};
use abide_verbs::request::{Request, RequestCause, RequestStatus, Targets};
use serde_json::json;

use super::outbox::OutboxFixture;
use super::support::{Opened, START, TENANT, inbound, law, minutes, new_run, parked, tx};
use crate::postgres::{TestDb, databases};

/// Number of rows on a page.
const PAGE: usize = 4;
/// Number of runs, messages, people or requests of which the lists are read.
const ROWS: usize = 30;

/// Reads pages until there are no more, and compares the ids with the expected ones.
async fn must_be<I: Copy + PartialEq + Debug>(
    expected: &[I],
    case: &str,
    mut page: impl AsyncFnMut(Option<I>) -> Vec<I>,
) {
    let mut found: Vec<I> = Vec::new();
    loop {
        let next = page(found.last().copied()).await;
        assert!(next.len() <= PAGE, "{case}");
        if next.is_empty() {
            break;
        }
        found.extend(next);
    }
    assert_eq!(found, expected, "{case}");
}

/// Starts a run and brings it into a state that depends on its number.
async fn add_run(store: &Opened, nth: usize, requests: &[RequestId]) -> RunId {
    let method = ["alpha", "beta", "gamma"][nth % 3].to_owned();
    let request = requests.get(nth % (requests.len() + 1)).copied();
    start(store, NewRun { method, request, ..new_run(store.id()) }, nth).await
}

/// Starts a run. Some runs are pending, wait, are overdue or have ended.
async fn start(store: &Opened, new: NewRun, nth: usize) -> RunId {
    let run = new.id;
    let inserted = tx!(store.write, [new], |tx| tx.insert_runs(std::slice::from_ref(&new)).await?);
    inserted.await.expect("inserted");
    let commit = store.commit(run, 0);
    let mut commit = match nth % 5 {
        0 => return run,
        1 => parked(commit, Some(store.now() - minutes(1)), 0),
        2 | 3 => parked(commit, Some(store.now() + minutes(600)), 0),
        _ => Commit { turn: TurnChange::End, ..commit },
    };
    commit.head.status = if nth % 5 == 4 { ["failed", "completed"][nth % 2] } else { "waiting" };
    commit.head.ended_at = (nth % 5 == 4).then(|| store.now());
    commit.events[0].id = store.id();
    store.must_commit(commit).await;
    run
}

/// Returns every combination of what a list of runs can be filtered by.
fn run_filters(request: RequestId) -> Vec<RunFilter> {
    let mut filters = Vec::new();
    for status in [None, Some("pending"), Some("waiting"), Some("completed"), Some("paused")] {
        for method in [None, Some("beta"), Some("unknown")] {
            for request in [None, Some(request)] {
                for flags in 0..8 {
                    let (stuck, live, waiting) = (flags & 1 > 0, flags & 2 > 0, flags & 4 > 0);
                    let (status, method) = (status.map(str::to_owned), method.map(str::to_owned));
                    let all = RunFilter { status, method, request, ..RunFilter::default() };
                    filters.push(RunFilter { stuck, live, waiting, ..all });
                }
            }
        }
    }
    filters
}

fn matches(run: &RunRow, filter: &RunFilter, now: Timestamp, with_stuck_branch: RunId) -> bool {
    let status = if filter.waiting { Some("waiting") } else { filter.status.as_deref() };
    let is_late = run.expected_by.is_some_and(|by| by < now) || run.id == with_stuck_branch;
    status.is_none_or(|status| run.status.as_str() == status)
        && filter.method.as_ref().is_none_or(|method| run.method == *method)
        && (filter.request.is_none() || run.request == filter.request)
        && (!filter.live || run.ended_at.is_none())
        && (!filter.stuck || is_late)
}

law!(a_list_of_runs_is_that_of_a_plain_filter, async |database: &TestDb, store: Opened| {
    let requests: Vec<RequestId> = vec![store.id(), store.id()];
    let mut runs = Vec::new();
    for nth in 0..ROWS {
        runs.push(add_run(&store, nth, &requests).await);
    }
    // An overdue branch makes its run stuck, and runs of another tenant are in no list.
    let (parent, call) = (runs[2], store.id::<CallId>());
    let parent_link = Some(ParentLink { parent, call, ordinal: 0, branch: true });
    start(&store, NewRun { parent_link, ..new_run(store.id()) }, 1).await;
    start(&store, NewRun { tenant: "north".to_owned(), ..new_run(store.id()) }, 0).await;
    let read = async |filter: RunFilter, limit: usize| -> Vec<RunRow> {
        let limit = i64::try_from(limit).expect("few");
        tx!(store.read, [filter], |tx| tx.runs(TENANT, &filter, limit).await?).await.expect("read")
    };
    let all = read(RunFilter::default(), 2 * ROWS).await;
    let ids: Vec<RunId> = all.iter().map(|run| run.id).collect();
    runs.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(ids, runs, "{database}: all runs, newest first, without branches");
    for filter in run_filters(requests[0]) {
        let kept = all.iter().filter(|run| matches(run, &filter, store.now(), parent));
        let expected: Vec<RunId> = kept.map(|run| run.id).collect();
        must_be(&expected, &format!("{database}: {filter:?}"), async |before| {
            let page = read(RunFilter { before, ..filter.clone() }, PAGE).await;
            page.iter().map(|run| run.id).collect()
        })
        .await;
    }
});

/// Returns every combination of what a list of messages can be filtered by, of two values each.
fn message_queries(number: &str, request: RequestId, run: RunId) -> Vec<MessageQuery> {
    let mut queries = Vec::new();
    for flags in 0..8 {
        let number = (flags & 1 > 0).then(|| number.to_owned());
        let request = (flags & 2 > 0).then_some(request);
        let run = (flags & 4 > 0).then_some(run);
        let (to, from) = (number.clone(), number);
        queries.push(MessageQuery { to, from, request, run, before: None });
    }
    queries
}

#[tokio::test]
async fn a_list_of_messages_is_that_of_a_plain_filter() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let OutboxFixture { store, request, run, .. } = outbox.clone();
        let (call, others) = (store.id::<CallId>(), store.start_all(1).await);
        let parent_link = Some(ParentLink { parent: run, call, ordinal: 0, branch: true });
        let branch = start(&store, NewRun { parent_link, ..new_run(store.id()) }, 0).await;
        let runs = [Some(run), Some(branch), Some(others[0]), None];
        for nth in 0..ROWS {
            let of = OutboxMessage {
                request: (nth % 3 > 0).then_some(request),
                run: runs[nth % runs.len()],
                contact: outbox.contacts[nth % 2],
                ..outbox.message(&format!("k{nth}"), 0)
            };
            outbox.queue(vec![of]).await;
        }
        let all = outbox.page(MessageQuery::default()).await;
        assert_eq!(all.len(), ROWS, "{database}");
        for query in message_queries("+15550100", request, run) {
            let is_of_run = |row: &OutboundRow| row.run == Some(run) || row.run == Some(branch);
            let kept = all.iter().filter(|row| {
                query.to.as_ref().is_none_or(|to| row.to == *to)
                    && (query.request.is_none() || row.request == query.request)
                    && (query.run.is_none() || is_of_run(row))
            });
            let expected: Vec<MessageId> = kept.map(|row| row.id).collect();
            must_be(&expected, &format!("{database}: {query:?}"), async |before| {
                let query = MessageQuery { before, ..query.clone() };
                let page = tx!(store.read, [query], |tx| tx
                    .outbound_page(TENANT, &query, i64::try_from(PAGE).expect("few"))
                    .await?);
                page.await.expect("read").iter().map(|row: &OutboundRow| row.id).collect()
            })
            .await;
        }
    }
}

law!(a_list_of_answers_is_that_of_a_plain_filter, async |database: &TestDb, store: Opened| {
    let (request, run) = (store.id::<RequestId>(), store.start().await);
    let number = |nth: usize| ["+15550100", "+15550101"][nth % 2];
    for nth in 0..ROWS {
        let message = inbound(&format!("p{nth}"), number(nth), store.now());
        let stored = tx!(store.write, [message], |tx| {
            let (id, _) = tx.store_inbound(TENANT, &message).await?.expect("new");
            let result = InboundResult {
                message: id,
                partition: (nth % 3 > 0).then(|| request.uuid()),
                ord: None,
                handled_as: "yes",
                run: (!nth.is_multiple_of(4)).then_some(run),
            };
            tx.mark_applied(&[result]).await?
        });
        assert_eq!(stored.await.expect("stored"), 1, "{database}");
    }
    let read = async |query: MessageQuery, limit: usize| -> Vec<InboundRow> {
        let limit = i64::try_from(limit).expect("few");
        let page = tx!(store.read, [query], |tx| tx.inbound_page(TENANT, &query, limit).await?);
        page.await.expect("read")
    };
    let all = read(MessageQuery::default(), ROWS + 1).await;
    assert_eq!(all.len(), ROWS, "{database}");
    for query in message_queries(number(0), request, run) {
        let kept = all.iter().filter(|row| {
            query.from.as_ref().is_none_or(|from| row.from == *from)
                && (query.request.is_none() || row.partition == query.request.map(RequestId::uuid))
                && (query.run.is_none() || row.run == query.run)
        });
        let expected: Vec<MessageId> = kept.map(|row| row.id).collect();
        must_be(&expected, &format!("{database}: {query:?}"), async |before| {
            let page = read(MessageQuery { before, ..query.clone() }, PAGE).await;
            page.iter().map(|row| row.id).collect()
        })
        .await;
    }
});

/// Adds a person whose campus, roles and state depend on their number.
async fn add_person(store: &Opened, nth: usize) -> Person {
    let phone = format!("+155502{nth:02}");
    let contact = tx!(store.write, [phone], |tx| tx.contacts(TENANT, &[phone]).await?[0]);
    let roles = [&["usher"][..], &["greeter", "usher"], &[], &["greeter"], &["parking"]][nth % 5];
    let person = Person {
        id: store.id(),
        external_id: None,
        name: format!("Person {nth}"),
        contact: contact.await.expect("a contact"),
        phone,
        campus: [Some("north"), Some("south"), None][nth % 3].map(str::to_owned),
        time_zone: None,
        language: None,
        wrote_in: None,
        email: None,
        household: None,
        guardian_phone: None,
        active: !nth.is_multiple_of(4),
        is_erased: false,
        roles: roles.iter().map(ToString::to_string).collect(),
    };
    let placed_at = START + minutes(i64::try_from(nth * 7 % 5).expect("few"));
    let added = tx!(store.write, [person], |tx| {
        person::put(tx, TENANT, std::slice::from_ref(&person), tx.now()).await?;
        person::mark_placed(tx, &[person.id], placed_at).await?;
    });
    added.await.expect("added");
    person
}

law!(a_list_of_people_is_that_of_a_plain_filter, async |database: &TestDb, store: Opened| {
    tx!(store.write, |tx| tx.ensure_tenant(TENANT).await?).await.expect("a tenant");
    let mut all = Vec::new();
    for nth in 0..ROWS {
        all.push(add_person(&store, nth).await);
    }
    let placed = |person: &&Person| {
        let nth = all.iter().position(|other| other.id == person.id).expect("one of them");
        (nth * 7 % 5, person.id)
    };
    for roles in [&[][..], &["usher"], &["greeter", "usher"], &["unknown"]] {
        for campus in [None, Some("north"), Some("unknown")] {
            let roles: Vec<String> = roles.iter().map(ToString::to_string).collect();
            let filter = PersonFilter {
                roles,
                campus: campus.map(str::to_owned),
                after: None,
                limit: i64::try_from(PAGE).expect("few"),
            };
            let case = format!("{database}: {filter:?}");
            let has_role = |person: &&Person| {
                filter.roles.is_empty() || filter.roles.iter().any(|it| person.roles.contains(it))
            };
            let of_campus =
                |person: &&Person| campus.is_none() || person.campus.as_deref() == campus;
            let listed = all.iter().filter(has_role).filter(of_campus);
            let expected: Vec<PersonId> = listed.map(|person| person.id).collect();
            must_be(&expected, &case, async |after| {
                let filter = PersonFilter { after, ..filter.clone() };
                let page =
                    tx!(store.read, [filter], |tx| person::list(tx, TENANT, &filter).await?);
                page.await.expect("read").iter().map(|person| person.id).collect()
            })
            .await;
            let asked = all.iter().filter(has_role).filter(|it| it.active);
            let mut asked: Vec<&Person> =
                asked.filter(|it| it.campus.is_none() || of_campus(it)).collect();
            asked.sort_by_key(placed);
            let expected: Vec<PersonId> = asked.iter().map(|person| person.id).collect();
            for limit in [PAGE, ROWS] {
                let limited =
                    PersonFilter { limit: i64::try_from(limit).expect("few"), ..filter.clone() };
                let found =
                    tx!(store.read, [limited], |tx| person::candidates(tx, TENANT, &limited, None)
                        .await?);
                let first = expected.get(..limit).unwrap_or(&expected);
                assert_eq!(found.await.expect("read"), first, "{case}: to be asked");
            }
        }
    }
});

law!(a_list_of_requests_is_that_of_a_plain_filter, async |database: &TestDb, store: Opened| {
    let mut all = Vec::new();
    for nth in 0..ROWS {
        let service_time = START + minutes(i64::try_from(nth).expect("few"));
        let request = Request {
            id: store.id(),
            tenant: TENANT.to_owned(),
            campus: ["", "north"][nth % 2].to_owned(),
            service_time,
            ends_at: service_time + minutes(90),
            moved_from: None,
            targets: Targets::from_value(&json!({ "usher": 2 })).expect("targets"),
            status: [RequestStatus::Open, RequestStatus::Closed][nth / 2 % 2],
            version: 1,
            created_at: START,
            updated_at: START,
        };
        let added = tx!(store.write, [request], |tx| {
            request::insert(tx, &request, RequestCause::Open).await?
        });
        assert!(added.await.expect("added"), "{database}");
        all.push(request);
    }
    for status in [None, Some(RequestStatus::Closed), Some(RequestStatus::Cancelled)] {
        for campus in [None, Some("north"), Some("unknown")] {
            for (from, to) in [(None, None), (Some(START + minutes(5)), Some(START + minutes(20)))]
            {
                let filter = RequestFilter {
                    status,
                    from,
                    to,
                    campus: campus.map(str::to_owned),
                    after: None,
                    limit: i64::try_from(PAGE).expect("few"),
                };
                let kept = all.iter().filter(|it| {
                    status.is_none_or(|status| it.status == status)
                        && campus.is_none_or(|campus| it.campus == campus)
                        && from.is_none_or(|from| it.service_time >= from)
                        && to.is_none_or(|to| it.service_time < to)
                });
                let expected: Vec<RequestId> = kept.map(|request| request.id).collect();
                must_be(&expected, &format!("{database}: {filter:?}"), async |after| {
                    let filter = RequestFilter { after, ..filter.clone() };
                    let page = tx!(store.read, [filter], |tx| {
                        request::list(tx, TENANT, &filter).await?
                    });
                    page.await.expect("read").iter().map(|request| request.id).collect()
                })
                .await;
            }
        }
    }
});
