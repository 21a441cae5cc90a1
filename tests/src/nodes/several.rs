//! Three workers under load: one dies, one falls asleep past its lease and wakes up as a zombie.

use std::time::Duration;

use serde_json::{Value, json};

use crate::place::{Place, assert_one_receipt_a_call, until};
use crate::postgres::TestDb;
use crate::process::Abide;

const CAMPAIGNS: usize = 12;
/// People of one campaign, two of whom are needed.
const PEOPLE: usize = 4;
const DEAD: &str = "SELECT count(*) FROM node WHERE dead = 1";
const IN_HAND: &str = "SELECT count(owner) FROM turn";
const CLAIMED: &str = "SELECT count(*) FROM turn WHERE epoch > 1";
/// Far more than a few leases, for a loaded machine.
const REACHED_WITHIN: Duration = Duration::from_secs(60);

fn phone(campaign: usize, person: usize) -> String {
    format!("+1512777{campaign:03}{person}")
}

async fn enlist(server: &Abide) {
    let people: Vec<Value> = (0..CAMPAIGNS * PEOPLE)
        .map(|n| {
            let (campaign, person) = (n / PEOPLE, n % PEOPLE);
            json!({"name": format!("P{campaign}x{person}"), "phone": phone(campaign, person),
                "roles": [format!("role{campaign}")]})
        })
        .collect();
    let reply = server.post("/v1/people", &Value::from(people)).await;
    assert!(reply.status < 300, "{reply:?}");
}

/// All campaigns begin at once; their runs.
async fn start(server: &Abide) -> Vec<String> {
    let starts = (0..CAMPAIGNS).map(async |n| {
        let goal = json!({"kind": "FillRole", "role": format!("role{n}"), "count": 2,
            "time": "2031-01-05T09:00:00-06:00"});
        let started = server.post("/v1/runs", &json!({"method": "fill_roles", "goal": goal})).await;
        assert!(started.status < 300, "{started:?}");
        started.body["id"].as_str().expect("an id").to_owned()
    });
    futures_util::future::join_all(starts).await
}

/// Everybody of some campaigns says yes at once.
async fn say_yes(server: &Abide, campaigns: std::ops::Range<usize>) {
    let numbers = campaigns.flat_map(|n| (0..PEOPLE).map(move |person| (n, person)));
    let saying = numbers.map(async |(n, person)| {
        let yes = json!({"id": format!("SM{n}-{person}"), "from": phone(n, person),
            "to": "+15125550199", "body": "yes, happy to"});
        let reply = server.post("/v1/messages/inbound", &yes).await;
        assert_eq!(reply.status, 200, "{reply:?}");
    });
    futures_util::future::join_all(saying).await;
}

/// Looks at the tables until a number is reached.
async fn until_number(place: &Place, sql: &'static str, least: i64) {
    let looking = async {
        let mut looks = tokio::time::interval(Duration::from_millis(20));
        while place.db.number(sql).await < least {
            looks.tick().await;
        }
    };
    let reached = tokio::time::timeout(REACHED_WITHIN, looking).await;
    assert!(reached.is_ok(), "`{sql}` stays below {least}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_dies_and_one_falls_asleep_and_nothing_is_lost_or_doubled() {
    let place = Place::seeded(TestDb::postgres());
    let server = place.serve(&["--workers", "0"]);
    let mortal = place.worker();
    let sleeper = place.worker();
    let steady = place.worker();
    enlist(&server).await;

    // The first dies while all begin; the others take over.
    let (runs, ()) = tokio::join!(start(&server), async {
        until_number(&place, CLAIMED, 1).await;
        mortal.kill();
    });
    until_number(&place, DEAD, 1).await;
    for run in &runs {
        until(&server, &format!("/v1/runs/{run}"), |run| run["status"] == "waiting").await;
    }

    // The second freezes while replies come in, is taken for dead, and wakes up while more come in.
    let half = CAMPAIGNS / 2;
    let ((), ()) = tokio::join!(say_yes(&server, 0..half), async {
        tokio::task::yield_now().await;
        sleeper.freeze();
    });
    until_number(&place, DEAD, 2).await;
    sleeper.thaw();
    say_yes(&server, half..CAMPAIGNS).await;

    for run in &runs {
        let path = format!("/v1/runs/{run}");
        let ended = until(&server, &path, |run| run["status"] == "completed").await;
        assert_eq!(ended["outcome"], "succeeded", "{ended:#}");
        assert_one_receipt_a_call(&server, run).await;
    }
    place.assert_nothing_lost_or_doubled(&server, CAMPAIGNS * PEOPLE).await;
    until_number(&place, "SELECT count(*) FROM node WHERE dead = 0", 2).await;
    assert!(sleeper.said().contains("taken for dead"), "{}", sleeper.said());
    for worker in [sleeper, steady] {
        assert!(worker.stop().success(), "a clean stop");
    }
    assert!(server.stop().success(), "a clean stop");
    place.assert_audit_is_clean();
    assert_eq!(place.db.number(IN_HAND).await, 0, "nobody has anything in hand");
}
