//! Messages that a run schedules for itself, and methods that a run starts later.

use abide_engine::facade::ScheduleFilter;
use abide_engine::run::{Control, RunOutcome};
use abide_engine::store::RunRef;
use serde_json::json;

use super::{QUICK, event_bodies, times};
use crate::campaign::church::{Church, PAT, SERVICE, on_both};
use crate::campaign::probe::probed;

const REMIND: &str = r#"
method: remind
inputs:
  type: object
  required: [service]
  properties: { service: { type: string, format: date-time } }
steps:
  - call: schedule
    args: { at: "{{goal.service - 48h}}", payload: { about: "{{goal.service}}" } }
    out: timer
  - await: { signal: scheduled, timeout: 30days, out: due }
  - call: notify
    args: { targets: [staff], template: filled_n_of_m, vars: { n: 1, m: 2 } }
success_when: due.about == goal.service
"#;

on_both!(
    a_run_continues_two_days_before_the_service,
    with probed(&[("remind", REMIND)]),
    async |mut church: Church| {
        let run = church.start("remind", json!({ "service": SERVICE })).await.expect("starts").id;
        let waits = church.run(run).await;
        let on = waits.waiting_on.expect("it waits");
        assert_eq!((on.kind.as_str(), on.why.as_str()), ("timer", "it waits for a time that it has scheduled"));
        assert_eq!(on.until.as_deref(), Some("2025-10-03T14:00:00+00:00"));
        assert_eq!(waits.next_timer_at, on.until);
        let explained = church.engine().explain("default", run).await.expect("explains").text;
        assert!(explained.contains("waiting since today at 10:00 (less than a minute) for a time that it has scheduled. That time comes on Fri 3 Oct at 09:00; then it goes on with `notify`. Nobody has to do anything."), "{explained}");
        let filter = ScheduleFilter { run: Some(run), ..ScheduleFilter::default() };
        let timers = church.engine().schedules("default", filter).await.expect("lists").items;
        assert_eq!(timers[0].next_at.as_deref(), Some("2025-10-03T09:00:00-05:00"));
        assert_eq!(Some(timers[0].id.to_string().as_str()), church.var(run, "timer").await.as_str());

        church.advance("2days 22h 59min").await;
        church.crash().await;
        assert_eq!(church.run(run).await.status.as_str(), "waiting");
        let advance = church.engine().now() + "1min".parse().expect("a span");
        let fired = church.engine().advance(advance).await.expect("advances").fired;
        assert_eq!(fired, 1, "the timer fires, and no deadline");
        assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
        assert_eq!(church.sent(PAT, "filled_n_of_m").await, 1);
        let receipts = church.receipts(run).await;
        let tools: Vec<_> = receipts.iter().map(|receipt| &receipt["tool"]).collect();
        assert_eq!(tools, ["schedule", "notify"]);
        assert_eq!(church.number("SELECT COUNT(*) FROM schedule").await, 0);
        church.assert_consistent().await;
    }
);

const SEVERAL: &str = r#"
method: several
steps:
  - call: schedule
    args: { at: "{{now + 2h}}", payload: 2 }
  - call: schedule
    args: { at: "{{now - 1h}}", payload: 1 }
  - await: [ { signal: answer, timeout: 5h }, { signal: scheduled, out: first } ]
  - await: [ { signal: answer, timeout: 5h }, { signal: scheduled, out: second } ]
  - await: { signal: answer, timeout: 5h }
"#;

on_both!(
    a_time_in_the_past_fires_at_once_and_several_fire_in_order,
    with probed(&[("several", SEVERAL)]),
    async |church: Church| {
        let run = church.start("several", json!({})).await.expect("starts").id;
        assert_eq!(church.var(run, "first").await, 1);
        let on = church.run(run).await.waiting_on.expect("it waits");
        assert_eq!((on.kind.as_str(), on.why.as_str()), ("signal", "the signal `answer` has not arrived yet"));
        assert_eq!(on.until.as_deref(), Some("2025-09-30T17:00:00+00:00"), "its timer, not the deadline");
        let explained = church.engine().explain("default", run).await.expect("explains");
        assert!(!explained.must_act.contains("scheduled"), "{}", explained.must_act);
        church.advance("2h").await;
        assert_eq!(church.var(run, "second").await, 2);
        church.assert_consistent().await;
    }
);

const LATER: &str = r#"
method: later
steps:
  - call: schedule
    args: { at: "{{now + 24h}}", payload: { method: quick, goal: { n: 1 } } }
  - call: schedule
    args: { at: "{{now + 24h}}", payload: { remind: me } }
  - await: { signal: go, timeout: 48h }
"#;

on_both!(
    the_messages_of_an_ended_run_are_dropped_and_its_starts_still_fire,
    with probed(&[("later", LATER), ("quick", QUICK)]),
    async |mut church: Church| {
        let cancelled = church.start("later", json!({})).await.expect("starts").id;
        let completed = church.start("later", json!({})).await.expect("starts").id;
        assert_eq!(church.number("SELECT COUNT(*) FROM schedule").await, 4);
        church.control(cancelled, Control::Cancel).await.expect("is cancelled");
        church.crash().await;
        church.engine().signal(RunRef { tenant: "default", run: completed }, "go", &json!(1), None).await.expect("sent");
        assert_eq!(church.run(completed).await.outcome, Some(RunOutcome::Succeeded));
        assert_eq!(church.number("SELECT COUNT(*) FROM schedule").await, 2);
        assert_eq!(event_bodies(&church, "timers.dropped").await.len(), 2);
        church.assert_consistent().await;
        church.advance("24h").await;
        assert_eq!(times(&church, "quick").await, ["2025-10-01T10:00:00-05:00"; 2]);
        assert_eq!(church.number("SELECT COUNT(*) FROM schedule").await, 0);
        church.assert_consistent().await;
    }
);

const FAILS: &str = r#"
method: fails
steps:
  - call: schedule
    args: { at: "{{now + 2h}}", payload: back }
  - call: attempt
    args: { failures: 1, transient: false }
  - await: { signal: scheduled, timeout: 10days, out: came }
"#;

on_both!(
    a_failed_run_that_is_retried_receives_what_it_had_scheduled,
    with probed(&[("fails", FAILS)]),
    async |church: Church| {
        let run = church.start("fails", json!({})).await.expect("starts").id;
        assert_eq!(church.run(run).await.status.as_str(), "failed");
        church.assert_consistent().await;
        church.advance("3h").await;
        church.assert_consistent().await;
        church.control(run, Control::Retry).await.expect("is tried again");
        assert_eq!(church.var(run, "came").await, "back");
        assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
        church.assert_consistent().await;
    }
);

const BRANCHES: &str = r#"
method: branches
steps:
  - parallel:
      - - { call: schedule, args: { at: "{{now + 1h}}", payload: 7 }, out: timer }
        - await: { signal: scheduled, timeout: 5h, out: came }
      - - await: { signal: other, timeout: 2h }
"#;

on_both!(
    a_branch_receives_the_message_that_it_has_scheduled,
    with probed(&[("branches", BRANCHES)]),
    async |church: Church| {
        let run = church.start("branches", json!({})).await.expect("starts").id;
        let explained = church.engine().explain("default", run).await.expect("explains").text;
        assert!(explained.contains("for a time that it has scheduled"), "{explained}");
        church.advance("2h").await;
        assert_eq!(church.var(run, "came").await, 7);
        church.assert_consistent().await;
    }
);
