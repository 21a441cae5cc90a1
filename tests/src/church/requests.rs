//! Requests that staff create, change and cancel.

use abide_verbs::api::requests::{RequestPatch, RequestQuery, RequestView};
use serde_json::json;

use super::world::{ELEVEN, NINE, at, on_both};

#[test]
fn a_cancelled_request_tells_everybody_once_and_ends_its_run() {
    on_both(|world| async move {
        let run = world.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        world.each_says(&["Ana", "Ben", "Carla"], "yes").await;
        world.until("12:00").await;
        assert_eq!(world.cancel(request).await.expect("is cancelled").status.as_str(), "cancelled");
        assert_eq!(world.run(run.id).await.status.as_str(), "cancelled");
        assert_eq!(world.counts(request, "nursery").await, "cancelled 12");
        assert_eq!(world.kinds_to("Ana").await, ["invite", "confirmed", "cancelled"]);
        assert_eq!(world.kinds_to("Lee").await, ["invite", "cancelled"]);
        world.until("12:01").await;
        assert_eq!(world.say("Fay", "yes!").await, "reply");
        assert_eq!(world.kinds_to("Fay").await, ["invite", "cancelled", "cancelled"]);
        let refused = world.cancel(request).await.expect_err("is final");
        assert_eq!(refused.code, "wrong_state");
        world.until("23:00").await;
        assert_eq!(world.kinds_to("Lee").await, ["invite", "cancelled"]);
        world.is_sound().await;
    });
}

#[test]
fn a_stale_change_is_refused_and_a_lower_target_ends_the_wait() {
    on_both(|world| async move {
        let run = world.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        world.each_says(&["Ana", "Ben", "Carla", "Dana"], "yes").await;
        let version = world.request(request).await.version;
        let lower = |version| RequestPatch {
            targets: Some(json!({"nursery": 3})),
            version,
            ..RequestPatch::default()
        };
        let stale = world.patch(request, lower(version - 1)).await.expect_err("is stale");
        assert_eq!(stale.code, "version_conflict");
        let changed = world.patch(request, lower(version)).await.expect("is changed");
        assert_eq!((changed.version, changed.status.as_str()), (version + 1, "filled"));
        assert_ne!(world.run(run.id).await.status.as_str(), "waiting");
        assert_eq!(world.counts(request, "nursery").await, "accepted 4, cancelled 8");
        world.is_sound().await;
    });
}

#[test]
fn one_service_has_one_live_request() {
    on_both(|world| async move {
        let made = world.new_request(NINE, json!({"nursery": 2})).await;
        assert_eq!((made.status.as_str(), made.version), ("open", 1));
        let run = world.fill("nursery", 5).await;
        assert_eq!(run.request_id, Some(made.id), "the run joins the request");
        assert_eq!(world.request(made.id).await.targets, json!({"nursery": 5}));
        world.is_sound().await;
    });
}

#[test]
fn requests_are_listed_by_state_and_time() {
    on_both(|world| async move {
        let nine = world.new_request(NINE, json!({"nursery": 2})).await;
        let eleven = world.new_request(ELEVEN, json!({"cafe": 1})).await;
        world.cancel(eleven.id).await.expect("is cancelled");
        let ids = |found: Vec<RequestView>| found.into_iter().map(|r| r.id).collect::<Vec<_>>();
        let all = world.requests(RequestQuery::default()).await;
        assert_eq!(ids(all), [nine.id, eleven.id]);
        let open = RequestQuery { status: Some("open".to_owned()), ..RequestQuery::default() };
        assert_eq!(ids(world.requests(open).await), [nine.id]);
        let later = RequestQuery { from: Some(at(ELEVEN)), ..RequestQuery::default() };
        assert_eq!(ids(world.requests(later).await), [eleven.id]);
        let earlier = RequestQuery { to: Some(at(ELEVEN)), ..RequestQuery::default() };
        assert_eq!(ids(world.requests(earlier).await), [nine.id]);
    });
}

#[test]
fn the_audit_names_a_tally_that_was_tampered_with() {
    on_both(|world| async move {
        world.fill("nursery", 5).await;
        world.each_says(&["Ana"], "yes").await;
        world.is_sound().await;
        world.db.execute("UPDATE tally SET yes = yes + 1 WHERE cell = 'nursery'").await;
        let report = world.engine.audit().await.expect("an audit");
        let rules: Vec<_> = report.breaches.iter().map(|breach| breach.rule.as_str()).collect();
        assert_eq!(rules, ["tally_differs"]);
    });
}
