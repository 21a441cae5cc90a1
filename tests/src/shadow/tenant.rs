//! A tenant in shadow mode: texts and schedules start shadow runs, nothing is sent, and STOP still acts.

use abide_engine::store::RunFilter;
use serde_json::json;

use super::support::TENANT;
use crate::campaign::church::{Church, PAT, goal, on_both};
use crate::schedules::insert;

on_both!(a_tenant_in_shadow_mode_changes_nothing, async |mut church: Church| {
    let live = church.fill(1).await.id;
    let refused = church.engine().set_tenant_shadow(TENANT, true).await;
    assert_eq!(refused.expect_err("a run is live").code, "wrong_state");
    church.control(live, abide_engine::run::Control::Cancel).await.expect("cancelled");
    church.advance("1min").await;
    church.engine().set_tenant_shadow(TENANT, true).await.expect("on");
    assert!(church.engine().tenant(TENANT).await.expect("a tenant").shadow);
    let (sent, requests) =
        (church.provider.sent_count(), church.number("SELECT COUNT(*) FROM request").await);

    church.text(PAT, "Fill 5 nursery spots for the 9am service").await;
    insert(&church, "fill_roles", json!({ "at": "2025-09-30T11:00:00-05:00", "goal": goal(2) }))
        .await
        .expect("added");
    church.advance("2h").await;
    church.start("fill_roles", goal(4)).await.expect("started");
    let filter = RunFilter { limit: 10, ..RunFilter::default() };
    let runs = church.engine().runs(TENANT, &filter).await.expect("listed").items;
    let shadows = runs.iter().filter(|run| run.shadow).count();
    assert_eq!(shadows, runs.len() - 1, "{runs:#?}");
    assert_eq!(shadows, 3, "one by text, one by schedule, one by the API: {runs:#?}");
    for run in runs.iter().filter(|run| run.shadow) {
        assert_eq!(run.status.as_str(), "completed", "{run:#?}");
    }
    assert_eq!(church.provider.sent_count(), sent, "nothing was sent");
    assert_eq!(church.number("SELECT COUNT(*) FROM request").await, requests);

    let stopped = church.text(&Church::phone('A'), "STOP").await;
    assert_eq!(stopped.handled_as.as_str(), "opt_out");
    assert_eq!(church.number("SELECT COUNT(*) FROM contact WHERE suppressed = 1").await, 1);

    church.engine().set_tenant_shadow(TENANT, false).await.expect("off");
    let real = church.fill(2).await;
    assert!(!real.shadow);
    assert!(church.provider.sent_count() > sent, "the real run sends");
    church.assert_consistent().await;
});
