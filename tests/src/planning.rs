//! A goal finds its method, and the plan is recorded before the run begins.

use std::collections::BTreeSet;

use abide_engine::library::{Library, Sources};
use abide_engine::planning::{Plan, PlanRegistry, applies};
use serde_json::{Value, json};

fn library() -> Library {
    crate::engines::library(&Sources::builtin())
}

fn nursery() -> Value {
    json!({"kind": "FillRole", "role": "nursery", "count": 5, "time": "2025-10-05T09:00:00-05:00"})
}

#[test]
fn a_method_applies_to_the_goals_that_it_names() {
    let library = library();
    let now = "2025-09-30T10:00:00-05:00".parse().expect("an instant");
    for (kind, expected) in [
        ("FillRole", vec!["fill_roles"]),
        ("RebalanceTargets", vec!["rebalance_roles"]),
        ("CancelRequest", vec!["cancel_request"]),
        ("BakeBread", vec![]),
    ] {
        let goal = json!({ "kind": kind });
        let serves =
            |name: &&String| applies(&library.methods[*name].graph, &goal, &json!({}), now);
        let found: Vec<&String> = library.methods.keys().filter(serves).collect();
        assert_eq!(found, expected, "{kind}");
    }
}

#[test]
fn a_plan_shows_the_calls_of_the_method_and_how_complex_it_is() {
    let library = library();
    let bundle = &library.methods["fill_roles"];
    let plan = Plan::of(&bundle.graph, &nursery());
    let calls: Vec<&str> = plan.steps.iter().map(|step| step.call.as_str()).collect();
    let expected = ["search_people", "make_offers", "wait_for_replies", "assign", "notify"];
    assert_eq!(calls, expected);
    assert!((plan.complexity_score - 7.5).abs() < 1e-9, "{}", plan.complexity_score);
    assert!(!plan.is_complex());
    assert_eq!(
        plan.rationale,
        "Invite everyone who is eligible, wait for enough of them, and say how it ended"
    );
    assert_eq!(plan.steps[3].foreach.as_deref(), Some("person in accepted"));
    assert_eq!(plan.steps[2].out.as_deref(), Some("accepted"));
    assert_eq!(plan.steps[2].args["timeout"], "6h");
}

#[test]
fn a_plan_from_outside_is_checked_against_what_exists() {
    let library = library();
    let contracts = &library.contracts;
    let methods = BTreeSet::from(["fill_roles", "rebalance_roles"]);
    let known = PlanRegistry { contracts, methods };
    // The example of the planner's contract. Its score is computed, whatever the plan says.
    let example = json!({
        "goal": nursery(),
        "method": "fill_roles",
        "rationale": "Invite active nursery volunteers, wait for accepts, then assign and notify.",
        "steps": [
            {"call": "search_people", "args": {"filter": {"roles": ["nursery"], "is_active": true}}, "out": "candidates"},
            {"call": "make_offers", "args": {"people": "{{candidates}}", "role": "nursery"}, "out": "offers"},
            {"call": "wait_for_replies", "args": {"offers": "{{offers}}", "count": 5, "timeout": "6h"}, "out": "accepted"},
            {"call": "assign", "foreach": "person in accepted", "args": {"person": "{{person}}"}},
        ],
        "success_when": ["len(accepted) >= goal.count"],
        "complexity_score": 4.5,
    });
    let plan = Plan::read(&example, &known).expect("is valid");
    assert!((plan.complexity_score - 6.0).abs() < 1e-9);
    let long = "x".repeat(121);
    for (place, value, fault) in [
        ("/method", json!("bake_bread"), "there is no method `bake_bread`"),
        ("/steps/1/call", json!("rm_rf"), "there is no verb or method `rm_rf`"),
        ("/steps", json!([]), "`steps` is empty"),
        ("/rationale", json!(" "), "`rationale` has 1 characters"),
        ("/rationale", json!(long), "`rationale` has 121 characters"),
        ("/steps/0", json!({"call": "assign", "sql": "DROP"}), "unknown field `sql`"),
        ("/goal", json!(7), "`goal` is not an object"),
    ] {
        let mut wrong = example.clone();
        *wrong.pointer_mut(place).expect("a member") = value;
        let problem = Plan::read(&wrong, &known).expect_err(place);
        assert_eq!(problem.code, "plan_invalid");
        assert!(problem.message.contains(fault), "{place}: {}", problem.message);
    }
}
