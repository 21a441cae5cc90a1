//! A text becomes obligations, and nothing is answered that was not verified.

use abide_engine::base::Value;
use serde_json::json;

use super::post;
use crate::campaign::church::{Church, Setup, on_both};

fn church() -> Setup {
    Setup::settings(json!({}))
}

async fn ask(church: &Church, session: &str, text: &str) -> Value {
    let body = json!({ "text": text, "session": session, "user": "u1", "trace": true });
    let answer = post(church, "/v1/ask", None, &body).await;
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    answer.body
}

on_both!(an_expression_is_computed_and_verified, with church(), async |church: Church| {
    let answer = ask(&church, "a", "What's 2+2?").await;
    assert_eq!((&answer["answer"], &answer["verified"]), (&json!("4"), &json!(true)));
    assert_eq!(answer["obligations"], json!([
        { "type": "REPORT", "payload": { "kind": "math", "expr": "2+2" } },
        { "type": "VERIFY", "payload": { "kind": "last_answer", "target": "last_answer" } },
    ]));
    assert_eq!(answer["sources"][0]["tool"], "ask.eval_math");
    let runs = answer["trace"]["obligations"][0]["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 2, "computed, and computed again");
    church.assert_consistent().await;
});

on_both!(a_name_is_asked_for_saved_and_known_from_then_on, with church(), async |mut church: Church| {
    let asked = ask(&church, "c", "What's your name?").await;
    assert_eq!(asked["verified"], false);
    assert_eq!(asked["obligations"][1]["type"], "CLARIFY", "{asked:#}");
    let saved = ask(&church, "c", "Sam").await;
    assert_eq!(saved["obligations"][0]["type"], "ACHIEVE", "{saved:#}");
    church.crash().await;
    let known = ask(&church, "d", "What's your name?").await;
    assert_eq!((&known["answer"], &known["verified"]), (&json!("Sam"), &json!(true)));
    let other = json!({ "text": "What's your name?", "user": "u2" });
    assert_eq!(post(&church, "/v1/ask", None, &other).await.body["verified"], false, "another user");
    church.assert_consistent().await;
});

on_both!(what_has_no_answer_is_an_honest_uncertainty, with church(), async |church: Church| {
    let answer = ask(&church, "e", "what is 1/0").await;
    assert_eq!(answer["verified"], false);
    assert!(answer["answer"].as_str().is_some_and(|it| it.contains("division by zero")), "{answer:#}");
    church.assert_consistent().await;
});

on_both!(a_trace_replays_until_a_source_changes, with church(), async |church: Church| {
    ask(&church, "f", "my name is Sam").await;
    let told = ask(&church, "f", "what's my name?").await;
    let replay = async |trace: &Value| post(&church, "/v1/ask/replay", None, &json!({ "trace": trace })).await;
    let same = replay(&told["trace"]).await.body;
    assert_eq!((&same["answer"], &same["same"]), (&told["trace"]["answer"], &json!(true)));
    let sum = ask(&church, "f", "what is 3*4").await;
    assert_eq!(replay(&sum["trace"]).await.body["same"], true);
    let mut forged = sum["trace"].clone();
    forged["obligations"][0]["answer"] = json!("13");
    for broken in [json!({ "v": 1 }), forged] {
        assert_eq!(replay(&broken).await.body["code"], "trace_invalid", "{broken:#}");
    }
    church.execute("UPDATE assertion SET object = '13' WHERE predicate = 'evaluatesTo' AND object = '12'").await;
    let changed = replay(&sum["trace"]).await.body;
    assert_eq!(changed["changed"][0], "3*4 evaluatesTo is 13 now (tool:ask.eval_math)", "{changed:#}");
    church.assert_consistent().await;
});

on_both!(an_event_is_put_into_the_calendar_and_found, with church(), async |church: Church| {
    let noted = ask(&church, "g", "remind me to call mom tomorrow at 5pm").await;
    assert!(noted["answer"].as_str().is_some_and(|it| it.starts_with("Noted: ")), "{noted:#}");
    let found = ask(&church, "g", "what's on my calendar tomorrow").await;
    assert!(found["answer"].as_str().is_some_and(|it| it.contains("call mom")), "{found:#}");
    church.assert_consistent().await;
});

on_both!(the_same_key_is_the_same_question, with church(), async |church: Church| {
    let body = json!({ "text": "what is 5+6", "user": "u1" });
    let first = post(&church, "/v1/ask", Some("q1"), &body).await.body;
    let second = post(&church, "/v1/ask", Some("q1"), &body).await.body;
    assert_eq!(first["ask_id"], second["ask_id"]);
    assert_eq!(church.number("SELECT COUNT(*) FROM asked").await, 1);
    church.assert_consistent().await;
});

on_both!(the_views_of_the_design_can_be_read, with church(), async |church: Church| {
    ask(&church, "h", "What's 2+2?").await;
    assert_eq!(church.number("SELECT COUNT(*) FROM tool_run WHERE tool_name = 'ask.eval_math' AND status = 'succeeded'").await, 2);
    assert!(church.number("SELECT COUNT(*) FROM event").await > 0);
    assert_eq!(church.number("SELECT COUNT(*) FROM assertion WHERE predicate = 'evaluatesTo' AND object = '4'").await, 1);
});
