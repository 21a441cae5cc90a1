//! Recurring schedules fire in local time, after outages, and while their previous run has not ended.

use abide_engine::store::RunFilter;
use serde_json::json;

use super::{QUICK, SLOW, add, event_bodies, schedules, times};
use crate::campaign::church::{Church, on_both};
use crate::campaign::probe::probed;

const WEEKLY: &str = r#"
method: weekly
steps:
  - set:
      time: '{{format(ctx.scheduled_at + 144h, "%Y-%m-%dT09:00:00%:z", ctx.time_zone)}}'
  - call: fill_roles
    with: { goal: { kind: FillRole, role: nursery, count: 2, time: "{{time}}" } }
    out: filled
"#;

on_both!(
    every_monday_people_are_asked_for_the_sunday_that_follows,
    with probed(&[("weekly", WEEKLY)]),
    async |mut church: Church| {
        church.advance("20days").await;
        let added = add(&church, "weekly", json!({ "cron": "0 9 * * MON" })).await.expect("is added");
        assert_eq!(added.next_at.as_deref(), Some("2025-10-27T09:00:00-05:00"));
        church.advance("6days 22h 59min").await;
        church.crash().await;
        church.advance("1min").await;
        church.crash().await;
        let filter = RunFilter { method: Some("fill_roles".to_owned()), ..RunFilter::default() };
        let runs = church.engine().runs("default", &filter).await.expect("runs").items;
        assert_eq!(runs.len(), 1);
        // Daylight saving time ends on that Sunday, and the service still begins at nine.
        assert_eq!(runs[0].goal["time"], "2025-11-02T09:00:00-06:00");
        let listed = schedules(&church).await.remove(0);
        assert_eq!(listed.next_at.as_deref(), Some("2025-11-03T09:00:00-06:00"));
        assert_eq!(listed.last_at.as_deref(), Some("2025-10-27T09:00:00-05:00"));
        assert_eq!(listed.last_run_id, church.run(runs[0].id).await.parent_id);
        church.assert_consistent().await;
    }
);

on_both!(
    a_time_in_a_skipped_hour_fires_after_it_and_in_a_repeated_hour_once,
    with probed(&[("quick", QUICK)]),
    async |church: Church| {
        church.advance("32days").await; // Saturday 2025-11-01
        let fold = add(&church, "quick", json!({ "cron": "30 1 * * *" })).await.expect("is added");
        church.advance("2days").await;
        let shown = ["2025-11-02T01:30:00-05:00", "2025-11-03T01:30:00-06:00"];
        assert_eq!(times(&church, "quick").await, shown);
        let remove = abide_engine::store::tx_closure(move |tx| {
            Box::pin(abide_engine::facade::remove_schedule(tx, "default", fold.id))
        });
        church.engine().write(remove).await.expect("is removed");
        church.advance("124days").await; // Saturday 2026-03-07
        add(&church, "quick", json!({ "cron": "30 2 * * *" })).await.expect("is added");
        church.advance("2days").await;
        let gap = ["2026-03-08T03:00:00-05:00", "2026-03-09T02:30:00-05:00"];
        assert_eq!(times(&church, "quick").await[2..], gap);
        church.assert_consistent().await;
    }
);

on_both!(
    the_catch_up_policy_decides_which_missed_times_fire_after_an_outage,
    with probed(&[
        ("none", "method: none\nsteps: [ { call: echo, args: { value: 1 } } ]\n"),
        ("one", "method: one\nsteps: [ { call: echo, args: { value: 1 } } ]\n"),
        ("all", "method: all\nsteps: [ { call: echo, args: { value: 1 } } ]\n"),
    ]),
    async |mut church: Church| {
        for policy in ["none", "one", "all"] {
            let how = json!({ "cron": "0 9 * * *", "catch_up": policy });
            add(&church, policy, how).await.expect("is added");
        }
        church.advance("2days").await;
        for policy in ["none", "one", "all"] {
            assert_eq!(times(&church, policy).await.len(), 2, "{policy}");
        }
        // The process is down from Thursday morning to Monday at eight.
        church.move_clock("3days 22h");
        church.crash().await;
        let days = |days: &[u32]| -> Vec<String> {
            days.iter().map(|day| format!("2025-10-{day:02}T09:00:00-05:00")).collect()
        };
        assert_eq!(times(&church, "none").await, days(&[1, 2]));
        assert_eq!(times(&church, "one").await, days(&[1, 2, 5]));
        assert_eq!(times(&church, "all").await, days(&[1, 2, 3, 4, 5]));
        assert_eq!(event_bodies(&church, "schedule.missed").await.len(), 2);
        church.advance("1h").await;
        assert_eq!(times(&church, "none").await, days(&[1, 2, 6]));
        assert_eq!(times(&church, "one").await, days(&[1, 2, 5, 6]));
        church.assert_consistent().await;
    }
);

on_both!(
    the_overlap_policy_decides_what_fires_while_the_last_run_is_running,
    with probed(&[
        ("skip", &SLOW.replace("slow", "skip")),
        ("queue", &SLOW.replace("slow", "queue")),
        ("allow", &SLOW.replace("slow", "allow")),
    ]),
    async |mut church: Church| {
        for policy in ["skip", "queue", "allow"] {
            let how = json!({ "cron": "0 * * * *", "overlap": policy });
            add(&church, policy, how).await.expect("is added");
        }
        let hours = |hours: &[u32]| -> Vec<String> {
            hours.iter().map(|hour| format!("2025-09-30T{hour}:00:00-05:00")).collect()
        };
        church.advance("2h 15min").await;
        church.crash().await;
        assert_eq!(times(&church, "queue").await, hours(&[11]));
        assert!(schedules(&church).await[1].waits);
        church.assert_consistent().await;
        church.advance("2h 15min").await; // 14:30
        assert_eq!(times(&church, "skip").await, hours(&[11, 13]));
        assert_eq!(times(&church, "queue").await, hours(&[11, 12, 13]));
        assert_eq!(times(&church, "allow").await, hours(&[11, 12, 13, 14]));
        let skipped = event_bodies(&church, "schedule.skipped").await;
        let at: Vec<_> = skipped.iter().map(|body| body["at"].as_str().expect("a time")).collect();
        assert_eq!(at, ["2025-09-30T17:00:00+00:00", "2025-09-30T19:00:00+00:00"]);
        church.assert_consistent().await;
    }
);

on_both!(
    the_kill_switch_holds_schedules_and_they_catch_up_when_it_is_off_again,
    with probed(&[("quick", QUICK)]),
    async |mut church: Church| {
        add(&church, "quick", json!({ "cron": "0 9 * * *" })).await.expect("is added");
        add(&church, "quick", json!({ "at": "2025-10-01T12:00:00-05:00" })).await.expect("is added");
        church.engine().set_tenant_paused("default", true).await.expect("paused");
        church.advance("3days").await;
        church.crash().await;
        assert_eq!(times(&church, "quick").await, [""; 0]);
        church.engine().set_tenant_paused("default", false).await.expect("resumed");
        let mut started = times(&church, "quick").await;
        started.sort();
        assert_eq!(started, ["2025-10-01T12:00:00-05:00", "2025-10-03T09:00:00-05:00"]);
        church.assert_consistent().await;
    }
);
