//! A dry run reports what the real run would send, ask and do.

use abide_engine::base::Value;
use abide_engine::run::RunOutcome;
use abide_engine::store::MessageState;
use serde_json::json;

use super::support::TENANT;
use crate::campaign::church::{Church, Setup, goal, on_both};

/// Returns what follows the request in the key of a message: the person and the kind. Each start has a request of
/// its own here, because no request exists yet.
fn without_request(key: &str) -> &str {
    key.splitn(3, ':').nth(2).unwrap_or_default()
}

on_both!(a_dry_run_leaves_the_keys_to_the_real_run, async |church: Church| {
    let before = church.visible_rows().await;
    let shadow = church.dry_run("fill_roles", goal(5)).await;
    assert_eq!(
        (shadow.status.as_str(), shadow.shadow, shadow.request_id),
        ("completed", true, None)
    );
    assert_eq!(shadow.outcome, Some(RunOutcome::FellShort), "nobody answers");
    let would = church.would_send(shadow.id).await;
    let invites: Vec<_> = would.iter().filter(|m| m.kind.as_deref() == Some("invite")).collect();
    assert_eq!(invites.len(), 12, "{would:#?}");
    for invite in &invites {
        assert!(invite.body.contains("nursery") && invite.segments >= Some(1), "{invite:?}");
    }
    assert_eq!(church.provider.sent_count(), 0, "nothing reached the provider");
    assert_eq!(church.visible_rows().await, before, "nothing that a real run reads has changed");

    let told = church.events_of(shadow.id, "message.would_send").await;
    assert_eq!(told.len(), would.len());
    let summary = church.events_of(shadow.id, "shadow.played").await.remove(0);
    assert_eq!(
        (&summary["messages"], &summary["outcome"]),
        (&json!(would.len()), &json!("fell_short"))
    );
    let receipts = church.receipts(shadow.id).await;
    assert!(receipts.iter().any(|receipt| receipt["tool"] == "make_offers"), "{receipts:#?}");
    assert!(receipts.iter().all(|receipt| receipt["status"] == "shadowed"), "{receipts:#?}");

    // The real run sends the same messages, with the same keys.
    let run = church.fill(5).await;
    assert_eq!(church.provider.sent_count(), 12);
    let filter = abide_engine::facade::MessageFilter { run: Some(run.id), ..Default::default() };
    let sent = church.engine().messages(TENANT, &filter).await.expect("messages").items;
    let invited = |kind: &Option<String>| kind.as_deref() == Some("invite");
    for message in sent.iter().filter(|message| invited(&message.kind)) {
        assert_eq!(message.state, MessageState::Sent);
        let key = message.idempotency_key.as_deref().map(without_request);
        let would = |body: &&Value| body["key"].as_str().map(without_request) == key;
        assert!(told.iter().any(|body| would(&body)), "{message:?}");
        assert!(invites.iter().any(|would| would.body == message.body && would.to == message.to));
    }
    church.assert_consistent().await;
});

on_both!(
    a_dry_run_counts_approvals_as_given,
    with Setup::settings(json!({ "broadcast_approval_over": 5, "quiet_hours": "none" })),
    async |church: Church| {
        let shadow = church.dry_run("fill_roles", goal(5)).await;
        let asked = church.events_of(shadow.id, "approval.would_ask").await;
        assert_eq!(asked.len(), 1, "{asked:#?}");
        assert_eq!((&asked[0]["tool"], &asked[0]["risk"]), (&json!("broadcast"), &json!("T3")));
        assert_eq!(asked[0]["shows"]["what"], "text 12 people");
        let would = church.would_send(shadow.id).await;
        let last_calls = would.iter().filter(|m| m.kind.as_deref() == Some("last_call")).count();
        assert_eq!(last_calls, 12, "the preview shows what follows the approval");
        assert_eq!(church.number("SELECT COUNT(*) FROM approval").await, 0);
        church.assert_consistent().await;
    }
);

on_both!(a_dry_run_that_could_not_start_says_why, async |church: Church| {
    let real = church.fill(2).await;
    let before = church.visible_rows().await;
    let shadow = church.dry_run("fill_roles", goal(2)).await;
    assert_eq!(shadow.status.as_str(), "failed");
    assert_eq!(shadow.error.expect("a reason").code, "already_running");
    assert_eq!(church.visible_rows().await, before);
    assert_eq!(church.run(real.id).await.status.as_str(), "waiting");
    church.assert_consistent().await;
});
