//! A run can search the knowledge base. Its facts have sources and reviews, and become stale.

use abide_engine::run::RunOutcome;
use abide_verbs::api::kb::NewFact;
use serde_json::{Value, json};

use super::demo_church::{DemoChurch, on_both_with};

const LOOK_UP: &str = "
method: look_up
inputs: { type: object, required: [query], properties: { query: { type: string } } }
steps:
  - call: fetch_kb
    args: { query: '{{goal.query}}', limit: 2 }
    out: facts
success_when: [len(facts) > 0, not facts.first().stale]
";

const METHODS: &[(&str, &str)] = &[("look_up.yaml", LOOK_UP)];

/// Starts a run that searches the knowledge base. Returns its outcome and the result of `fetch_kb`.
async fn look_up(church: &DemoChurch, query: &str) -> (Option<RunOutcome>, Value) {
    let run = church.start("look_up", json!({"query": query})).await;
    let found = church.results(run.id, "fetch_kb").await.remove(0);
    (run.outcome, found)
}

#[test]
fn a_question_finds_its_fact_with_source_and_age() {
    on_both_with(METHODS, |church| async move {
        church.advance_to("2025-10-10T10:00:00-05:00").await;
        let (outcome, found) = look_up(&church, "where can I park on sunday?").await;
        assert_eq!(outcome, Some(RunOutcome::Succeeded));
        let best = &found["facts"][0];
        assert_eq!(best["id"], "parking");
        assert_eq!(
            (&best["source"], &best["reviewer"]),
            (&json!("Volunteer handbook, page 2"), &json!("Ruth"))
        );
        assert_eq!((&best["age_days"], &best["stale"]), (&json!(10), &json!(false)));
        let (outcome, found) = look_up(&church, "who plays the organ?").await;
        assert_eq!(outcome, Some(RunOutcome::FellShort));
        assert_eq!(found, json!({"facts": [], "searched": 5}));
    });
}

#[test]
fn an_old_fact_is_stale_until_it_is_reviewed_and_a_retired_one_is_not_found() {
    on_both_with(METHODS, |church| async move {
        let keys = |reviewed_at: Option<&str>| NewFact {
            topic: "Where are the spare keys?".to_owned(),
            text: "With Pat.".to_owned(),
            source: "Pat".to_owned(),
            reviewer: Some("Ruth".to_owned()),
            reviewed_at: reviewed_at.map(ToOwned::to_owned),
        };
        church.put_fact("spare-keys", keys(Some("2025-03-01T10:00:00-06:00"))).await;
        let (outcome, found) = look_up(&church, "spare key").await;
        assert_eq!(
            (outcome, &found["facts"][0]["stale"]),
            (Some(RunOutcome::FellShort), &json!(true))
        );
        church.put_fact("spare-keys", keys(None)).await;
        let (outcome, found) = look_up(&church, "spare key").await;
        assert_eq!(
            (outcome, &found["facts"][0]["age_days"]),
            (Some(RunOutcome::Succeeded), &json!(0))
        );
        church.retire_fact("spare-keys").await;
        assert_eq!(look_up(&church, "spare key").await.1["facts"], json!([]));
        church.assert_consistent().await;
    });
}
