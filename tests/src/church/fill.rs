//! Filling a role, from the first invitation to the summary.

use abide_engine::run::RunOutcome;
use serde_json::json;

use super::demo_church::{NINE_AM, on_both};

#[test]
fn five_of_twelve_say_yes_and_the_others_are_told_once() {
    on_both(|church| async move {
        let run = church.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        assert_eq!(church.counts(request, "nursery").await, "invited 12");
        church.advance_to("10:05").await;
        church.each_says(&["Ana", "Ben", "Carla", "Dana"], "sure, happy to").await;
        assert_eq!(church.request(request).await.status.as_str(), "partially_filled");
        assert_eq!(church.run(run.id).await.status.as_str(), "waiting");
        church.say("Eli", "yes please").await;
        assert_eq!(church.counts(request, "nursery").await, "accepted 5, cancelled 7");
        assert_eq!(church.request(request).await.status.as_str(), "filled");
        let done = church.run(run.id).await;
        assert_eq!(
            (done.status.as_str(), done.outcome),
            ("completed", Some(RunOutcome::Succeeded))
        );
        assert_eq!(church.kinds_to("Ana").await, ["invite", "confirmed"]);
        assert_eq!(church.kinds_to("Lee").await, ["invite", "withdrawn"]);
        assert_eq!(church.kinds_to("Ruth").await, ["summary~filled~nursery"]);
        church.advance_to("23:00").await;
        assert_eq!(church.kinds_to("Lee").await, ["invite", "withdrawn"]);
        church.assert_consistent().await;
    });
}

#[test]
fn after_six_hours_the_last_call_goes_to_those_who_have_not_answered() {
    on_both(|church| async move {
        let run = church.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        church.each_says(&["Ana", "Ben", "Carla"], "yes").await;
        church.each_says(&["Dana"], "no sorry").await;
        church.each_says(&["Hana"], "STOP").await;
        church.advance_to("15:59").await;
        assert_eq!(church.kinds_to("Fay").await, ["invite"]);
        church.advance_to("16:00").await;
        assert_eq!(church.kinds_to("Fay").await, ["invite", "last_call"]);
        assert_eq!(church.kinds_to("Ana").await, ["invite", "confirmed"], "has a place");
        assert_eq!(church.kinds_to("Dana").await, ["invite"], "she said no");
        assert_eq!(church.kinds_to("Hana").await, ["invite"], "she opted out");
        church.each_says(&["Fay", "Gus"], "I'm in!").await;
        let done = church.run(run.id).await;
        assert_eq!(done.outcome, Some(RunOutcome::Succeeded));
        assert_eq!(church.counts(request, "nursery").await, "accepted 5, cancelled 6, declined 1");
        church.assert_consistent().await;
    });
}

#[test]
fn without_more_replies_it_falls_short_and_says_so() {
    on_both(|church| async move {
        let run = church.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        church.each_says(&["Ana"], "yes").await;
        church.advance_to("18:00").await;
        let done = church.run(run.id).await;
        assert_eq!(
            (done.status.as_str(), done.outcome),
            ("completed", Some(RunOutcome::FellShort))
        );
        assert_eq!(church.request(request).await.status.as_str(), "partially_filled");
        let summary = church.texts_to("Ruth").pop().expect("a summary");
        assert!(summary.contains("1 of 5") && summary.contains("Ana"), "{summary}");
        // An offer that is open when the run ends can be answered until the offer expires.
        assert_eq!(church.counts(request, "nursery").await, "accepted 1, invited 11");
        church.advance_to("2025-10-01T10:00:00-05:00").await;
        assert_eq!(church.counts(request, "nursery").await, "accepted 1, cancelled 11");
        church.advance_to(NINE_AM).await;
        assert_eq!(church.request(request).await.status.as_str(), "closed");
        church.assert_consistent().await;
    });
}

#[test]
fn a_last_call_to_many_waits_for_an_approval_before_the_first_text() {
    on_both(|church| async move {
        let people: Vec<_> = (0..40)
            .map(|n| json!({"name": format!("P{n}"), "phone": format!("+171320000{n:02}"), "roles": ["choir"]}))
            .collect();
        church.put_people(people.into()).await.expect("are added");
        let run = church.try_fill("choir", NINE_AM, 2).await.expect("starts");
        church.advance_to("16:00").await;
        let waiting = church.run(run.id).await.waiting_on.expect("a wait");
        assert_eq!(waiting.kind.as_str(), "approval");
        assert!(waiting.why.contains("40 people"), "{waiting:?}");
        assert_eq!(church.kinds_to("+17132000001").await, ["invite"]);
        church.assert_consistent().await;
    });
}

#[test]
fn when_everybody_declines_the_wait_ends_at_once() {
    on_both(|church| async move {
        let run = church.fill("sound", 1).await;
        church.each_says(&["Ivan"], "can't this week").await;
        let done = church.run(run.id).await;
        assert_eq!(done.outcome, Some(RunOutcome::FellShort));
        church.assert_consistent().await;
    });
}

#[test]
fn a_second_run_for_the_same_role_is_refused_and_named() {
    on_both(|church| async move {
        let run = church.fill("nursery", 5).await;
        let refused = church.try_fill("nursery", NINE_AM, 6).await.expect_err("is refused");
        assert_eq!(refused.code, "already_running");
        assert!(refused.message.contains(&run.id.to_string()), "{refused}");
        // A run that fills another role at the same service works for the same request.
        let other = church.fill("greeters", 1).await;
        assert_eq!(other.request_id, run.request_id);
        let request = church.request(run.request_id.expect("a request")).await;
        assert_eq!(request.targets, json!({"nursery": 5, "greeters": 1}));
        // The only candidate, Fay, is already asked for the nursery.
        assert_eq!(church.run(other.id).await.outcome, Some(RunOutcome::FellShort));
        church.assert_consistent().await;
    });
}

#[test]
fn no_offer_ages_while_the_tenant_is_paused() {
    on_both(|church| async move {
        church.engine.set_tenant_paused("default", true).await.expect("pauses");
        let run = church.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        church.advance_to("14:00").await;
        assert!(church.texts_to("Ana").is_empty());
        church.engine.set_tenant_paused("default", false).await.expect("resumes");
        church.advance_to("14:01").await;
        assert_eq!(church.kinds_to("Ana").await, ["invite"]);
        church.advance_to("2025-10-01T10:00:01-05:00").await;
        let counts = church.counts(request, "nursery").await;
        assert_eq!(counts, "invited 12", "24 hours count from the first permitted text");
        church.advance_to("2025-10-01T14:02:00-05:00").await;
        assert_eq!(church.counts(request, "nursery").await, "cancelled 12");
        church.assert_consistent().await;
    });
}

#[test]
fn in_quiet_hours_everything_counts_from_the_first_permitted_text() {
    on_both(|church| async move {
        church.advance_to("21:40").await;
        let run = church.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        church.advance_to("23:59").await;
        assert!(church.texts_to("Ana").is_empty());
        church.advance_to("2025-10-01T08:00:00-05:00").await;
        assert_eq!(church.kinds_to("Ana").await, ["invite"]);
        church.advance_to("2025-10-01T13:59:00-05:00").await;
        assert_eq!(church.run(run.id).await.status.as_str(), "waiting");
        assert_eq!(church.kinds_to("Ana").await, ["invite"]);
        church.advance_to("2025-10-01T14:00:00-05:00").await;
        assert_eq!(church.kinds_to("Ana").await, ["invite", "last_call"]);
        church.advance_to("2025-10-02T07:59:00-05:00").await;
        assert_eq!(church.counts(request, "nursery").await, "invited 12");
        church.advance_to("2025-10-02T08:00:00-05:00").await;
        assert_eq!(church.counts(request, "nursery").await, "cancelled 12");
        church.assert_consistent().await;
    });
}
