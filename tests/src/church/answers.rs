//! Replies that are timely, late, repeated, changed or ambiguous.

use abide_engine::base::Span;
use abide_engine::run::RunOutcome;

use super::demo_church::{ELEVEN_AM, NINE_AM, at, on_both};

#[test]
fn one_of_two_gets_the_last_place_and_the_other_is_waitlisted() {
    on_both(|church| async move {
        let run = church.fill("nursery", 2).await;
        let request = run.request_id.expect("a request");
        church.each_says(&["Ana"], "yes").await;
        let instant = Some(church.engine.now());
        let (fay, gus) = tokio::join!(
            church.receive("SM-fay", "Fay", "sure", instant),
            church.receive("SM-gus", "Gus", "sure", instant)
        );
        assert_eq!((fay.1.as_str(), gus.1.as_str()), ("reply", "reply"));
        assert_eq!(
            church.counts(request, "nursery").await,
            "accepted 2, cancelled 9, waitlisted 1"
        );
        let mut last = [church.kinds_to("Fay").await.pop(), church.kinds_to("Gus").await.pop()];
        last.sort();
        assert_eq!(last, [Some("confirmed".to_owned()), Some("waitlisted".to_owned())]);
        church.assert_consistent().await;
    });
}

#[test]
fn a_place_that_is_given_up_goes_to_the_first_on_the_waitlist() {
    on_both(|church| async move {
        let run = church.fill("nursery", 1).await;
        let request = run.request_id.expect("a request");
        church.each_says(&["Ana", "Ben", "Carla"], "yes").await;
        assert_eq!(
            church.counts(request, "nursery").await,
            "accepted 1, cancelled 9, waitlisted 2"
        );
        assert_eq!(church.kinds_to("Ben").await, ["invite", "withdrawn", "waitlisted~2"]);
        church.say("Ana", "something came up, I can't make it anymore").await;
        assert_eq!(
            church.counts(request, "nursery").await,
            "accepted 1, cancelled 10, waitlisted 1"
        );
        assert_eq!(church.kinds_to("Ben").await.last().map(String::as_str), Some("confirmed~2"));
        assert_eq!(church.kinds_to("Carla").await.last().map(String::as_str), Some("waitlisted~2"));
        church.assert_consistent().await;
    });
}

#[test]
fn a_person_promoted_at_night_is_told_in_the_morning() {
    on_both(|church| async move {
        let run = church.fill("nursery", 1).await;
        let request = run.request_id.expect("a request");
        church.each_says(&["Ana", "Ben"], "yes").await;
        church.advance_to("22:00").await;
        church.say("Ana", "sorry, I can't make it anymore").await;
        assert_eq!(church.counts(request, "nursery").await, "accepted 1, cancelled 11");
        church.advance_to("23:00").await;
        assert_eq!(church.kinds_to("Ben").await.last().map(String::as_str), Some("waitlisted~2"));
        church.advance_to("2025-10-01T08:00:00-05:00").await;
        assert_eq!(church.kinds_to("Ben").await.last().map(String::as_str), Some("confirmed~2"));
        church.assert_consistent().await;
    });
}

#[test]
fn a_yes_withdrawn_a_minute_later_frees_the_seat() {
    on_both(|church| async move {
        let run = church.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        church.each_says(&["Ana", "Ben", "Carla"], "yes").await;
        assert_eq!(church.say("Carla", "oh wait no I'm away").await, "reply");
        assert_eq!(church.counts(request, "nursery").await, "accepted 2, cancelled 1, invited 9");
        church.each_says(&["Dana", "Eli", "Fay"], "yes").await;
        assert_eq!(church.run(run.id).await.outcome, Some(RunOutcome::Succeeded));
        church.assert_consistent().await;
    });
}

#[test]
fn the_same_yes_counts_once_however_often_it_comes() {
    on_both(|church| async move {
        let run = church.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        assert_eq!(church.receive("SM1", "Ana", "yes!", None).await, (false, "reply".to_owned()));
        assert_eq!(church.receive("SM1", "Ana", "yes!", None).await, (true, "reply".to_owned()));
        church.advance_to("10:40").await;
        assert_eq!(church.receive("SM1", "Ana", "yes!", None).await, (true, "reply".to_owned()));
        assert_eq!(church.receive("SM2", "Ana", "yes!", None).await, (false, "reply".to_owned()));
        assert_eq!(church.counts(request, "nursery").await, "accepted 1, invited 11");
        assert_eq!(church.kinds_to("Ana").await, ["invite", "confirmed"]);
        church.assert_consistent().await;
    });
}

#[test]
fn a_yes_at_the_instant_of_expiry_is_late_and_gets_a_new_offer() {
    on_both(|church| async move {
        let run = church.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        let expiry = at("2025-10-01T10:00:00-05:00");
        church.engine.advance(expiry).await.expect("advances");
        let before = expiry - Span::from_micros(1);
        church.receive("SM-kim", "Kim", "yes", Some(before)).await;
        church.receive("SM-lee", "Lee", "yes", Some(expiry)).await;
        // All first offers have expired, but places are still free.
        // So Kim and Lee each have a place through a new offer.
        assert_eq!(church.counts(request, "nursery").await, "accepted 2, cancelled 10");
        assert_eq!(church.kinds_to("Lee").await.last().map(String::as_str), Some("confirmed~2"));
        church.assert_consistent().await;
    });
}

#[test]
fn an_answer_that_fits_two_asks_is_clarified_and_then_counts() {
    on_both(|church| async move {
        let nursery = church.fill("nursery", 5).await.request_id.expect("a request");
        let cafe = church.try_fill("cafe", ELEVEN_AM, 1).await.expect("starts");
        let cafe = cafe.request_id.expect("a request");
        assert_eq!(church.say("Carla", "yes").await, "ambiguous");
        let question = church.texts_to("Carla").pop().expect("a question");
        assert!(question.contains("nursery") && question.contains("cafe"), "{question}");
        assert_eq!(church.say("Carla", "the coffee one").await, "clarification_answer");
        assert_eq!(church.counts(cafe, "cafe").await, "accepted 1, cancelled 1");
        assert_eq!(church.counts(nursery, "nursery").await, "invited 12");
        // Only one of Carla's asks is still open, so a plain no is unambiguous.
        assert_eq!(church.say("Carla", "no to the other").await, "reply");
        assert_eq!(church.counts(nursery, "nursery").await, "declined 1, invited 11");
        church.assert_consistent().await;
    });
}

#[test]
fn an_unclear_answer_is_never_guessed() {
    on_both(|church| async move {
        let request = church.fill("nursery", 5).await.request_id.expect("a request");
        assert_eq!(church.say("Ana", "green purple seventeen").await, "ambiguous");
        assert_eq!(church.kinds_to("Ana").await, ["invite", "clarify"]);
        // A second unclear answer goes to staff. Otherwise two machines could keep answering each other.
        assert_eq!(church.say("Ana", "blue seventeen purple").await, "unmatched");
        assert_eq!(church.kinds_to("Ana").await, ["invite", "clarify"]);
        assert_eq!(church.say("Ana", "ok yes").await, "clarification_answer");
        assert_eq!(church.counts(request, "nursery").await, "accepted 1, invited 11");
        church.assert_consistent().await;
    });
}

#[test]
fn a_condition_and_a_perhaps_keep_the_offer_open_and_are_answered_once() {
    on_both(|church| async move {
        let request = church.fill("nursery", 5).await.request_id.expect("a request");
        assert_eq!(church.say("Ana", "if my wife can").await, "reply");
        assert_eq!(church.kinds_to("Ana").await, ["invite", "take_your_time"]);
        // The phone answers by itself. Nobody answers the phone.
        assert_eq!(church.say("Ana", "I'm driving, auto reply").await, "reply");
        assert_eq!(church.kinds_to("Ana").await, ["invite", "take_your_time"]);
        assert_eq!(church.counts(request, "nursery").await, "invited 12");
        assert_eq!(church.say("Ana", "ok yes").await, "reply");
        assert_eq!(church.counts(request, "nursery").await, "accepted 1, invited 11");
        church.assert_consistent().await;
    });
}

#[test]
fn a_person_who_was_not_asked_matches_nothing() {
    on_both(|church| async move {
        assert_eq!(church.say("Ben", "YES").await, "opt_in", "the carriers' keyword to opt in");
        assert_eq!(church.say("Ana", "sure, I can help").await, "unmatched");
        assert_eq!(church.say("Ana", "hello?").await, "unmatched");
        assert_eq!(church.kinds_to("Ana").await, ["unmatched"], "one neutral answer per day");
        assert_eq!(church.say("+15125559999", "I can do nursery Sunday").await, "unknown_sender");
        assert!(church.texts_to("+15125559999").is_empty());
        church.assert_consistent().await;
    });
}

#[test]
fn stop_ends_open_offers_and_start_does_not_restore_them() {
    on_both(|church| async move {
        let request = church.fill("nursery", 5).await.request_id.expect("a request");
        church.advance_to("10:10").await;
        assert_eq!(church.say("Hana", "STOP").await, "opt_out");
        assert_eq!(church.counts(request, "nursery").await, "cancelled 1, invited 11");
        church.advance_to("10:20").await;
        assert_eq!(church.say("Hana", "START").await, "opt_in");
        assert_eq!(church.counts(request, "nursery").await, "cancelled 1, invited 11");
        assert_eq!(church.kinds_to("Hana").await, ["invite"]);
        church.assert_consistent().await;
    });
}

#[test]
fn help_says_who_we_are() {
    on_both(|church| async move {
        assert_eq!(church.say("Ana", "HELP").await, "help");
        let answer = church.texts_to("Ana").pop().expect("an answer");
        assert!(answer.contains("Grace Church"), "{answer}");
        church.assert_consistent().await;
    });
}

#[test]
fn two_people_at_one_phone_are_told_apart_by_name() {
    on_both(|church| async move {
        church
            .put_people(serde_json::json!([
                {"name": "Sam Diaz", "phone": "+15125550120", "roles": ["security"]},
                {"name": "Rosa Diaz", "phone": "+15125550120", "roles": ["security"]},
            ]))
            .await
            .expect("are added");
        let request = church.try_fill("security", NINE_AM, 3).await.expect("starts");
        let request = request.request_id.expect("a request");
        assert_eq!(church.say("+15125550120", "yes").await, "ambiguous");
        assert_eq!(church.say("+15125550120", "Rosa can").await, "clarification_answer");
        assert_eq!(church.counts(request, "security").await, "accepted 1, invited 2");
        church.assert_consistent().await;
    });
}
