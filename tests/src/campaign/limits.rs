//! A run fails if it exceeds its maximum duration or number of messages.
//! The messages of all runs together keep within the tenant's budget, its rate and its limit per person.

use abide_engine::base::{Span, Timestamp};
use abide_engine::run::RunOutcome;
use serde_json::json;

use super::church::{Church, PAT, SERVICE, Setup, goal, on_both};
use crate::postgres::databases;

/// Start time of a service that is two weeks after the service at `SERVICE`.
const LATER: &str = "2025-10-19T09:00:00-05:00";

/// Builds a setup in which one limit of the shipped `fill_roles` is changed.
fn limited(name: &str, limit: &str) -> Setup {
    let mut setup = Setup::default();
    let text = setup.sources.methods.get_mut("fill_roles.yaml").expect("the method");
    let begin = format!("  {name}: ");
    let old = text.lines().find(|line| line.starts_with(&begin)).expect("the limit").to_owned();
    *text = text.replace(&old, &format!("{begin}{limit}"));
    setup
}

on_both!(a_run_that_takes_too_long_fails, with limited("max_duration", "1h"), async |mut church: Church| {
    let run = church.fill(5).await.id;
    church.advance("59min").await;
    assert_eq!(church.run(run).await.status.as_str(), "waiting");
    church.crash().await;
    church.advance("1min").await;
    let view = church.run(run).await;
    assert_eq!((view.status.as_str(), &*view.error.expect("an error").code), ("failed", "max_duration"));
    church.advance("8h").await;
    assert_eq!(church.sent(&Church::phone('A'), "last_call").await, 0);
    let again = church.fill(5).await;
    assert_ne!(again.id, run, "the role is free for another run");
    church.assert_consistent().await;
});

on_both!(a_run_that_would_send_too_much_sends_nothing, with limited("max_messages", "11"), async |church: Church| {
    let run = church.fill(5).await.id;
    let view = church.run(run).await;
    assert_eq!((view.status.as_str(), &*view.error.expect("an error").code), ("failed", "max_messages"));
    assert_eq!(church.provider.sent(), []);
    assert_eq!(church.number("SELECT COUNT(*) FROM offer").await, 0);
    church.assert_consistent().await;
});

/// Number of people who get an invitation. One of them accepts, and the other 300 offers are withdrawn.
/// The commit that withdraws the offers notifies at most `CHUNK_PEOPLE_MAX` people, which is less than 300.
/// Later commits notify the other people.
const MANY: usize = 301;

#[tokio::test]
async fn all_withdrawals_count_at_the_decision_to_withdraw() {
    // There are 602 messages: 301 people get an invitation,
    // 300 of these people get a withdrawal, and staff get a summary.
    for (limit, status, withdrawn) in [("602", "completed", 300), ("600", "failed", 0)] {
        for database in databases() {
            let mut church = Church::with(database, limited("max_messages", limit)).await;
            church.add_people(MANY, "choir").await;
            let goal = json!({ "kind": "FillRole", "role": "choir", "count": 1, "time": SERVICE });
            let run = church.start("fill_roles", goal).await.expect("started").id;
            church.text("+17132000000", "yes").await;
            church.advance("1min").await;
            let view = church.run(run).await;
            assert_eq!(view.status.as_str(), status, "{limit}: {:?}", view.error);
            let code = view.error.map_or_else(String::new, |error| error.code);
            assert_eq!(code == "max_messages", status == "failed", "{limit}: {code}");
            let told = "SELECT COUNT(*) FROM outbox WHERE kind = 'withdrawn'";
            assert_eq!(church.number(told).await, withdrawn, "{limit}");
            church.assert_consistent().await;
        }
    }
}

on_both!(
    too_small_a_budget_is_refused_before_the_first_message,
    with Setup::settings(json!({ "messages_per_month": 11 })),
    async |church: Church| {
        let run = church.fill(5).await.id;
        let error = church.run(run).await.error.expect("an error");
        assert_eq!((&*error.code, &*error.step_id), ("budget_exhausted", "invite"));
        assert!(error.message.contains("12") && error.message.contains("11"), "{error:?}");
        assert_eq!(church.provider.sent(), []);
        church.assert_consistent().await;
    }
);

on_both!(
    messages_over_the_budget_wait_for_the_next_month,
    with Setup::settings(json!({ "messages_per_month": 15 })),
    async |mut church: Church| {
        let run = church.fill(5).await.id;
        church.say("ABCDE", "yes").await;
        assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
        assert_eq!(church.provider.sent().len(), 15, "no message exceeds the budget");
        church.advance("22h").await;
        assert_eq!(church.sent(PAT, "summary").await, 1, "October has a budget of its own");
        church.assert_consistent().await;
    }
);

/// Returns the pauses between consecutive messages, in the sequence in which the messages were sent.
fn pauses(church: &Church) -> Vec<Span> {
    let sent: Vec<Timestamp> = church.provider.sent().into_iter().map(|m| m.at).collect();
    sent.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

on_both!(
    invitations_and_the_last_call_leave_at_the_rate_and_the_wait_counts_from_the_last,
    with Setup::settings(json!({ "fan_out_per_minute": 1 })),
    async |church: Church| {
        let run = church.start("fill_roles", goal(5)).await.expect("started").id;
        church.advance("5h 59min").await;
        assert_eq!(church.provider.sent().len(), 12);
        assert_eq!(church.number("SELECT COUNT(*) FROM outbox WHERE kind = 'last_call'").await, 0);
        church.advance("11min").await;
        assert_eq!(church.number("SELECT COUNT(*) FROM outbox WHERE kind = 'last_call'").await, 0);
        church.advance("30min").await;
        assert_eq!(church.number("SELECT COUNT(*) FROM outbox WHERE kind = 'last_call'").await, 12);
        assert_eq!(church.provider.sent().len(), 24);
        let minute = Span::from_secs(60);
        assert!(pauses(&church).iter().all(|pause| *pause >= minute), "{:?}", pauses(&church));
        assert_eq!(church.run(run).await.status.as_str(), "waiting");
        church.assert_consistent().await;
    }
);

on_both!(
    two_campaigns_share_the_rate_of_their_tenant,
    with Setup::settings(json!({ "fan_out_per_minute": 1 })),
    async |church: Church| {
        church.start("fill_roles", goal(5)).await.expect("started");
        let later = json!({ "kind": "FillRole", "role": "cafe", "count": 1, "time": LATER });
        church.start("fill_roles", later).await.expect("started");
        church.advance("20min").await;
        assert_eq!(church.provider.sent().len(), 14, "twelve for the nursery, two for the cafe");
        let minute = Span::from_secs(60);
        assert!(pauses(&church).iter().all(|pause| *pause >= minute), "{:?}", pauses(&church));
        church.assert_consistent().await;
    }
);

on_both!(
    nobody_is_texted_unasked_more_often_than_a_week_allows,
    with Setup::settings(json!({ "per_person_per_week": 1 })),
    async |mut church: Church| {
        church.fill(5).await;
        church.say("A", "yes").await;
        assert_eq!(church.sent(&Church::phone('A'), "confirmed").await, 1, "an answer is not counted");
        church.advance("7h").await;
        assert_eq!(church.number("SELECT COUNT(*) FROM outbox WHERE kind = 'last_call'").await, 11);
        let held = "SELECT COUNT(*) FROM outbox l JOIN outbox i ON i.person = l.person AND i.kind = 'invite'
            WHERE l.kind = 'last_call' AND l.state = 'queued' AND l.not_before = i.not_before + 604800000000";
        assert_eq!(church.number(held).await, 11, "a week after the invitation, and not dropped");
        let later = json!({ "kind": "FillRole", "role": "cafe", "count": 1, "time": LATER });
        church.start("fill_roles", later).await.expect("started");
        let asked = "SELECT COUNT(*) FROM offer o JOIN outbox m ON m.cause_id = o.id
            WHERE o.role = 'cafe' AND m.state = 'queued' AND o.planned_at = m.not_before
            AND o.expires_at > m.not_before";
        assert_eq!(church.number(asked).await, 2, "the lifetime of an offer begins with its text");
        church.assert_consistent().await;
    }
);
