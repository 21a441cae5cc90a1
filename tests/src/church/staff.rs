//! Requests that staff make by text.

use super::world::on_both;

#[test]
fn a_request_in_plain_words_starts_a_run_and_is_confirmed() {
    on_both(|world| async move {
        let handled = world.say("Pat", "Fill 5 nursery spots for the 9am service").await;
        assert_eq!(handled, "staff_request");
        let answer = world.texts_to("Pat").pop().expect("an answer");
        assert!(answer.contains("12 people") && answer.contains("5 nursery"), "{answer}");
        assert_eq!(world.kinds_to("Ana").await, ["invite"]);
        world.is_sound().await;
    });
}

#[test]
fn a_missing_detail_is_asked_for_and_the_answer_completes_it() {
    on_both(|world| async move {
        assert_eq!(
            world.say("Pat", "Could you find two nursery volunteers?").await,
            "staff_request"
        );
        let question = world.texts_to("Pat").pop().expect("a question");
        assert!(question.contains("which service"), "{question}");
        assert!(world.texts_to("Ana").is_empty());
        assert_eq!(world.say("Pat", "the 9am one").await, "clarification_answer");
        assert_eq!(world.kinds_to("Ana").await, ["invite"]);
        world.is_sound().await;
    });
}

#[test]
fn a_request_with_a_live_run_starts_no_other() {
    on_both(|world| async move {
        world.say("Pat", "Fill 5 nursery spots for the 9am service").await;
        world.say("Pat", "Fill 5 nursery spots for the 9am service").await;
        let runs = abide_engine::store::RunFilter { limit: 10, ..Default::default() };
        assert_eq!(world.engine.runs("default", &runs).await.expect("runs").items.len(), 1);
        assert_eq!(world.kinds_to("Ana").await, ["invite"]);
        let answer = world.texts_to("Pat").pop().expect("an answer");
        assert!(answer.contains("0 of 5 nursery"), "{answer}");
        world.is_sound().await;
    });
}

#[test]
fn a_volunteer_cannot_start_a_run() {
    on_both(|world| async move {
        let handled = world.say("Ana", "Fill 5 nursery spots for the 9am service").await;
        assert_eq!(handled, "unmatched");
        assert!(world.texts_to("Ben").is_empty());
        world.is_sound().await;
    });
}
