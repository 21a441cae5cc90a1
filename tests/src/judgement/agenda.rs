//! The agenda of a conversation is kept beside its answers, and costs the same at the last turn as at the first.

use abide_agent::agenda::{Profile, classify};
use abide_engine::base::Value;
use abide_engine::domain::DomainContext;
use abide_engine::facade::Engine;
use abide_engine::transaction;
use abide_judgement::agenda::{GoalCache, evaluate_queued};
use abide_judgement::data::agenda::{PendingTurn, SessionKey, queue};
use serde_json::json;

use super::{get, post};
use crate::campaign::church::{Church, Setup, on_both};
use crate::campaign::race;
use crate::postgres::databases;

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

/// Queues turns of a session, which no sweep has evaluated yet.
async fn queue_turns(engine: &Engine, session: &str, texts: &[String]) {
    let key = SessionKey { user: session.to_owned(), session: session.to_owned() };
    let (now, texts) = (engine.now(), texts.to_vec());
    let task = transaction!([key, texts], |tx| {
        for text in &texts {
            let turn = PendingTurn {
                at: now.micros(),
                text: text.clone(),
                classification: classify(text),
                profile: Profile::default(),
                answer: None,
                proposals: Vec::new(),
            };
            queue(tx, "default", &key, &turn, now).await?;
        }
        Ok(())
    });
    engine.write(task).await.expect("queued");
}

/// Evaluates what is queued, as a sweep does. Returns the number of turns.
async fn evaluate(engine: Engine) -> u64 {
    let settings = engine.settings("default").await.expect("settings");
    let (now, library) = (engine.now(), engine.library());
    let task = transaction!([settings, library], |tx| {
        let templates = &library.templates;
        let cx = DomainContext { tenant: "default", now, settings: &settings, templates };
        evaluate_queued(tx, &cx, &GoalCache::default(), now).await
    });
    engine.write(task).await.expect("evaluated")
}

/// Returns the goals of a session and its journal, without ids of rows and times.
async fn told(church: &Church, session: &str) -> Vec<Value> {
    let listed = get(church, &format!("/v1/goals?session={session}")).await;
    let journal = get(church, &format!("/v1/goals/journal?session={session}&limit=200")).await;
    let entries = journal["items"].as_array().expect("items").iter();
    let mut all: Vec<Value> =
        entries.map(|it| json!([it["event"], it["goal"], it["payload"]])).collect();
    let goals = listed["items"].as_array().expect("items").iter();
    all.extend(
        goals.map(|it| json!([it["id"], it["goalType"], it["priority"], it["description"]])),
    );
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn evaluations_at_once_give_what_one_after_the_other_gives() {
    for database in databases() {
        let mut church = Church::with(database, church()).await;
        let texts: Vec<String> = [
            "compare the price of biryani near me please",
            "find me a cheap ramen place for lunch",
            "book a table for 4 tonight",
            "plan a trip to Lisbon in May",
            "forget it, cancel that",
            "compare the price of laptops",
        ]
        .map(str::to_owned)
        .to_vec();
        queue_turns(church.engine(), "alone", &texts).await;
        assert_eq!(evaluate(church.engine().clone()).await, 6);
        queue_turns(church.engine(), "together", &texts).await;
        let engines = race::engines(&mut church).await;
        let tasks: Vec<_> =
            (0..4).map(|n| tokio::spawn(evaluate(engines[n % engines.len()].clone()))).collect();
        for task in tasks {
            task.await.expect("no panic");
        }
        assert_eq!(told(&church, "together").await, told(&church, "alone").await);
        drop(engines);
        church.crash().await;
        church.assert_consistent().await;
    }
}
