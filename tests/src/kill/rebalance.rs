//! A service is filled, rebalanced and cancelled, and the program is killed during each.

use serde_json::{Value, json};

use super::{World, killed_anywhere, rounds_wanted, world};
use crate::postgres::TestDb;

/// Number of people with the role that is filled first, with a target of two.
const MANY: usize = 3;
/// Number of people with the role that the rebalance adds.
const FEW: usize = 2;

/// Fills a role, and then rebalances: a lower target for it, and one person for another role.
async fn rebalanced(world: &mut World, number: usize) -> (Value, [String; 2]) {
    let time = json!(format!("2031-01-05T09:{number:02}:00-06:00"));
    let (from, to) = (format!("from{number}"), format!("to{number}"));
    let first = number * (MANY + FEW);
    let many = world.enlist((&from, first), MANY).await;
    let few = world.enlist((&to, first + MANY), FEW).await;
    let fill = json!({"kind": "FillRole", "role": from, "count": 2, "time": time});
    let filled = world.start_once("fill_roles", fill).await;
    world.until_is(&filled, "waiting").await;
    world.all_say_yes(&many).await;
    world.until_is(&filled, "completed").await;
    let goal = json!({"kind": "RebalanceTargets", "targets": {from: 1, to: 1}, "time": time});
    let moved = world.start_once("rebalance_roles", goal).await;
    world.until_invited(&few).await;
    world.all_say_yes(&few).await;
    world.until_is(&moved, "completed").await;
    (time, [filled, moved])
}

async fn story(db: TestDb) {
    let mut world = world(db);
    let mut runs = Vec::new();
    for number in 0..rounds_wanted() {
        let (time, ended) = rebalanced(&mut world, number).await;
        runs.extend(ended);
        let goal = json!({"kind": "CancelRequest", "time": time});
        runs.push(world.start_once("cancel_request", goal).await);
    }
    let messages = world.end(&runs).await;
    for template in ["rebalanced", "called_off"] {
        let kind = |m: &Value| m["kind"].as_str().is_some_and(|kind| kind.starts_with(template));
        let told = messages.iter().filter(|m| m["state"] == "sent" && kind(m)).count();
        assert_eq!(told, rounds_wanted(), "staff are told once: `{template}`");
    }
}

killed_anywhere!(story);
