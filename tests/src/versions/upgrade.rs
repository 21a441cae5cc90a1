//! Upgrades: waiting runs move to another version of their method, and back again.

use abide_engine::base::{RunId, Value};
use abide_engine::facade::{
    Judgement, NewVersion, PublishOutcome, UndoOptions, UndoTarget, UpgradeOptions, UpgradeView,
};
use abide_engine::run::{Control, RunState, STATE_V};
use abide_engine::store::{NewRun, RunRef, tx_closure};
use serde_json::json;

use crate::campaign::church::{Church, Setup, on_both};

const TENANT: &str = "default";

async fn publish(church: &Church, text: &str) -> i64 {
    match church
        .engine()
        .publish(TENANT, NewVersion { file: "method.yaml", text, shadow: false })
        .await
        .expect("answered")
    {
        PublishOutcome::Published(published) => published.version,
        PublishOutcome::Invalid(findings) => panic!("{findings:#?}"),
    }
}

async fn upgrade(church: &Church, run: RunId) -> UpgradeView {
    let options = UpgradeOptions::default();
    church.engine().upgrade_run(TENANT, run, &options).await.expect("moved")
}

async fn refused(church: &Church, run: RunId) -> (String, String) {
    let options = UpgradeOptions::default();
    let problem = church.engine().upgrade_run(TENANT, run, &options).await.expect_err("refused");
    (problem.code.into_owned(), problem.message)
}

async fn kinds(church: &Church, run: RunId) -> Vec<String> {
    let page = church.engine().events(TENANT, run, 0, 200).await.expect("events");
    page.items.into_iter().map(|event| event.kind.to_string()).collect()
}

const HOLD: &str = "method: hold
limits: { max_duration: 30days }
steps:
  - id: hold
    await: { signal: go, timeout: 6h, out: word }
";

/// Builds the method `HOLD` with another timeout and additional steps.
fn hold(timeout: &str, further: &str) -> String {
    HOLD.replace("6h", timeout) + further
}

on_both!(a_waiting_run_continues_with_the_new_text_at_its_step, async |church: Church| {
    publish(&church, HOLD).await;
    let run = church.start("hold", json!({})).await.expect("started").id;
    let short = church.start("hold", json!({})).await.expect("started").id;
    church.advance("2h").await;
    publish(&church, &hold("8h", "  - { id: after, set: { done: '{{word}}' } }\n")).await;

    let options = UpgradeOptions { dry_run: true, ..UpgradeOptions::default() };
    let asked = church.engine().upgrade_run(TENANT, run, &options).await.expect("judged");
    assert_eq!((asked.safe, asked.id, church.run(run).await.method_version), (1, None, 1));
    let moved = upgrade(&church, run).await;
    assert_eq!(moved.progress.map(|p| (p.moved, p.ordered, p.kept)), Some((1, 0, 0)));
    let view = church.run(run).await;
    assert_eq!((view.method_version, view.status.as_str()), (2, "waiting"));
    assert!(kinds(&church, run).await.contains(&"run.upgraded".to_owned()));

    church.advance("4h").await;
    assert_eq!(
        church.run(short).await.status.as_str(),
        "completed",
        "the old text waits for six hours"
    );
    assert_eq!(
        church.run(run).await.status.as_str(),
        "waiting",
        "the new one waits eight hours, counted from its start"
    );
    church
        .engine()
        .signal(RunRef { tenant: TENANT, run }, "go", &json!("yes"), None)
        .await
        .expect("sent");
    let ended = church.run(run).await;
    assert_eq!(ended.status.as_str(), "completed");
    assert_eq!(ended.vars.expect("variables")["done"], "yes");
    assert_eq!(refused(&church, short).await.0, "wrong_state");
    church.assert_consistent().await;
});

on_both!(a_shorter_timeout_that_has_passed_ends_the_wait_at_once, async |church: Church| {
    publish(&church, HOLD).await;
    let run = church.start("hold", json!({})).await.expect("started").id;
    church.advance("2h").await;
    publish(&church, &hold("1h", "")).await;
    upgrade(&church, run).await;
    assert_eq!(church.run(run).await.status.as_str(), "completed");
    church.assert_consistent().await;
});

on_both!(a_refused_upgrade_names_the_step_that_prevents_it, async |church: Church| {
    publish(&church, HOLD).await;
    let run = church.start("hold", json!({})).await.expect("started").id;
    publish(&church, "method: hold\nsteps:\n  - set: { x: 1 }\n").await;
    let (code, message) = refused(&church, run).await;
    assert_eq!(code, "upgrade_impossible");
    assert!(message.contains("step `hold`: it is gone"), "{message}");

    publish(&church, &HOLD.replace("id: hold", "id: patience")).await;
    let (code, message) = refused(&church, run).await;
    assert_eq!(code, "upgrade_needs_mapping");
    assert!(message.contains("--map hold=patience"), "{message}");
    let renamed = [("hold".to_owned(), "patience".to_owned())].into();
    let options = UpgradeOptions { renamed, ..UpgradeOptions::default() };
    let moved = church.engine().upgrade_run(TENANT, run, &options).await.expect("moved");
    assert_eq!(church.run(run).await.position.expect("a position").step_id, "patience");
    let order = moved.id.expect("an order");
    let back = church
        .engine()
        .undo_upgrade(TENANT, UndoOptions { target: UndoTarget::Order(order), dry_run: false })
        .await
        .expect("back");
    assert_eq!(back.progress.map(|p| p.moved), Some(1));
    let view = church.run(run).await;
    assert_eq!(
        (view.position.expect("a position").step_id.as_str(), view.method_version),
        ("hold", 1)
    );
    let again = church
        .engine()
        .undo_upgrade(TENANT, UndoOptions { target: UndoTarget::Run(run), dry_run: false })
        .await
        .expect("judged");
    assert_eq!((again.safe, again.cannot), (0, 1), "{again:?}");
    church.assert_consistent().await;
});

on_both!(a_wait_for_people_uses_the_new_count_and_the_new_time, async |mut church: Church| {
    let shipped = Setup::default().sources.methods["fill_roles.yaml"].clone();
    let run = church.fill(5).await.id;
    church.say("AB", "yes").await;
    let sooner = shipped.replace("timeout: 6h", "timeout: 3h");
    assert_ne!(sooner, shipped);
    publish(&church, &sooner).await;
    church.advance("1h").await;
    upgrade(&church, run).await;
    let waits = church.run(run).await.waiting_on.expect("it waits");
    assert_eq!((waits.need, waits.have), (Some(5), Some(2)));
    church.advance("1h").await;
    assert_eq!(church.sent(&Church::phone('F'), "last_call").await, 0);
    church.advance("1h").await;
    assert_eq!(church.sent(&Church::phone('F'), "last_call").await, 1, "three hours have passed");
    church.assert_consistent().await;

    let fewer = shipped.replace("count: \"{{goal.count}}\", timeout: 6h", "count: 1, timeout: 6h");
    assert_ne!(fewer, shipped);
    let later = json!({ "kind": "FillRole", "role": "nursery", "count": 3,
        "time": "2025-10-05T11:00:00-05:00" });
    let run = church.start("fill_roles", later).await.expect("started").id;
    publish(&church, &fewer).await;
    upgrade(&church, run).await;
    assert_eq!(church.run(run).await.waiting_on.expect("it waits").need, Some(1));
    church.assert_consistent().await;
});

on_both!(rounds_in_progress_keep_their_items_and_their_results, async |church: Church| {
    let text = "method: rounds
limits: { max_duration: 30days }
steps:
  - id: each
    foreach: n in [10, 20, 30]
    steps:
      - { id: hold, await: { signal: go, timeout: 6h } }
      - { id: add, set: { sum: '{{n}}' } }
";
    publish(&church, text).await;
    let run = church.start("rounds", json!({})).await.expect("started").id;
    let go = async || {
        church
            .engine()
            .signal(RunRef { tenant: TENANT, run }, "go", &json!({}), None)
            .await
            .expect("sent");
    };
    go().await;
    let further =
        text.replace("steps:\n  - id: each", "steps:\n  - set: { before: 1 }\n  - id: each");
    publish(&church, &further).await;
    upgrade(&church, run).await;
    assert_eq!(church.run(run).await.position.expect("a position").foreach_index, Some(1));
    go().await;
    assert_eq!(church.run(run).await.vars.expect("variables")["sum"], 20);
    go().await;
    let ended = church.run(run).await;
    assert_eq!(
        (ended.status.as_str(), &ended.vars.expect("variables")["sum"]),
        ("completed", &json!(30))
    );
    church.assert_consistent().await;
});

on_both!(an_upgrade_is_applied_after_a_crash_and_during_a_pause, async |mut church: Church| {
    publish(&church, HOLD).await;
    let run = church.start("hold", json!({})).await.expect("started").id;
    let other = church.start("hold", json!({})).await.expect("started").id;
    publish(&church, &hold("8h", "")).await;
    church.control(run, Control::Pause).await.expect("paused");
    upgrade(&church, run).await;
    let view = church.run(run).await;
    assert_eq!((view.status.as_str(), view.method_version), ("paused", 2));
    church.crash().await;
    upgrade(&church, other).await;
    church.control(run, Control::Resume).await.expect("resumed");
    church.crash().await;
    church.advance("7h").await;
    for run in [run, other] {
        assert_eq!(church.run(run).await.status.as_str(), "waiting");
    }
    church.assert_consistent().await;
});

on_both!(a_run_with_live_branches_is_not_upgraded, async |church: Church| {
    let text = "method: sides
limits: { max_duration: 30days }
steps:
  - id: both
    parallel:
      - [ { await: { signal: one, timeout: 6h } } ]
      - [ { await: { signal: two, timeout: 6h } } ]
  - { id: hold, await: { signal: go, timeout: 6h } }
";
    publish(&church, text).await;
    let run = church.start("sides", json!({})).await.expect("started").id;
    publish(&church, &text.replace("signal: go, timeout: 6h", "signal: go, timeout: 9h")).await;
    let (code, message) = refused(&church, run).await;
    assert_eq!(code, "upgrade_impossible");
    assert!(message.contains("`both`: child runs have not ended (2)"), "{message}");
    for name in ["one", "two"] {
        church
            .engine()
            .signal(RunRef { tenant: TENANT, run }, name, &json!({}), None)
            .await
            .expect("sent");
    }
    upgrade(&church, run).await;
    assert_eq!(church.run(run).await.method_version, 2);
    church.assert_consistent().await;
});

/// Starts `count` runs of `hold` in one transaction, and drives them until they wait.
async fn many(church: &Church, count: usize) {
    let version = church.engine().method(TENANT, "hold").await.expect("a method");
    let digest =
        abide_engine::base::Digest::parse(version.method.digest.as_deref().expect("active"));
    let (bundle, version) = (digest.expect("a digest"), version.method.version.expect("active"));
    let task = tx_closure(move |tx| {
        Box::pin(async move {
            let state = serde_json::to_value(RunState::default()).unwrap_or(Value::Null);
            let new = |tx: &abide_engine::store::Tx| NewRun {
                id: tx.mint(),
                tenant: TENANT.to_owned(),
                request: None,
                bundle,
                method: "hold".to_owned(),
                version,
                campaign: 1,
                shadow: false,
                parent_link: None,
                start_key: None,
                state_v: STATE_V,
                state: state.to_string(),
                vars: vec![("goal".to_owned(), "{}".to_owned())],
                owner: None,
                expected_active_version: None,
                settings_version: None,
                correlation: None,
            };
            let all: Vec<NewRun> = (0..count).map(|_| new(tx)).collect();
            tx.insert_runs(&all).await?;
            Ok(())
        })
    });
    church.engine().write(task).await.expect("started");
    church.engine().tick().await.expect("driven");
}

const AT_ONE: &str = "SELECT COUNT(*) FROM run WHERE status = 'waiting' AND method_version = 1";

on_both!(a_thousand_waiting_runs_are_upgraded_and_moved_back, async |church: Church| {
    const RUNS: usize = 1_000;
    publish(&church, HOLD).await;
    many(&church, RUNS).await;
    church.advance("2h").await;
    publish(&church, &hold("8h", "  - { id: after, set: { x: 1 } }\n")).await;

    let moved = church.engine().upgrade_all(TENANT, "hold", &UpgradeOptions::default()).await;
    let moved = moved.expect("moved");
    assert_eq!((moved.safe, moved.needs_mapping, moved.cannot), (RUNS, 0, 0));
    assert_eq!(moved.groups.len(), 1, "{:?}", moved.groups);
    assert_eq!(moved.progress.map(|p| (p.moved, p.ordered)), Some((1_000, 0)));

    // One run ends before the move is undone, so it is not moved back. All other runs are moved back.
    let first = moved.groups[0].runs[0];
    church
        .engine()
        .signal(RunRef { tenant: TENANT, run: first }, "go", &json!({}), None)
        .await
        .expect("sent");
    let undo =
        UndoOptions { target: UndoTarget::Order(moved.id.expect("an order")), dry_run: false };
    let back = church.engine().undo_upgrade(TENANT, undo).await.expect("moved back");
    assert_eq!((back.safe, back.cannot), (RUNS - 1, 1));
    assert_eq!(back.progress.map(|p| p.moved), Some(999));
    let kept =
        back.groups.iter().find(|group| group.judgement == Judgement::Cannot).expect("one is kept");
    assert_eq!((kept.runs.as_slice(), kept.why.as_deref()), (&[first][..], Some("it has ended")));
    assert_eq!(church.number(AT_ONE).await, 999);

    church.advance("4h").await;
    assert_eq!(church.number("SELECT COUNT(*) FROM run WHERE status = 'waiting'").await, 0);
    church.assert_consistent().await;
});
