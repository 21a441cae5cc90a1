//! Three workers under load: one is killed, one is frozen until its lease has ended and continues as a
//! zombie.

use std::ops::Range;

use serde_json::{Value, json};

use crate::place::{Place, assert_one_receipt_a_call, at_rest, until};
use crate::postgres::TestDb;
use crate::process::Abide;

/// Number of campaigns per round.
const CAMPAIGNS: usize = 12;
/// Number of people asked by one campaign, of whom two are needed.
const PEOPLE: usize = 4;
const DEAD: &str = "SELECT count(*) FROM node WHERE dead = 1";
const IN_HAND: &str = "SELECT count(owner) FROM turn";
const CLAIMED: &str = "SELECT count(*) FROM turn WHERE epoch > 1";

fn phone(campaign: usize, person: usize) -> String {
    format!("+1512777{campaign:03}{person}")
}

/// Default number of rounds; `ABIDE_NODE_ROUNDS` overrides it.
const ROUNDS: usize = 1;

#[expect(clippy::disallowed_methods, reason = "only here does the test read its environment")]
fn rounds_wanted() -> usize {
    std::env::var("ABIDE_NODE_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(ROUNDS)
}

async fn enlist(server: &Abide, campaigns: Range<usize>) {
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

/// Starts these campaigns at once, and returns their runs.
async fn start(server: &Abide, campaigns: Range<usize>) -> Vec<String> {
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

/// Has everybody of these campaigns say yes at once.
async fn say_yes(server: &Abide, campaigns: Range<usize>) {
    let numbers = campaigns.flat_map(|n| (0..PEOPLE).map(move |person| (n, person)));
    let saying = numbers.map(async |(n, person)| {
        let yes = json!({"id": format!("SM{n}-{person}"), "from": phone(n, person),
            "to": "+15125550199", "body": "yes, happy to"});
        let reply = server.post("/v1/messages/inbound", &yes).await;
        assert_eq!(reply.status, 200, "{reply:?}");
    });
    futures_util::future::join_all(saying).await;
}

/// Polls a query until its number is at least `least`.
async fn until_number(place: &Place, sql: &'static str, least: i64) {
    let what = format!("`{sql}` reaches {least}");
    super::until(&what, async || place.db.number(sql).await >= least).await;
}

/// Plays one round: of three workers, one is killed while runs start, and one is frozen while people answer.
async fn round(place: &Place, server: &Abide, number: usize) {
    let first = number * CAMPAIGNS;
    let (all, half) = (first..first + CAMPAIGNS, first + CAMPAIGNS / 2);
    // Workers that stopped in an earlier round count as dead too.
    let (dead, claimed) = (place.db.number(DEAD).await, place.db.number(CLAIMED).await);
    let mortal = place.worker();
    let sleeper = place.worker();
    let steady = place.worker();
    enlist(server, all.clone()).await;

    // The first is killed while all runs start; the others take over.
    let (runs, ()) = tokio::join!(start(server, all.clone()), async {
        until_number(place, CLAIMED, claimed + 1).await;
        mortal.kill();
    });
    until_number(place, DEAD, dead + 1).await;
    for run in &runs {
        until(server, &format!("/v1/runs/{run}"), |run| run["status"] == "waiting").await;
    }

    // The second is frozen while replies come in, is declared dead, and continues while more come in.
    let ((), ()) = tokio::join!(say_yes(server, first..half), async {
        tokio::task::yield_now().await;
        sleeper.freeze();
    });
    until_number(place, DEAD, dead + 2).await;
    sleeper.thaw();
    say_yes(server, half..all.end).await;

    for run in &runs {
        let path = format!("/v1/runs/{run}");
        let ended = until(server, &path, |run| run["status"] == "completed").await;
        assert_eq!(ended["outcome"], "succeeded", "{ended:#}");
        assert_one_receipt_a_call(server, run).await;
    }
    // The zombie has registered as a new node, next to the steady one.
    until_number(place, "SELECT count(*) FROM node WHERE dead = 0", 2).await;
    assert!(sleeper.said().contains("declared dead"), "{}", sleeper.said());
    // Late replies are answered after the runs have ended, and only workers answer them.
    at_rest(server).await;
    for worker in [sleeper, steady] {
        assert!(worker.stop().success(), "a clean stop");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_and_a_frozen_worker_lose_and_double_nothing() {
    let place = Place::seeded(TestDb::postgres());
    let server = place.serve(&["--workers", "0"]);
    for number in 0..rounds_wanted() {
        round(&place, &server, number).await;
    }
    let replies = rounds_wanted() * CAMPAIGNS * PEOPLE;
    place.assert_nothing_lost_or_doubled(&server, replies).await;
    assert!(server.stop().success(), "a clean stop");
    place.assert_audit_is_clean();
    assert_eq!(place.db.number(IN_HAND).await, 0, "no turn is owned");
}
