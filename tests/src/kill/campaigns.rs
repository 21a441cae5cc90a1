//! Campaigns that ask people and end when enough have said yes.

use serde_json::json;

use super::{World, killed_anywhere, kills_wanted, world};
use crate::postgres::TestDb;

/// Number of people asked by one campaign, of whom two are needed.
const PEOPLE: usize = 4;

/// Returns a different time for each campaign, because the number of roles in a request is limited. All
/// times are in winter, so that the offset `-06:00` is right and the goal is stored as it was sent.
fn time_of(number: usize) -> String {
    format!("{}-01-{:02}T09:00:00-06:00", 2031 + number / 28, number % 28 + 1)
}

/// Starts a campaign and has everybody say yes, killing the program during both.
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
