//! Branches and rounds are child runs.
//! The program is killed while these child runs are started, signalled and joined.

use serde_json::json;

use super::{KillTest, on_both_databases_with_kills, rounds_wanted};
use crate::deployment::Deployment;
use crate::postgres::TestDb;

/// Number of people, each of whom gets a message in a separate round.
const PEOPLE: usize = 5;

const METHOD: &str = "method: abreast
description: Waits on two sides, then tells everybody of a role, two at a time.
limits: { max_duration: 2days, max_messages: 20 }
steps:
  - parallel:
      - - await: { signal: left, timeout: 5h, out: left }
      - - await: { signal: right, timeout: 5h, out: right }
        - call: notify
          occasion: right
          args: { targets: [staff], template: filled_n_of_m, vars: { n: 1, m: 2 } }
  - call: search_people
    args: { filter: { roles: [\"{{goal.role}}\"] }, limit: 10 }
    out: people
  - foreach: person in people
    concurrency: 2
    steps:
      - await: { timeout: 1s }
      - call: notify
        occasion: hello
        args: { targets: [\"{{person}}\"], template: filled_n_of_m, vars: { n: 3, m: 3 } }
success_when: left == 1 and right == 2
";

async fn start_and_signal(test: &mut KillTest, number: usize) -> String {
    let role = format!("abreast{number}");
    test.add_people(&role, number * PEOPLE..(number + 1) * PEOPLE).await;
    let run = test.start_once("abreast", json!({"kind": "Tell", "role": role})).await;
    let path = format!("/v1/runs/{run}/signal");
    let signals = [
        (path.clone(), json!({"name": "left", "data": 1, "key": "left"})),
        (path, json!({"name": "right", "data": 2, "key": "right"})),
    ];
    test.post_and_kill(&signals).await;
    // Kill the program a second time, while the rounds run.
    // Each round waits for a second, and then sends its message.
    test.poll_until(&format!("/v1/runs/{run}/messages"), |page| page["items"][0].is_object()).await;
    test.post_and_kill(&[]).await;
    run
}

async fn story(db: TestDb) {
    let mut test = KillTest::new(Deployment::seeded(db).with_method("abreast", METHOD));
    let mut runs = Vec::new();
    for number in 0..rounds_wanted() {
        runs.push(start_and_signal(&mut test, number).await);
    }
    let messages = test.end(&runs).await;
    let sent = messages.iter().filter(|message| message["state"] == "sent").count();
    assert_eq!(sent, rounds_wanted() * (PEOPLE + 1), "{messages:#?}");
}

on_both_databases_with_kills!(story);
