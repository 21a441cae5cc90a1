//! Campaigns that ask people and end when enough have said yes.

use serde_json::json;

use super::{World, killed_anywhere, kills_wanted, world};
use crate::postgres::TestDb;

/// People of one campaign, two of whom are needed.
const PEOPLE: usize = 4;

/// A time of its own for each campaign: a request has so many roles and no more. All in winter: the goal
/// comes back as it was written.
fn time_of(number: usize) -> String {
    format!("{}-01-{:02}T09:00:00-06:00", 2031 + number / 28, number % 28 + 1)
}

/// Starts a campaign and has everybody say yes, killing the program in both.
async fn campaign(world: &mut World, number: usize) -> String {
    let role = format!("role{number}");
    let people = world.enlist((&role, number * PEOPLE), PEOPLE).await;
    let goal = json!({"kind": "FillRole", "role": role, "count": 2,
        "time": time_of(number)});
    let run = world.start_once("fill_roles", goal).await;
    world.until_is(&run, "waiting").await;
    world.all_say_yes(&people).await;
    run
}

async fn story(db: TestDb) {
    let mut world = world(db);
    let mut runs = Vec::new();
    while world.kills < kills_wanted() {
        let number = runs.len();
        runs.push(campaign(&mut world, number).await);
    }
    assert_eq!(world.replies, runs.len() * PEOPLE);
    let messages = world.end(&runs).await;
    let invited = messages.iter().filter(|m| m["kind"] == "invite" && m["state"] == "sent").count();
    assert!(invited >= runs.len() * 2, "{invited} invitations for {} campaigns", runs.len());
}

killed_anywhere!(story);
