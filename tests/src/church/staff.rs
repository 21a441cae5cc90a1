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
