//! What staff do with the messages of their inbox: answer and assign them, and take over their threads.

use abide_engine::facade::EventFilter;

use super::demo_church::{DemoChurch, NINE_AM, on_both};

/// The number of a person who is not in the directory.
const STRANGER: &str = "+15125559999";

/// Returns how many events of a kind the ledger contains.
async fn logged(church: &DemoChurch, kind: &str) -> usize {
    church.db.wait_until_log_is_readable().await;
    let filter = EventFilter { limit: 500, ..EventFilter::default() };
    let events = church.engine.event_log("default", filter).await.expect("events").items;
    events.iter().filter(|event| event.kind.as_str() == kind).count()
}

#[test]
fn an_answer_is_sent_once_and_closes_the_message() {
    on_both(|church| async move {
        church.say(STRANGER, "who is this?").await;
        let id = church.inbox("open").await[0].id;
        let blank = church.answer_message(id, "  ").await.expect_err("is blank");
        assert_eq!(blank.code, "invalid_answer");
        let answered = church.answer_message(id, "Grace Church.\nCall us!").await.expect("answers");
        assert_eq!(answered.state.as_str(), "closed");
        assert_eq!(church.texts_to(STRANGER), ["Grace Church.\nCall us!"]);
        let again = church.answer_message(id, "Hello?").await.expect_err("is answered");
        assert_eq!(again.code, "already_answered");
        assert_eq!(church.texts_to(STRANGER).len(), 1);
        assert_eq!(logged(&church, "inbox.answered").await, 1);
        church.assert_consistent().await;
    });
}

#[test]
fn a_person_who_has_opted_out_is_not_answered() {
    on_both(|church| async move {
        church.say("Ben", "STOP").await;
        let before = church.texts_to("Ben").len();
        let id = church.inbox("open").await[0].id;
        let refused = church.answer_message(id, "Sorry!").await.expect_err("has opted out");
        assert_eq!(refused.code, "opted_out");
        assert_eq!(church.texts_to("Ben").len(), before);
        assert_eq!(church.inbox("open").await[0].id, id, "it still waits");
        church.assert_consistent().await;
    });
}

#[test]
fn a_message_is_assigned_to_a_member_of_staff() {
    on_both(|church| async move {
        church.say(STRANGER, "who is this?").await;
        let id = church.inbox("open").await[0].id;
        for (person, name) in [("pat", "Pat"), ("512-555-0113", "Ruth"), ("Ruth", "Ruth")] {
            let assigned = church.assign_message(id, person).await.expect("is assigned");
            let to = assigned.assigned_to.expect("somebody");
            assert_eq!(to.name, name, "{person}");
        }
        assert_eq!(logged(&church, "inbox.assigned").await, 2, "the last one changes nothing");
        for nobody in ["Ana", "+15125550101", "", "per_00000000000000000000000000000001"] {
            let refused = church.assign_message(id, nobody).await.expect_err("is not staff");
            assert_eq!(refused.code, "invalid_assignee", "{nobody}");
        }
        church.assert_consistent().await;
    });
}

#[test]
fn a_thread_that_staff_have_taken_over_is_left_to_them_until_they_hand_it_back() {
    on_both(|church| async move {
        church.try_fill("nursery", NINE_AM, 2).await.expect("starts");
        church.say("Ana", "can I bring my tortoise?").await;
        let first = church.inbox("open").await[0].id;
        let taken = church.take_over(first).await.expect("is taken over");
        assert_eq!(taken.taken_over.map(|taken| taken.by), Some("Pat".to_owned()));
        church.take_over(first).await.expect("changes nothing");
        assert_eq!(logged(&church, "thread.taken_over").await, 1);

        let before = church.texts_to("Ana").len();
        assert_eq!(church.say("Ana", "yes, I can do it").await, "unmatched");
        assert_eq!(church.texts_to("Ana").len(), before, "there is no automatic answer");
        let newest = church.inbox("open").await[0].clone();
        assert_eq!(newest.reason.as_str(), "taken_over");
        assert_eq!(newest.text.as_deref(), Some("yes, I can do it"));
        let seats = "SELECT COUNT(*) FROM assignment WHERE state = 'accepted'";
        assert_eq!(church.db.number(seats).await, 0);
        church.say("Ben", "yes").await;
        assert_eq!(church.db.number(seats).await, 1, "other threads go on");

        let back = church.hand_back(newest.id).await.expect("is handed back");
        assert_eq!(back.taken_over, None);
        church.hand_back(newest.id).await.expect("changes nothing");
        assert_eq!(logged(&church, "thread.handed_back").await, 1);
        church.say("Ana", "yes, I can do it").await;
        assert_eq!(church.db.number(seats).await, 2);
        church.assert_consistent().await;
    });
}

#[test]
fn opting_out_counts_in_a_thread_that_staff_have_taken_over() {
    on_both(|church| async move {
        church.try_fill("nursery", NINE_AM, 2).await.expect("starts");
        church.say("Ana", "can I bring my tortoise?").await;
        let id = church.inbox("open").await[0].id;
        church.take_over(id).await.expect("is taken over");
        assert_eq!(church.say("Ana", "STOP").await, "opt_out");
        assert_eq!(church.inbox("open").await[0].reason.as_str(), "opted_out");
        let refused = church.answer_message(id, "Sorry!").await.expect_err("has opted out");
        assert_eq!(refused.code, "opted_out");
        assert_eq!(church.say("Ana", "START").await, "opt_in");
        church.answer_message(id, "Welcome back!").await.expect("answers");
        church.assert_consistent().await;
    });
}

#[test]
fn no_campaign_waits_for_somebody_whose_thread_is_taken_over() {
    on_both(|church| async move {
        let run = church.fill("nursery", 12).await;
        church.say("Ana", "can I bring my tortoise?").await;
        church.take_over(church.inbox("open").await[0].id).await.expect("is taken over");
        let others =
            ["Ben", "Carla", "Dana", "Eli", "Fay", "Gus", "Hana", "Ivan", "Joy", "Kim", "Lee"];
        church.each_says(&others, "no, sorry").await;
        let request = run.request_id.expect("a request");
        let counts = church.counts(request, "nursery").await;
        assert!(counts.contains("cancelled 1"), "{counts}");
        let waits = church.run(run.id).await.waiting_on;
        assert!(waits.is_none(), "everybody has answered who can: {waits:?}");

        let before = church.texts_to("Ana").len();
        church.try_fill("greeters", super::demo_church::ELEVEN_AM, 1).await.expect("starts");
        church.try_fill("nursery", super::demo_church::ELEVEN_AM, 1).await.expect("starts");
        assert_eq!(church.texts_to("Ana").len(), before, "Pat talks to her");
        church.assert_consistent().await;
    });
}

#[test]
fn whoever_started_a_campaign_hears_of_it() {
    on_both(|church| async move {
        church.say("Ruth", "Fill 2 nursery spots for the 9am service").await;
        church.say("Ana", "yes").await;
        let pat = church.texts_to("Pat").len();
        church.say("Ana", "sorry, I can't come on Sunday after all").await;
        church.say(STRANGER, "who is this?").await;
        church.advance_to("11:01").await;
        let told = church.texts_to("Ruth").pop().expect("a text");
        assert!(told.contains("Ana gave a place back"), "{told}");
        let of_pat = church.texts_to("Pat").split_off(pat);
        assert_eq!(of_pat.len(), 1, "of the stranger all staff hear: {of_pat:?}");
        assert!(of_pat[0].contains("a number that we don't know"), "{of_pat:?}");
        church.assert_consistent().await;
    });
}

#[test]
fn an_assignee_is_told_once() {
    on_both(|church| async move {
        church.say("Ana", "can I bring my tortoise?").await;
        let id = church.inbox("open").await[0].id;
        for _ in 0..2 {
            church.assign_message(id, "Ruth").await.expect("is assigned");
        }
        church.advance_to("10:01").await;
        let texts = church.texts_to("Ruth");
        assert_eq!(texts.len(), 1, "{texts:?}");
        assert!(texts[0].contains("a text from Ana"), "{texts:?}");
        church.assert_consistent().await;
    });
}
