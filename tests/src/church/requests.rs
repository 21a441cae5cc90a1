//! Requests that staff create, change and cancel.

use abide_verbs::api::requests::{RequestPatch, RequestQuery, RequestView};
use serde_json::json;

use super::demo_church::{ELEVEN_AM, NINE_AM, at, on_both};

#[test]
fn a_cancelled_request_tells_everybody_once_and_ends_its_run() {
    on_both(|church| async move {
        let run = church.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        church.each_says(&["Ana", "Ben", "Carla"], "yes").await;
        church.advance_to("12:00").await;
        assert_eq!(
            church.cancel_request(request).await.expect("is cancelled").status.as_str(),
            "cancelled"
        );
        assert_eq!(church.run(run.id).await.status.as_str(), "cancelled");
        assert_eq!(church.counts(request, "nursery").await, "cancelled 12");
        assert_eq!(church.kinds_to("Ana").await, ["invite", "confirmed", "cancelled"]);
        assert_eq!(church.kinds_to("Lee").await, ["invite", "cancelled"]);
        church.advance_to("12:01").await;
        assert_eq!(church.say("Fay", "yes!").await, "reply");
        assert_eq!(church.kinds_to("Fay").await, ["invite", "cancelled", "cancelled"]);
        let refused = church.cancel_request(request).await.expect_err("is final");
        assert_eq!(refused.code, "wrong_state");
        church.advance_to("23:00").await;
        assert_eq!(church.kinds_to("Lee").await, ["invite", "cancelled"]);
        church.assert_consistent().await;
    });
}

#[test]
fn a_stale_change_is_refused_and_a_lower_target_ends_the_wait() {
    on_both(|church| async move {
        let run = church.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        church.each_says(&["Ana", "Ben", "Carla", "Dana"], "yes").await;
        let version = church.request(request).await.version;
        let lower = |version| RequestPatch {
            targets: Some(json!({"nursery": 3})),
            version,
            ..RequestPatch::default()
        };
        let stale = church.change_request(request, lower(version - 1)).await.expect_err("is stale");
        assert_eq!(stale.code, "version_conflict");
        let changed = church.change_request(request, lower(version)).await.expect("is changed");
        assert_eq!((changed.version, changed.status.as_str()), (version + 1, "filled"));
        assert_ne!(church.run(run.id).await.status.as_str(), "waiting");
        assert_eq!(church.counts(request, "nursery").await, "accepted 4, cancelled 8");
        church.assert_consistent().await;
    });
}

#[test]
fn one_service_has_one_live_request() {
    on_both(|church| async move {
        let made = church.new_request(NINE_AM, json!({"nursery": 2})).await;
        assert_eq!((made.status.as_str(), made.version), ("open", 1));
        let run = church.fill("nursery", 5).await;
        assert_eq!(run.request_id, Some(made.id), "the run joins the request");
        assert_eq!(church.request(made.id).await.targets, json!({"nursery": 5}));
        church.assert_consistent().await;
    });
}

#[test]
fn requests_are_listed_by_state_and_time() {
    on_both(|church| async move {
        let nine = church.new_request(NINE_AM, json!({"nursery": 2})).await;
        let eleven = church.new_request(ELEVEN_AM, json!({"cafe": 1})).await;
        church.cancel_request(eleven.id).await.expect("is cancelled");
        let ids = |found: Vec<RequestView>| found.into_iter().map(|r| r.id).collect::<Vec<_>>();
        let all = church.find_requests(RequestQuery::default()).await;
        assert_eq!(ids(all), [nine.id, eleven.id]);
        let open = RequestQuery { status: Some("open".to_owned()), ..RequestQuery::default() };
        assert_eq!(ids(church.find_requests(open).await), [nine.id]);
        let later = RequestQuery { from: Some(at(ELEVEN_AM)), ..RequestQuery::default() };
        assert_eq!(ids(church.find_requests(later).await), [eleven.id]);
        let earlier = RequestQuery { to: Some(at(ELEVEN_AM)), ..RequestQuery::default() };
        assert_eq!(ids(church.find_requests(earlier).await), [nine.id]);
    });
}

#[test]
fn the_audit_names_a_tally_that_was_tampered_with() {
    on_both(|church| async move {
        church.fill("nursery", 5).await;
        church.each_says(&["Ana"], "yes").await;
        church.assert_consistent().await;
        church.db.execute("UPDATE tally SET yes = yes + 1 WHERE cell = 'nursery'").await;
        let report = church.engine.audit().await.expect("an audit");
        let rules: Vec<_> = report.breaches.iter().map(|breach| breach.rule.as_str()).collect();
        assert_eq!(rules, ["tally_differs"]);
    });
}
