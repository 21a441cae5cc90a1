//! The cost of a run grows at most linearly: with people, with steps, and with the length of the method.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use abide_engine::store::{CommitParts, CommitPoint, FaultAction, FaultHooks, StatementHooks};
use serde_json::{Value, json};

use super::church::{Church, Setup};
use super::probe::probed;
use crate::postgres::{TestDb, databases};

/// Counts commits and lets all of them succeed.
#[derive(Default)]
struct CommitCounter(AtomicU64);

impl CommitCounter {
    /// Returns the number of commits since this function was last called.
    fn take(&self) -> u64 {
        self.0.swap(0, Ordering::SeqCst)
    }
}

impl StatementHooks for CommitCounter {}

impl FaultHooks for CommitCounter {
    fn at_commit(&self, point: CommitPoint, _: CommitParts) -> FaultAction {
        if point == CommitPoint::Before {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
        FaultAction::Go
    }
}

async fn open_counted(database: TestDb, setup: Setup) -> (Church, Arc<CommitCounter>) {
    let commits = Arc::new(CommitCounter::default());
    let church = Church::with(database, Setup { faults: commits.clone(), ..setup }).await;
    (church, commits)
}

const WALK: &str = r#"
method: walk
steps:
  - id: step
    call: echo
    foreach: n in goal.items
    args: { value: "{{n}}" }
  - id: rest
    call: attempt
    args: { failures: "{{goal.failures}}", transient: true }
    retry: { attempts: 100, backoff: fixed, first: 1h, max: 1h, on: [transient] }
"#;

const HEAD: &str = "SELECT CAST(LENGTH(state) AS BIGINT) FROM run";

/// Runs a method with `steps` calls, followed by a call that must be retried.
/// Returns the number of commits of the calls, the number of commits of the retries,
/// and the size of the run's head in bytes.
async fn run_steps(database: TestDb, steps: usize) -> (u64, u64, i64) {
    let (church, commits) = open_counted(database, probed(&[("walk", WALK)])).await;
    commits.take();
    let items: Vec<Value> = (0..steps).map(Value::from).collect();
    let run =
        church.start("walk", json!({ "items": items, "failures": 5 })).await.expect("started").id;
    let walk = commits.take();
    let view = church.run(run).await;
    assert_eq!(view.status.as_str(), "waiting", "{:?}", view.error);
    church.advance("59min").await;
    commits.take();
    church.advance("20min").await;
    let again = commits.take();
    assert_eq!(church.run(run).await.waiting_on.expect("a pause").kind.as_str(), "retry");
    let head = church.number(HEAD).await;
    church.assert_consistent().await;
    (walk, again, head)
}

#[tokio::test]
async fn each_of_ten_thousand_steps_costs_as_much_as_each_of_ten() {
    let (walk, again, head) = run_steps(TestDb::sqlite(), 10).await;
    let (long_walk, long_again, long_head) = run_steps(TestDb::sqlite(), 10_000).await;
    assert_eq!(long_walk - walk, 10_000 - 10, "one commit per step");
    assert_eq!(long_again, again, "resuming costs the same");
    assert!(long_head <= head + 32, "{head} bytes became {long_head}");
}

#[tokio::test]
async fn a_long_run_on_postgres_keeps_its_head_small() {
    let (walk, again, head) = run_steps(TestDb::postgres(), 10).await;
    let (long_walk, long_again, long_head) = run_steps(TestDb::postgres(), 1_000).await;
    assert_eq!((long_walk - walk, long_again), (1_000 - 10, again));
    assert!(long_head <= head + 32, "{head} bytes became {long_head}");
}

/// Builds a method of about `lines` lines, with three lines for each step.
fn long_method(lines: usize) -> String {
    let mut text = "method: long\nlimits: { max_duration: 2days }\nsteps:\n".to_owned();
    for n in 0..lines / 3 {
        let _ = write!(
            text,
            "  - id: s{n}\n    call: echo\n    args: {{ value: \"{{{{goal.n + {n}}}}}\" }}\n"
        );
    }
    text
}

#[tokio::test]
async fn a_method_of_a_thousand_lines_runs_to_its_end() {
    for database in databases() {
        let text = long_method(1_000);
        let (church, commits) = open_counted(database, probed(&[("long", &text)])).await;
        commits.take();
        let run = church.start("long", json!({ "n": 1 })).await.expect("started").id;
        assert_eq!(church.run(run).await.status.as_str(), "completed");
        // One commit starts the run, and each of the 333 steps takes one commit.
        // On PostgreSQL, claims are commits too.
        let commits = commits.take();
        assert!((334..=340).contains(&commits), "{commits}");
        assert_eq!(church.receipts(run).await.len(), 333);
        church.assert_consistent().await;
    }
}

const MESSAGES: &str = "SELECT COUNT(*) FROM outbox WHERE state = 'sent'";

/// Invites this number of people, and returns the number of commits that this took.
async fn commits_to_ask(people: usize) -> u64 {
    let (church, commits) = open_counted(TestDb::sqlite(), Setup::default()).await;
    church.add_people(people, "choir").await;
    commits.take();
    let goal =
        json!({ "kind": "FillRole", "role": "choir", "count": 1, "time": super::church::SERVICE });
    let run = church.start("fill_roles", goal).await.expect("started").id;
    assert_eq!(church.number(MESSAGES).await, i64::try_from(people).expect("fits"));
    let made =
        church.receipts(run).await.into_iter().filter(|r| r["tool"] == "make_offers").count();
    assert_eq!(made, 1, "one receipt for the whole call");
    let head = church.number(HEAD).await;
    assert!(head < 2_048, "a head of {head} bytes");
    commits.take()
}

#[tokio::test]
async fn ten_times_the_people_take_ten_times_the_commits() {
    let (few, many) = (commits_to_ask(1_000).await, commits_to_ask(10_000).await);
    assert!(many <= few * 10, "{few} commits for 1,000 people, {many} for 10,000");
    assert!(many <= 10_000 / 20, "{many} commits for 10,000 people");
}
