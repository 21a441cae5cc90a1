//! Changes that a run makes to a request or to a person.
//! After the target of a role is lowered, more people may be assigned than the target allows.

use abide_engine::library::{Library, Sources};
use abide_engine::run::{Control, RunOutcome};
use serde_json::{Value, json};

use super::demo_church::{DemoChurch, NINE_AM, on_both_with};

/// A method that lowers the targets, and unassigns people if its goal says so.
const REBALANCE: &str = "
method: rebalance
applicable_if: goal.kind == 'RebalanceTargets'
inputs:
  type: object
  required: [kind, targets, time]
  properties:
    kind: { const: RebalanceTargets }
    targets: { type: object, additionalProperties: { type: integer } }
    time: { type: string, format: date-time }
    move: { type: boolean }
steps:
  - call: update_record
    args: { entity_id: '{{req.id}}', patch: { targets: '{{goal.targets}}', version: '{{req.version + 1}}' } }
  - call: search_people
    args: { filter: { assigned_to: { role: nursery, time: '{{goal.time}}' } } }
    out: holders
  - call: unassign
    when: goal.move
    foreach: person in {{latest(holders, overfill('nursery', goal.targets))}}
    args: { person: '{{person}}', role: nursery, time: '{{goal.time}}', reason: rebalance }
success_when: ['targets_satisfied(goal.targets, time=goal.time)']
";

/// A method that lowers the targets and then waits. It unassigns nobody.
const HALF_WAY: &str = "
method: half_way
applicable_if: goal.kind == 'RebalanceTargets'
inputs:
  type: object
  required: [kind, targets, time]
  properties:
    kind: { const: RebalanceTargets }
    targets: { type: object, additionalProperties: { type: integer } }
    time: { type: string, format: date-time }
    move: { type: boolean }
steps:
  - call: update_record
    args: { entity_id: '{{req.id}}', patch: { targets: '{{goal.targets}}', version: '{{req.version + 1}}' } }
  - await: { timeout: 1day }
success_when: ['targets_satisfied(goal.targets, time=goal.time)']
";

/// A method that makes the one change that its goal describes.
const CHANGE: &str = "
method: change
inputs:
  type: object
  required: [id, patch]
  properties: { id: { type: string }, patch: { type: object } }
steps:
  - call: update_record
    args: { entity_id: '{{goal.id}}', patch: '{{goal.patch}}' }
    out: changed
success_when: [changed.id == goal.id]
";

const METHODS: &[(&str, &str)] =
    &[("rebalance.yaml", REBALANCE), ("half_way.yaml", HALF_WAY), ("change.yaml", CHANGE)];

/// Starts a run of the method `change`. Returns the result of `update_record`, or its error code.
async fn change(church: &DemoChurch, id: impl Into<Value>, patch: Value) -> Value {
    let run = church.start("change", json!({"id": id.into(), "patch": patch})).await;
    church.results(run.id, "update_record").await.remove(0)
}

fn rebalance(nursery: i64, moves: bool) -> Value {
    json!({"kind": "RebalanceTargets", "targets": {"nursery": nursery, "cafe": 0}, "time": NINE_AM, "move": moves})
}

#[test]
fn a_run_lowers_a_target_and_unassigns_the_latest() {
    on_both_with(METHODS, |church| async move {
        let run = church.fill("nursery", 5).await;
        let request = run.request_id.expect("a request");
        church.each_says(&["Ana", "Ben", "Carla", "Dana", "Eli"], "yes").await;
        let before = church.request(request).await.version;
        let run = church.start("rebalance", rebalance(4, true)).await;
        assert_eq!(run.outcome, Some(RunOutcome::Succeeded));
        let changed = church.results(run.id, "update_record").await.remove(0);
        assert_eq!(
            (&changed["version"], &changed["status"]),
            (&json!(before + 1), &json!("filled"))
        );
        assert_eq!(church.request(request).await.targets, json!({"nursery": 4, "cafe": 0}));
        assert_eq!(
            church.counts(request, "nursery").await,
            "accepted 4, cancelled 7, waitlisted 1"
        );
        church.assert_consistent().await;
    });
}

#[test]
fn a_lowered_target_is_a_breach_until_people_are_unassigned() {
    on_both_with(METHODS, |church| async move {
        church.fill("nursery", 3).await;
        church.each_says(&["Ana", "Ben", "Carla"], "yes").await;
        church.start("rebalance", rebalance(2, false)).await;
        let report = church.engine.audit().await.expect("an audit");
        let rules: Vec<_> = report.breaches.iter().map(|breach| breach.rule.as_str()).collect();
        assert_eq!(rules, ["accepted_over_target"]);
        church.start("rebalance", rebalance(2, true)).await;
        church.assert_consistent().await;
    });
}

#[test]
fn staff_can_finish_a_rebalance_that_they_cancelled_half_way() {
    on_both_with(METHODS, |church| async move {
        church.fill("nursery", 3).await;
        church.each_says(&["Ana", "Ben", "Carla"], "yes").await;
        let run = church.start("half_way", rebalance(2, true)).await;
        let request = run.request_id.expect("a request");
        church.assert_consistent().await;
        church.engine.control("default", run.id, Control::Cancel).await.expect("is cancelled");
        assert_eq!(church.run(run.id).await.status.as_str(), "cancelled");
        assert_eq!(church.request(request).await.targets, json!({"nursery": 2, "cafe": 0}));
        church.assert_consistent().await;
        church.start("rebalance", rebalance(2, true)).await;
        assert_eq!(
            church.counts(request, "nursery").await,
            "accepted 2, cancelled 9, waitlisted 1"
        );
        church.assert_consistent().await;
    });
}

#[test]
fn a_stale_version_and_an_unknown_entity_are_refused() {
    on_both_with(METHODS, |church| async move {
        let made = church.new_request(NINE_AM, json!({"nursery": 2})).await;
        let id = made.id.to_string();
        let to = |version| json!({"targets": {"nursery": 3}, "version": version});
        assert_eq!(change(&church, id.as_str(), to(3)).await, "version_conflict");
        assert_eq!(change(&church, id.as_str(), to(2)).await["version"], 2);
        assert_eq!(change(&church, id.as_str(), to(2)).await, "version_conflict");
        assert_eq!(church.request(made.id).await.targets, json!({"nursery": 3}));
        assert_eq!(change(&church, id.as_str(), json!({"active": true})).await, "invalid_args");
        assert_eq!(change(&church, id.as_str(), json!({"colour": "red"})).await, "args_invalid");
        let nobody = "per_00000000000070008000000000000001";
        for unknown in [nobody, "req_00000000000070008000000000000001", "the pastor"] {
            let patch = if unknown == nobody { json!({"active": true}) } else { to(2) };
            assert_eq!(change(&church, unknown, patch).await, "not_found", "{unknown}");
        }
        let closed = change(&church, id.as_str(), json!({"status": "closed"})).await;
        assert_eq!(closed["status"], "closed");
        assert_eq!(change(&church, id.as_str(), to(4)).await, "wrong_state");
        church.assert_consistent().await;
    });
}

#[test]
fn a_person_keeps_what_a_patch_leaves_out() {
    on_both_with(METHODS, |church| async move {
        let ana = church.id_of("Ana").await;
        let patch = json!({"roles": ["Sound", "nursery", "sound"], "campus": "north", "email": "ana@example.org"});
        assert_eq!(change(&church, ana.clone(), patch).await["kind"], "person");
        change(&church, ana.clone(), json!({"active": false, "campus": null})).await;
        let query = abide_verbs::api::people::PeopleQuery {
            q: Some("Ana".to_owned()),
            ..Default::default()
        };
        let found = church.people_page(query).await.items.remove(0);
        assert_eq!(
            (found.roles, found.active),
            (vec!["nursery".to_owned(), "sound".to_owned()], false)
        );
        assert_eq!((found.campus, found.email.as_deref()), (None, Some("ana@example.org")));
        assert_eq!(found.phone, "+15125550101");
        let run = church.fill("nursery", 2).await;
        let request = run.request_id.expect("a request");
        assert_eq!(
            church.counts(request, "nursery").await,
            "invited 11",
            "an inactive person is not asked"
        );
    });
}

#[test]
fn a_method_with_an_unknown_member_in_a_patch_does_not_compile() {
    let text = CHANGE.replace("'{{goal.patch}}'", "{ colour: red }");
    let mut sources = Sources::builtin();
    sources.methods.insert("change.yaml".to_owned(), text);
    let codes: Vec<_> =
        Library::compile(sources).findings().iter().map(|finding| finding.code).collect();
    assert!(codes.contains(&"unknown-member") || codes.contains(&"unknown-argument"), "{codes:?}");
}
