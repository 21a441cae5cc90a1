//! Requests that staff make by SMS.

use super::demo_church::on_both;

#[test]
fn a_request_in_plain_words_starts_a_run_and_is_confirmed() {
    on_both(|church| async move {
        let handled = church.say("Pat", "Fill 5 nursery spots for the 9am service").await;
        assert_eq!(handled, "staff_request");
        let answer = church.texts_to("Pat").pop().expect("an answer");
        assert!(answer.contains("12 people") && answer.contains("5 nursery"), "{answer}");
        assert_eq!(church.kinds_to("Ana").await, ["invite"]);
        church.assert_consistent().await;
    });
}

#[test]
fn a_missing_detail_is_asked_for_and_the_answer_completes_it() {
    on_both(|church| async move {
        assert_eq!(
            church.say("Pat", "Could you find two nursery volunteers?").await,
            "staff_request"
        );
        let question = church.texts_to("Pat").pop().expect("a question");
        assert!(question.contains("which service"), "{question}");
        assert!(church.texts_to("Ana").is_empty());
        assert_eq!(church.say("Pat", "the 9am one").await, "clarification_answer");
        assert_eq!(church.kinds_to("Ana").await, ["invite"]);
        church.assert_consistent().await;
    });
}

#[test]
fn a_request_with_a_live_run_starts_no_other() {
    on_both(|church| async move {
        church.say("Pat", "Fill 5 nursery spots for the 9am service").await;
        church.say("Pat", "Fill 5 nursery spots for the 9am service").await;
        let runs = abide_engine::store::RunFilter { limit: 10, ..Default::default() };
        assert_eq!(church.engine.runs("default", &runs).await.expect("runs").items.len(), 1);
        assert_eq!(church.kinds_to("Ana").await, ["invite"]);
        let answer = church.texts_to("Pat").pop().expect("an answer");
        assert!(answer.contains("0 of 5 nursery"), "{answer}");
        church.assert_consistent().await;
    });
}

#[test]
fn a_volunteer_cannot_start_a_run() {
    on_both(|church| async move {
        let handled = church.say("Ana", "Fill 5 nursery spots for the 9am service").await;
        assert_eq!(handled, "unmatched");
        assert!(church.texts_to("Ben").is_empty());
        church.assert_consistent().await;
    });
}

#[test]
fn what_staff_say_about_the_people_reaches_the_run() {
    on_both(|church| async move {
        let text = "need 5 for nursery sunday 9am, at least 3, preferably Kim and Lee, not Gus, by friday noon";
        assert_eq!(church.say("Pat", text).await, "staff_request");
        let runs = church.runs().await;
        let goal = &runs[0].goal;
        let ids = |names: Vec<serde_json::Value>| serde_json::json!(names);
        let kim_and_lee = ids(vec![church.id_of("Kim").await, church.id_of("Lee").await]);
        assert_eq!(goal["prefer"], kim_and_lee, "{goal}");
        assert_eq!(goal["exclude"], ids(vec![church.id_of("Gus").await]));
        assert_eq!((&goal["minimum"], &goal["count"]), (&3.into(), &5.into()), "{goal}");
        assert!(goal["deadline"].as_str().expect("a time").starts_with("2025-10-03"), "{goal}");
        church.each_says(&["Ana", "Ben", "Carla"], "yes").await;
        church.advance_to("17:00").await;
        let ended = church.run(runs[0].id).await;
        assert_eq!(ended.outcome.map(|end| end.to_string()).as_deref(), Some("succeeded"));
        let told = church.texts_to("Pat").pop().expect("a summary");
        assert!(told.contains("3 of 5"), "{told}");
        church.assert_consistent().await;
    });
}
