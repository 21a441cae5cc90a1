//! Filling a role, from the first invitation to the summary.

use abide_engine::run::RunOutcome;
use serde_json::json;

use super::world::{NINE, on_both};

#[test]
fn five_of_twelve_say_yes_and_the_others_are_told_once() {
    on_both(|world| async move {
        let run = world.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        assert_eq!(world.counts(request, "nursery").await, "invited 12");
        world.until("10:05").await;
        world.each_says(&["Ana", "Ben", "Carla", "Dana"], "sure, happy to").await;
        assert_eq!(world.request(request).await.status.as_str(), "partially_filled");
        assert_eq!(world.run(run.id).await.status.as_str(), "waiting");
        world.say("Eli", "yes please").await;
        assert_eq!(world.counts(request, "nursery").await, "accepted 5, cancelled 7");
        assert_eq!(world.request(request).await.status.as_str(), "filled");
        let done = world.run(run.id).await;
        assert_eq!(
            (done.status.as_str(), done.outcome),
            ("completed", Some(RunOutcome::Succeeded))
        );
        assert_eq!(world.kinds_to("Ana").await, ["invite", "confirmed"]);
        assert_eq!(world.kinds_to("Lee").await, ["invite", "withdrawn"]);
        assert_eq!(world.kinds_to("Ruth").await, ["summary~filled~nursery"]);
        world.until("23:00").await;
        assert_eq!(world.kinds_to("Lee").await, ["invite", "withdrawn"]);
        world.is_sound().await;
    });
}

#[test]
fn after_six_hours_the_last_call_goes_to_those_who_have_not_answered() {
    on_both(|world| async move {
        let run = world.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        world.each_says(&["Ana", "Ben", "Carla"], "yes").await;
        world.each_says(&["Dana"], "no sorry").await;
        world.each_says(&["Hana"], "STOP").await;
        world.until("15:59").await;
        assert_eq!(world.kinds_to("Fay").await, ["invite"]);
        world.until("16:00").await;
        assert_eq!(world.kinds_to("Fay").await, ["invite", "last_call"]);
        assert_eq!(world.kinds_to("Ana").await, ["invite", "confirmed"], "has a place");
        assert_eq!(world.kinds_to("Dana").await, ["invite"], "she said no");
        assert_eq!(world.kinds_to("Hana").await, ["invite"], "she opted out");
        world.each_says(&["Fay", "Gus"], "I'm in!").await;
        let done = world.run(run.id).await;
        assert_eq!(done.outcome, Some(RunOutcome::Succeeded));
        assert_eq!(world.counts(request, "nursery").await, "accepted 5, cancelled 6, declined 1");
        world.is_sound().await;
    });
}

#[test]
fn without_more_replies_it_falls_short_and_says_so() {
    on_both(|world| async move {
        let run = world.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        world.each_says(&["Ana"], "yes").await;
        world.until("18:00").await;
        let done = world.run(run.id).await;
        assert_eq!(
            (done.status.as_str(), done.outcome),
            ("completed", Some(RunOutcome::FellShort))
        );
        assert_eq!(world.request(request).await.status.as_str(), "partially_filled");
        let summary = world.texts_to("Ruth").pop().expect("a summary");
        assert!(summary.contains("1 of 5") && summary.contains("Ana"), "{summary}");
        // Open offers can be answered until they expire.
        assert_eq!(world.counts(request, "nursery").await, "accepted 1, invited 11");
        world.until("2025-10-01T10:00:00-05:00").await;
        assert_eq!(world.counts(request, "nursery").await, "accepted 1, cancelled 11");
        world.until(NINE).await;
        assert_eq!(world.request(request).await.status.as_str(), "closed");
        world.is_sound().await;
    });
}

#[test]
fn a_last_call_to_too_many_stops_before_the_first_text() {
    on_both(|world| async move {
        let people: Vec<_> = (0..40)
            .map(|n| json!({"name": format!("P{n}"), "phone": format!("+171320000{n:02}"), "roles": ["choir"]}))
            .collect();
        world.people(people.into()).await.expect("are added");
        let run = world.try_fill(("choir", NINE), 2).await.expect("starts");
        world.until("16:00").await;
        let stopped = world.run(run.id).await;
        let code = stopped.error.map(|error| error.code);
        assert_eq!(code.as_deref(), Some("approval_required"));
        assert_eq!(world.kinds_to("+17132000001").await, ["invite"]);
        world.is_sound().await;
    });
}

#[test]
fn when_everybody_declines_the_wait_ends_at_once() {
    on_both(|world| async move {
        let run = world.fill("sound", 1).await;
        world.each_says(&["Ivan"], "can't this week").await;
        let done = world.run(run.id).await;
        assert_eq!(done.outcome, Some(RunOutcome::FellShort));
        world.is_sound().await;
    });
}

#[test]
fn a_second_run_for_the_same_role_is_refused_and_named() {
    on_both(|world| async move {
        let run = world.fill("nursery", 5).await;
        let refused = world.try_fill(("nursery", NINE), 6).await.expect_err("is refused");
        assert_eq!(refused.code, "already_running");
        assert!(refused.message.contains(&run.id.to_string()), "{refused}");
        // A run for another role of the same service joins the request.
        let other = world.fill("greeters", 1).await;
        assert_eq!(other.request_id, run.request_id);
        let request = world.request(run.request_id.expect("a request")).await;
        assert_eq!(request.targets, json!({"nursery": 5, "greeters": 1}));
        // The only candidate, Fay, is already asked for the nursery.
        assert_eq!(world.run(other.id).await.outcome, Some(RunOutcome::FellShort));
        world.is_sound().await;
    });
}

#[test]
fn no_offer_ages_while_the_tenant_is_paused() {
    on_both(|world| async move {
        world.engine.set_tenant_paused("default", true).await.expect("pauses");
        let run = world.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        world.until("14:00").await;
        assert!(world.texts_to("Ana").is_empty());
        world.engine.set_tenant_paused("default", false).await.expect("resumes");
        world.until("14:01").await;
        assert_eq!(world.kinds_to("Ana").await, ["invite"]);
        world.until("2025-10-01T10:00:01-05:00").await;
        let counts = world.counts(request, "nursery").await;
        assert_eq!(counts, "invited 12", "24 hours count from the first permitted text");
        world.until("2025-10-01T14:02:00-05:00").await;
        assert_eq!(world.counts(request, "nursery").await, "cancelled 12");
        world.is_sound().await;
    });
}

#[test]
fn in_quiet_hours_everything_counts_from_the_first_permitted_text() {
    on_both(|world| async move {
        world.until("21:40").await;
        let run = world.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        world.until("23:59").await;
        assert!(world.texts_to("Ana").is_empty());
        world.until("2025-10-01T08:00:00-05:00").await;
        assert_eq!(world.kinds_to("Ana").await, ["invite"]);
        world.until("2025-10-01T13:59:00-05:00").await;
        assert_eq!(world.run(run.id).await.status.as_str(), "waiting");
        assert_eq!(world.kinds_to("Ana").await, ["invite"]);
        world.until("2025-10-01T14:00:00-05:00").await;
        assert_eq!(world.kinds_to("Ana").await, ["invite", "last_call"]);
        world.until("2025-10-02T07:59:00-05:00").await;
        assert_eq!(world.counts(request, "nursery").await, "invited 12");
        world.until("2025-10-02T08:00:00-05:00").await;
        assert_eq!(world.counts(request, "nursery").await, "cancelled 12");
        world.is_sound().await;
    });
}
