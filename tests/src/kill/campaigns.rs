//! Campaigns ask people, and end when enough people have accepted. The program is killed while the
//! campaigns start and while people reply.

use serde_json::json;

use super::{KillTest, kills_wanted, on_both_databases_with_kills, seeded};
use crate::postgres::TestDb;

/// Number of people whom one campaign asks. The campaign needs two of them.
const PEOPLE: usize = 4;

/// Returns the time of the service of campaign `number`. Each campaign asks for a role of its own, and
/// a request has only a limited number of roles, so each campaign has a service of its own. All times are
/// in January, when the offset of the time zone is `-06:00`. The engine therefore does not rewrite the time,
/// and the stored goal equals the goal that was sent.
fn time_of(number: usize) -> String {
    format!("{}-01-{:02}T09:00:00-06:00", 2031 + number / 28, number % 28 + 1)
}

/// Starts a campaign and lets everybody accept. Kills the program during the start and during the replies.
async fn play_campaign(test: &mut KillTest, number: usize) -> String {
    let role = format!("role{number}");
    let people = test.add_people(&role, number * PEOPLE..(number + 1) * PEOPLE).await;
    let goal = json!({"kind": "FillRole", "role": role, "count": 2,
        "time": time_of(number)});
    let run = test.start_once("fill_roles", goal).await;
    test.wait_for_status(&run, "waiting").await;
    test.all_say_yes(&people).await;
    run
}

async fn story(db: TestDb) {
    let mut test = seeded(db);
    let mut runs = Vec::new();
    while test.kills < kills_wanted() {
        let number = runs.len();
        runs.push(play_campaign(&mut test, number).await);
    }
    assert_eq!(test.replies, runs.len() * PEOPLE);
    let messages = test.end(&runs).await;
    let invited = messages.iter().filter(|m| m["kind"] == "invite" && m["state"] == "sent").count();
    assert!(invited >= runs.len() * 2, "{invited} invitations for {} campaigns", runs.len());
}

on_both_databases_with_kills!(story);
