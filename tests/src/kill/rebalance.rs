//! A service is filled, rebalanced and cancelled. The program is killed during each of these operations.

use serde_json::{Value, json};

use super::{KillTest, on_both_databases_with_kills, rounds_wanted, seeded};
use crate::postgres::TestDb;

/// Number of people with the first role. At first, the request has two places for this role.
const MANY: usize = 3;
/// Number of people with the second role. The rebalance adds this role to the request.
const FEW: usize = 2;

/// Fills a role, and then rebalances the request.
/// The rebalance lowers the target of that role, and sets the target of a second role to one person.
async fn fill_and_rebalance(test: &mut KillTest, number: usize) -> (Value, [String; 2]) {
    let time = json!(format!("2031-01-05T09:{number:02}:00-06:00"));
    let (from, to) = (format!("from{number}"), format!("to{number}"));
    let first = number * (MANY + FEW);
    let many = test.add_people(&from, first..first + MANY).await;
    let few = test.add_people(&to, first + MANY..first + MANY + FEW).await;
    let fill = json!({"kind": "FillRole", "role": from, "count": 2, "time": time});
    let filled = test.start_once("fill_roles", fill).await;
    test.wait_for_status(&filled, "waiting").await;
    test.all_say_yes(&many).await;
    test.wait_for_status(&filled, "completed").await;
    let goal = json!({"kind": "RebalanceTargets", "targets": {from: 1, to: 1}, "time": time});
    let moved = test.start_once("rebalance_roles", goal).await;
    test.wait_for_texts(&few).await;
    test.all_say_yes(&few).await;
    test.wait_for_status(&moved, "completed").await;
    (time, [filled, moved])
}

async fn story(db: TestDb) {
    let mut test = seeded(db);
    let mut runs = Vec::new();
    for number in 0..rounds_wanted() {
        let (time, ended) = fill_and_rebalance(&mut test, number).await;
        runs.extend(ended);
        let goal = json!({"kind": "CancelRequest", "time": time});
        runs.push(test.start_once("cancel_request", goal).await);
    }
    let messages = test.end(&runs).await;
    for template in ["rebalanced", "called_off"] {
        let kind = |m: &Value| m["kind"].as_str().is_some_and(|kind| kind.starts_with(template));
        let told = messages.iter().filter(|m| m["state"] == "sent" && kind(m)).count();
        assert_eq!(told, rounds_wanted(), "staff are told once: `{template}`");
    }
}

on_both_databases_with_kills!(story);
