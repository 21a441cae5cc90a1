//! Three workers under load. One worker is killed.
//! Another worker is suspended until its lease has ended, and then continues.

use std::ops::Range;

use serde_json::{Value, json};

use crate::deployment::{Deployment, assert_one_receipt_a_call, poll_until, settled_messages};
use crate::postgres::TestDb;
use crate::process::ServerProcess;
use crate::support::env_number;

/// Number of campaigns per round.
const CAMPAIGNS: usize = 12;
/// Number of people whom one campaign asks. The campaign needs two of them.
const PEOPLE: usize = 4;
const DEAD_NODES: &str = "SELECT count(*) FROM node WHERE dead = 1";
const OWNED_TURNS: &str = "SELECT count(owner) FROM turn";
const CLAIMED_TURNS: &str = "SELECT count(*) FROM turn WHERE epoch > 1";

fn phone(campaign: usize, person: usize) -> String {
    format!("+1512777{campaign:03}{person}")
}

/// Default number of rounds; `ABIDE_NODE_ROUNDS` overrides it.
const ROUNDS: usize = 1;

fn rounds_wanted() -> usize {
    env_number("ABIDE_NODE_ROUNDS").unwrap_or(ROUNDS)
}

async fn add_people(server: &ServerProcess, campaigns: Range<usize>) {
    let people: Vec<Value> = campaigns
        .flat_map(|campaign| (0..PEOPLE).map(move |person| (campaign, person)))
        .map(|(campaign, person)| {
            json!({"name": format!("P{campaign}x{person}"), "phone": phone(campaign, person),
                "roles": [format!("role{campaign}")]})
        })
        .collect();
    let reply = server.post("/v1/people", &Value::from(people)).await;
    assert!(reply.status < 300, "{reply:?}");
}

/// Starts these campaigns concurrently, and returns their runs.
async fn start(server: &ServerProcess, campaigns: Range<usize>) -> Vec<String> {
    let starts = campaigns.map(async |n| {
        let time = format!("{}-01-05T09:00:00-06:00", 2031 + n / CAMPAIGNS);
        let goal =
            json!({"kind": "FillRole", "role": format!("role{n}"), "count": 2, "time": time});
        let started = server.post("/v1/runs", &json!({"method": "fill_roles", "goal": goal})).await;
        assert!(started.status < 300, "{started:?}");
        started.body["id"].as_str().expect("an id").to_owned()
    });
    futures_util::future::join_all(starts).await
}

/// Lets all people of these campaigns accept concurrently.
async fn say_yes(server: &ServerProcess, campaigns: Range<usize>) {
    let numbers = campaigns.flat_map(|n| (0..PEOPLE).map(move |person| (n, person)));
    let saying = numbers.map(async |(n, person)| {
        let yes = json!({"id": format!("SM{n}-{person}"), "from": phone(n, person),
            "to": "+15125550199", "body": "yes, happy to"});
        let reply = server.post("/v1/messages/inbound", &yes).await;
        assert_eq!(reply.status, 200, "{reply:?}");
    });
    futures_util::future::join_all(saying).await;
}

/// Polls a query until its result has reached the number `least`.
async fn wait_until_at_least(deployment: &Deployment, sql: &'static str, least: i64) {
    let what = format!("`{sql}` reaches {least}");
    crate::support::wait_until(&what, async || deployment.db.number(sql).await >= least).await;
}

/// Plays one round with three workers. One worker is killed while runs start,
/// and another worker is frozen while people answer.
async fn play_round(deployment: &Deployment, server: &ServerProcess, number: usize) {
    let first = number * CAMPAIGNS;
    let (all, half) = (first..first + CAMPAIGNS, first + CAMPAIGNS / 2);
    // `DEAD_NODES` also counts the workers that stopped in an earlier round.
    let (dead, claimed) =
        (deployment.db.number(DEAD_NODES).await, deployment.db.number(CLAIMED_TURNS).await);
    let killed = deployment.worker();
    let frozen = deployment.worker();
    let steady = deployment.worker();
    add_people(server, all.clone()).await;

    // The first worker is killed while all runs start; the other workers take over.
    let (runs, ()) = tokio::join!(start(server, all.clone()), async {
        wait_until_at_least(deployment, CLAIMED_TURNS, claimed + 1).await;
        killed.kill();
    });
    wait_until_at_least(deployment, DEAD_NODES, dead + 1).await;
    for run in &runs {
        poll_until(server, &format!("/v1/runs/{run}"), |run| run["status"] == "waiting").await;
    }

    // The second worker is frozen while replies arrive, until it is declared dead.
    // The worker then continues while more replies arrive.
    let ((), ()) = tokio::join!(say_yes(server, first..half), async {
        tokio::task::yield_now().await;
        frozen.freeze();
    });
    wait_until_at_least(deployment, DEAD_NODES, dead + 2).await;
    frozen.thaw();
    say_yes(server, half..all.end).await;

    for run in &runs {
        let path = format!("/v1/runs/{run}");
        let ended = poll_until(server, &path, |run| run["status"] == "completed").await;
        assert_eq!(ended["outcome"], "succeeded", "{ended:#}");
        assert_one_receipt_a_call(server, run).await;
    }
    // The worker that was frozen has registered as a new node. The third worker is the other live node.
    wait_until_at_least(deployment, "SELECT count(*) FROM node WHERE dead = 0", 2).await;
    assert!(frozen.stderr().contains("declared dead"), "{}", frozen.stderr());
    // Replies that arrive after the runs have ended are answered, too. Only workers answer them.
    settled_messages(server).await;
    for worker in [frozen, steady] {
        assert!(worker.stop().success(), "a clean stop");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_and_a_frozen_worker_lose_and_double_nothing() {
    let deployment = Deployment::seeded(TestDb::postgres());
    let server = deployment.serve(&["--workers", "0"]);
    for number in 0..rounds_wanted() {
        play_round(&deployment, &server, number).await;
    }
    let replies = rounds_wanted() * CAMPAIGNS * PEOPLE;
    deployment.assert_nothing_lost_or_doubled(&server, replies).await;
    assert!(server.stop().success(), "a clean stop");
    deployment.assert_audit_is_clean();
    assert_eq!(deployment.db.number(OWNED_TURNS).await, 0, "no turn is owned");
}
