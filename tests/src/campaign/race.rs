//! Real concurrency: several engines serve while replies and requests to start runs arrive.

use std::collections::BTreeSet;
use std::time::Duration;

use abide_engine::base::Problem;
use abide_engine::domain::StartRun;
use abide_engine::driver::DriveMode;
use abide_engine::facade::{Engine, RunView};
use abide_engine::run::RunOutcome;
use abide_engine::store::{Dialect, tx_closure};
use abide_verbs::api::TenantContext;
use abide_verbs::api::capacity::{self, NewCapacity};
use serde_json::json;
use tokio::task::JoinSet;

use super::church::{Church, Setup, goal, message};
use crate::engines::Serving;
use crate::postgres::databases;

const ACCEPTED: &str = "SELECT COUNT(*) FROM assignment WHERE state = 'accepted'";
const WAITLISTED: &str = "SELECT COUNT(*) FROM assignment WHERE state = 'waitlisted'";
const SEATS: &str = "SELECT COUNT(DISTINCT seat) FROM assignment WHERE state = 'accepted'";

/// How long a test waits for an answer before virtual time passes.
const UNANSWERED: Duration = Duration::from_millis(500);

/// Builds a setup in which the engine drives up to eight runs concurrently.
pub(super) fn parallel_setup() -> Setup {
    Setup { drive_mode: DriveMode::Tasks(8), ..Setup::default() }
}

/// Returns engines that use the church's database: two on a PostgreSQL server, one on an embedded file.
pub(crate) async fn engines(church: &mut Church) -> Vec<Engine> {
    let mut engines = vec![church.engine().clone()];
    if church.engine().dialect() == Dialect::Postgres {
        engines.push(church.open_another().await);
    }
    engines
}

/// Receives the message "yes" from all of these volunteers concurrently.
/// The messages are distributed over several engines, all of which serve.
async fn all_say_yes(church: &mut Church, letters: &str) {
    let engines = engines(church).await;
    let serving = Serving::begin(&engines);
    let mut replies = JoinSet::new();
    for (n, letter) in letters.chars().enumerate() {
        let engine = engines[n % engines.len()].clone();
        let yes = message(&format!("SM-{letter}"), &Church::phone(letter), "yes");
        replies.spawn(async move { engine.receive("default", yes).await });
    }
    loop {
        // A caller whose message another engine has applied looks for it a while later. So time passes if nobody answers.
        let next = tokio::time::timeout(UNANSWERED, replies.join_next()).await;
        let Ok(next) = next else {
            church.move_clock("200ms");
            continue;
        };
        let Some(reply) = next else { break };
        let received = reply.expect("no panic").expect("received");
        assert!(["reply", "stored"].contains(&received.handled_as.as_str()), "{received:?}");
    }
    serving.stop().await;
    drop(engines);
    church.crash().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn five_of_twelve_who_say_yes_at_once_get_a_place() {
    for database in databases() {
        let mut church = Church::with(database, parallel_setup()).await;
        let run = church.fill(5).await.id;
        church.engine().tick().await.expect("settled");
        all_say_yes(&mut church, "ABCDEFGHIJKL").await;
        let counts = (church.number(ACCEPTED).await, church.number(WAITLISTED).await);
        assert_eq!((counts, church.number(SEATS).await), ((5, 7), 5));
        assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
        for letter in 'A'..='L' {
            let to = Church::phone(letter);
            let told = church.sent(&to, "confirmed").await + church.sent(&to, "waitlisted").await;
            assert_eq!(told, 1, "{letter} is told once");
        }
        church.assert_consistent().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_two_who_race_for_the_last_place_is_waitlisted() {
    for database in databases() {
        let mut church = Church::with(database, parallel_setup()).await;
        church.fill(2).await;
        church.engine().tick().await.expect("settled");
        all_say_yes(&mut church, "A").await;
        all_say_yes(&mut church, "FG").await;
        let counts = (church.number(ACCEPTED).await, church.number(WAITLISTED).await);
        assert_eq!(counts, (2, 1));
        church.assert_consistent().await;
    }
}

/// No engine serves while the replies arrive. So all replies are stored before the first reply is applied.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn replies_are_ordered_by_the_gateways_time_and_then_its_id() {
    for database in databases() {
        let church = Church::with(database, parallel_setup()).await;
        church.fill(1).await;
        church.advance("1min").await;
        let now = church.engine().now();
        let earlier = "2025-09-30T10:00:30-05:00".parse().expect("an instant");
        let says = async |id: &str, letter: char, at| {
            let mut yes = message(id, &Church::phone(letter), "yes");
            yes.received_at = Some(at);
            let received = church.engine().receive("default", yes).await.expect("received");
            assert_eq!(received.handled_as.as_str(), "stored", "no process applies it yet");
        };
        tokio::join!(says("SM-b", 'F', now), says("SM-a", 'G', now), says("SM-z", 'H', earlier));
        church.engine().tick().await.expect("settled");
        assert_eq!(church.sent(&Church::phone('H'), "confirmed").await, 1);
        assert_eq!(church.sent(&Church::phone('F'), "waitlisted").await, 1);
        let away = message("SM-away", &Church::phone('H'), "sorry, I can't make it anymore");
        church.engine().receive("default", away).await.expect("received");
        church.engine().tick().await.expect("settled");
        assert_eq!(
            church.sent(&Church::phone('G'), "confirmed").await,
            1,
            "the lower id was first"
        );
        assert_eq!(church.sent(&Church::phone('F'), "confirmed").await, 0);
        church.assert_consistent().await;
    }
}

/// Starts the same run on all engines concurrently, and returns the result that each engine reports.
async fn all_start(engines: &[Engine], wanted: &StartRun) -> Vec<Result<RunView, Problem>> {
    let mut starting = JoinSet::new();
    for n in 0..6 {
        let (engine, wanted) = (engines[n % engines.len()].clone(), wanted.clone());
        starting.spawn(async move { engine.start_run("default", wanted).await });
    }
    let mut started = Vec::new();
    while let Some(result) = starting.join_next().await {
        started.push(result.expect("no panic"));
    }
    started
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn simultaneous_starts_make_one_run() {
    for database in databases() {
        let mut church = Church::with(database, parallel_setup()).await;
        let engines = engines(&mut church).await;
        let mut wanted =
            StartRun { method: "fill_roles".to_owned(), goal: goal(5), ..StartRun::default() };
        let started = all_start(&engines, &wanted).await;
        let (runs, refused): (Vec<_>, Vec<_>) = started.into_iter().partition(Result::is_ok);
        assert_eq!(runs.len(), 1, "{refused:?}");
        for refused in refused.into_iter().filter_map(Result::err) {
            assert_eq!(refused.code, "already_running", "{refused}");
        }
        wanted.key = Some("pat-1".to_owned());
        wanted.goal["time"] = "2025-10-05T11:00:00-05:00".into();
        let started = all_start(&engines, &wanted).await;
        let runs: BTreeSet<_> = started.into_iter().map(|r| r.expect("started").id).collect();
        assert_eq!(runs.len(), 1, "one key, one run");
        church.engine().tick().await.expect("settled");
        assert_eq!(church.number("SELECT COUNT(*) FROM run").await, 2);
        assert_eq!(church.provider.sent().len(), 12 + 12);
        church.assert_consistent().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_many_runs_reserves_the_last_unit() {
    const TAKE: &str = "method: take\nsteps: [{ call: reserve, args: { key: van, amount: 1 } }]\n";
    for database in databases() {
        let mut church = Church::with(database, parallel_setup().method("take", TAKE)).await;
        let caller = TenantContext::load(church.engine(), "default").await.expect("a caller");
        let one_van = tx_closure(move |tx| {
            let caller = caller.clone();
            Box::pin(async move {
                capacity::set(tx, &caller.context(), "van", &NewCapacity { total: 1 }).await
            })
        });
        church.engine().write(one_van).await.expect("is set");
        let engines = engines(&mut church).await;
        let wanted = StartRun { method: "take".to_owned(), goal: json!({}), ..StartRun::default() };
        let serving = Serving::begin(&engines);
        let started = all_start(&engines, &wanted).await;
        serving.stop().await;
        drop(engines);
        church.crash().await;
        church.advance("2s").await; // a run that found the database too busy is retried a second later
        let mut ended = Vec::new();
        for run in started {
            ended.push(church.run(run.expect("starts").id).await.status.as_str());
        }
        ended.sort();
        assert_eq!(ended, ["completed", "failed", "failed", "failed", "failed", "failed"]);
        church.assert_consistent().await;
    }
}
