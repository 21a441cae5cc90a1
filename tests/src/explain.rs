//! The engine explains why a run does not continue.
//! Each test brings a run into a state and reads the explanation.

use abide_engine::base::{RunId, Value};
use abide_engine::facade::WaitKind;
use abide_engine::run::Control;
use abide_engine::store::RunRef;
use serde_json::json;

use crate::campaign::church::{Church, Setup, goal, on_both};
use crate::campaign::probe::probed;

const SIGNAL: &str = "method: m
steps:
  - await: { signal: verdict, timeout: 2h, out: verdict }
";

const CHILD: &str = "method: parent
steps:
  - id: ask
    call: m
    with: { goal: { kind: Inner } }
  - { set: { done: true } }
";

const BRANCHES: &str = "method: m
steps:
  - parallel:
      - - await: { signal: left, timeout: 1h }
      - - await: { timeout: 3h }
    join: all
";

async fn text(church: &Church, run: RunId) -> String {
    church.engine().explain("default", run).await.expect("explained").text
}

async fn start(church: &Church, method: &str, goal: Value) -> RunId {
    church.start(method, goal).await.expect("started").id
}

fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in: {text}");
    }
}

on_both!(people_who_have_not_answered_and_the_next_steps_are_named, async |church: Church| {
    let run = start(&church, "fill_roles", goal(5)).await;
    church.advance("3h").await;
    let explained = church.engine().explain("default", run).await.expect("explained");
    assert_says(
        &explained.text,
        &[
            "since today at 10:00 (3 hours)",
            "0 of 5",
            "Ana",
            "6 others",
            "today at 16:00 at the latest",
        ],
    );
    assert_says(&explained.text, &["goes on with `assign`", "fall back to `last_call`"]);
    assert_eq!(explained.waiting_on.map(|wait| wait.kind), Some(WaitKind::Replies));
    assert_eq!(explained.next[0].at.as_deref(), Some("2025-09-30T21:00:00+00:00"));

    church.engine().control("default", run, Control::Pause).await.expect("paused");
    assert_says(&text(&church, run).await, &["was paused today at 13:00", "abide run resume run_"]);
    church.engine().control("default", run, Control::Resume).await.expect("resumed");

    church.engine().set_tenant_paused("default", true).await.expect("paused");
    assert_says(&text(&church, run).await, &["kill switch of `default` is on", "administrator"]);
    church.engine().set_tenant_paused("default", false).await.expect("resumed");

    church.engine().control("default", run, Control::Cancel).await.expect("cancelled");
    assert_says(&text(&church, run).await, &["was cancelled today at 13:00, 3 hours after"]);
    church.assert_consistent().await;
});

on_both!(
    texts_held_back_by_quiet_hours_are_reported,
    with Setup::settings(json!({ "quiet_hours": "09:00-12:00" })),
    async |church: Church| {
        let run = start(&church, "fill_roles", goal(2)).await;
        let told = text(&church, run).await;
        assert_says(&told, &["12 of its messages are held back until today at 12:00", "quiet hours"]);
        // The postponed invitations of a cancelled run are never sent.
        church.engine().control("default", run, Control::Cancel).await.expect("cancelled");
        let told = text(&church, run).await;
        assert_says(&told, &["was cancelled", "Nothing more is sent for it. Nobody has to"]);
    }
);

on_both!(
    a_wait_for_a_child_is_followed_to_what_the_child_waits_for,
    with probed(&[("m", SIGNAL), ("parent", CHILD)]),
    async |church: Church| {
        let run = start(&church, "parent", json!({ "kind": "Test" })).await;
        let told = text(&church, run).await;
        assert_says(&told, &["a run of `m` that it started", "for the signal `verdict`, which has"]);
        assert_says(&told, &["abide run signal run_", "verdict`", "When that run has ended"]);
        church.advance("2h").await;
        assert_says(&text(&church, run).await, &["reached its goal today at 12:00, 2 hours after"]);
    }
);

on_both!(
    the_branches_of_a_run_are_called_its_own,
    with probed(&[("m", BRANCHES)]),
    async |church: Church| {
        let run = start(&church, "m", json!({ "kind": "Test" })).await;
        assert_says(&text(&church, run).await, &["2 of its own branches", "`left`"]);
        church.advance("1h").await;
        let told = text(&church, run).await;
        assert_says(&told, &["one of its own branches. That branch has been in a planned pause", "Nobody has to"]);
    }
);

on_both!(
    a_signal_name_that_no_await_takes_is_warned_about,
    with probed(&[("m", SIGNAL)]),
    async |church: Church| {
        let run = start(&church, "m", json!({ "kind": "Test" })).await;
        let target = RunRef { tenant: "default", run };
        let send = async |name| {
            let sent = church.engine().signal(target, name, &json!({}), Some("k")).await;
            sent.expect("sent")
        };
        for is_new in [true, false] {
            let sent = send("verdit").await;
            assert_eq!(sent.is_new, is_new, "once a key");
            let warning = sent.warning.expect("a warning");
            assert_says(&warning, &["no `await` of `m` takes `verdit`", "did you mean `verdict`?"]);
        }
        let warning = church.engine().signal(target, "verdict", &json!({}), None).await;
        assert_eq!(warning.expect("sent").warning, None);
    }
);
