//! The agenda of a conversation is kept beside its answers, and costs the same at the last turn as at the first.

use abide_engine::base::Value;
use serde_json::json;

use super::{get, post};
use crate::campaign::church::{Church, Setup, on_both};

fn church() -> Setup {
    Setup::settings(json!({}))
}

async fn say(church: &Church, session: &str, text: &str) -> Value {
    let body = json!({ "text": text, "session": session, "user": "u1" });
    post(church, "/v1/ask", None, &body).await.body
}

async fn goals(church: &Church, session: &str) -> Vec<String> {
    let listed = get(church, &format!("/v1/goals?session={session}")).await;
    let items = listed["items"].as_array().expect("items").clone();
    items.iter().map(|goal| goal["goalType"].as_str().unwrap_or_default().to_owned()).collect()
}

on_both!(goals_follow_a_conversation_and_its_journal_says_how, with church(), async |mut church: Church| {
    say(&church, "s", "compare the price of biryani near me please").await;
    assert_eq!(goals(&church, "s").await[..2], ["onboarding", "price_watch"]);
    church.crash().await;
    say(&church, "s", "book a table for 4 tonight").await;
    let now = goals(&church, "s").await;
    assert!(now.contains(&"upsell".to_owned()) && !now.contains(&"price_watch".to_owned()), "{now:?}");
    let journal = get(&church, "/v1/goals/journal?session=s").await;
    let events: Vec<&str> = journal["items"].as_array().expect("items").iter()
        .filter_map(|entry| entry["event"].as_str()).collect();
    assert!(events.contains(&"created") && events.contains(&"completed") && events.contains(&"snapshot"), "{events:?}");
    church.assert_consistent().await;
});

on_both!(fresh_goals_carry_over_to_a_new_session, with church(), async |church: Church| {
    say(&church, "one", "compare the price of biryani near me please").await;
    say(&church, "two", "hello again my friend how are you").await;
    assert!(goals(&church, "two").await.contains(&"price_watch".to_owned()));
    church.assert_consistent().await;
});

on_both!(nothing_of_a_turn_is_left_behind, with church(), async |church: Church| {
    for turn in 0..12 {
        say(&church, "long", &format!("compare the price of ramen number {turn}")).await;
    }
    assert_eq!(church.number("SELECT COUNT(*) FROM agenda_turn").await, 0);
    let active = "SELECT COUNT(*) FROM conversation_goals WHERE status = 'active'";
    assert!(church.number(active).await <= 6);
    church.assert_consistent().await;
});
