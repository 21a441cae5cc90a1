//! With `ask_order: likely`, people who are likelier to answer are asked first. Nobody is asked because of it who may
//! not be asked.

use abide_engine::base::Value;
use serde_json::json;

use super::api::{ApiRequest, ChurchApi};
use super::church::{Church, Setup, goal, on_both};

/// The services for which people were asked before, a day apart.
const EARLIER: [&str; 3] =
    ["2025-10-05T09:00:00-05:00", "2025-10-12T09:00:00-05:00", "2025-10-19T09:00:00-05:00"];

/// Finds the first three of the team.
const FIRST_THREE: &str = r#"
method: first_three
steps:
  - call: search_people
    args: { filter: { roles: [nursery] }, prefer: "{{get(goal, 'prefer', [])}}", limit: 3 }
    out: found
"#;

fn church() -> Setup {
    Setup::settings(json!({ "ask_order": "likely" })).method("first_three", FIRST_THREE)
}

/// For three services, Ana says yes, Kim and Lee say no, and the others of the nursery do not answer.
async fn ask_three_times(church: &mut Church) {
    for time in EARLIER {
        let goal = json!({ "kind": "FillRole", "role": "nursery", "count": 5, "time": time });
        church.start("fill_roles", goal).await.expect("started");
        church.advance("10min").await;
        church.say("A", "yes").await;
        church.say("KL", "no").await;
        church.advance("26h").await; // the other offers expire
    }
}

async fn get(church: &Church, path: &str) -> Value {
    let request = ApiRequest { method: "GET", path, key: None, body: "" };
    ChurchApi::over(church).send(&request).await.body
}

/// Returns the names of the first three who are found.
async fn first_three(church: &Church, goal: Value) -> Vec<String> {
    let run = church.start("first_three", goal).await.expect("started");
    church.advance("1min").await;
    let receipts = church.receipts(run.id).await;
    let found = receipts[0]["result"]["people"].as_array().expect("people").clone();
    let mut names = Vec::new();
    for id in found {
        let person = get(church, &format!("/v1/people/{}", id.as_str().expect("an id"))).await;
        names.push(person["name"].as_str().expect("a name").to_owned());
    }
    names
}

on_both!(those_who_answer_are_asked_first_if_they_have_rested_alike, with church(), async |mut church: Church| {
    assert_eq!(first_three(&church, json!({})).await, ["Ana", "Ben", "Carla"], "nobody was asked yet");
    ask_three_times(&mut church).await;
    // Ana answers as well as Kim and Lee, but has taken a place since.
    assert_eq!(first_three(&church, json!({})).await, ["Kim", "Lee", "Ben"]);
    let ben = get(&church, "/v1/people?q=Ben").await["items"][0]["id"].clone();
    assert_eq!(first_three(&church, json!({ "prefer": [ben] })).await, ["Ben", "Kim", "Lee"]);
    church.assert_consistent().await;
});

on_both!(the_usual_order_does_not_look_at_answers, with church(), async |mut church: Church| {
    church.reopen_with(|setup| setup.settings = json!({})).await;
    ask_three_times(&mut church).await;
    assert_eq!(first_three(&church, json!({})).await, ["Ben", "Carla", "Dana"]);
});

on_both!(who_has_opted_out_is_not_asked_however_well_they_answer, with church(), async |mut church: Church| {
    ask_three_times(&mut church).await;
    church.say("K", "STOP").await;
    let seen = get(&church, "/v1/insights").await;
    let kim = seen["items"].as_array().expect("items").iter().find(|item| item["name"] == "Kim");
    assert_eq!(kim.expect("Kim")["responses"]["answered"], 3, "{seen:#}");
    assert_eq!(first_three(&church, json!({})).await, ["Lee", "Ben", "Carla"]);
    let before = church.messages(&Church::phone('K')).await.len();
    let mut later = goal(2);
    later["time"] = "2025-10-26T09:00:00-05:00".into();
    church.start("fill_roles", later).await.expect("started");
    church.advance("1h").await;
    assert_eq!(church.messages(&Church::phone('K')).await.len(), before, "Kim is not asked");
    assert!(church.sent(&Church::phone('L'), "invite").await > 3, "Lee is");
    church.assert_consistent().await;
});
