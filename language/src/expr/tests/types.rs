use super::*;

struct Types(BTreeMap<&'static str, Type>);

impl TypeScope for Types {
    fn variable(&self, name: &str) -> Option<Type> {
        self.0.get(name).cloned()
    }
    fn names(&self) -> Vec<String> {
        self.0.keys().map(ToString::to_string).collect()
    }
}

fn scope() -> Types {
    let goal = json!({
        "type": "object",
        "properties": {
            "kind": { "type": "string" },
            "role": { "type": "string", "x-type": "role" },
            "count": { "type": "integer" },
            "time": { "type": "string", "format": "date-time" },
            "targets": { "type": "object" },
        },
        "additionalProperties": false,
    });
    Types(BTreeMap::from([
        ("goal", Type::of_schema(&goal)),
        ("ctx", Type::record([("campus", Type::Text)])),
        ("candidates", Type::list(Type::Person)),
        ("accepted", Type::list(Type::Person)),
        ("nursery_assigned", Type::list(Type::Person)),
        ("offers", Type::Offers),
        ("timeout", Type::Bool),
        ("answer", Type::Any),
    ]))
}

#[track_caller]
fn check_type(text: &str, expect: &str) {
    let mut found = Vec::new();
    let of = check(&parsed(text), &scope(), &mut found);
    assert_eq!(found, [], "{text}");
    assert_eq!(of.to_string(), expect, "{text}");
}

#[test]
fn every_expression_has_the_type_of_its_value() {
    for (text, expect) in [
        ("goal.kind == \"FillRole\"", "true or false"),
        ("len(accepted) >= goal.count", "true or false"),
        ("candidates.minus(accepted)", "a list of people"),
        ("now + 24h", "an instant"),
        ("goal.time - now", "a duration"),
        ("(goal.time - now) / 1h", "a number"),
        ("goal.targets.children", "any value"),
        ("pending_for(goal.role, goal.time)", "offers"),
        ("targets_satisfied(goal.targets, time=goal.time)", "true or false"),
        ("latest(nursery_assigned, overfill('nursery', goal.targets))", "a list of people"),
        ("accepted[0]", "a person"),
        ("first(accepted)", "a person"),
        ("offers.count + len(offers)", "a number"),
        ("answer.anything[0].at > 3", "true or false"),
        ("default(goal.count, 0)", "a number"),
        ("if(timeout, 'a', 'b')", "a text"),
        ("max([1, 2])", "a number"),
        ("not timeout and 'x' in candidates", "true or false"),
        ("[1, 'x']", "a list"),
        ("answer + 1h", "any value"),
        ("-goal.count", "a number"),
    ] {
        check_type(text, expect);
    }
}

#[track_caller]
fn faults(text: &str) -> String {
    let mut found = Vec::new();
    check(&parsed(text), &scope(), &mut found);
    assert!(!found.is_empty(), "`{text}` passes");
    let show = |d: &ExprDiagnostic| {
        assert!(super::super::check::CODES.contains(&d.code), "{}", d.code);
        format!("{}\n{}", d.code, shown(text, d.at, &d.message, d.hint.as_deref()))
    };
    found.iter().map(show).collect::<Vec<_>>().join("\n")
}

#[test]
fn faults_are_found_before_a_run_with_place_and_remedy() {
    let texts = [
        "len(acepted) >= goal.cuont",
        "lenn(accepted)",
        "candidates.minus(accepted, 3, 4)",
        "candidates.minus()",
        "candidates.len > 3",
        "candidates.name",
        "goal.role + goal.count",
        "goal.count == '5'",
        "accepted == 5",
        "accepted > 3",
        "take('x', accepted)",
        "targets_satisfied(goal.targets, when=goal.time)",
        "accepted and timeout",
        "goal.role or len(accepted)",
        "accepted - candidates",
        "now * 2",
        "-goal.role",
        "3 in timeout",
        "offers.size",
        "goal.role[0]",
        "len(5) + oops + foo(bar)",
        "timeout < 3",
        "len",
    ];
    let all: Vec<String> = texts.map(faults).into();
    insta::assert_snapshot!("type_faults", all.join("\n\n"));
}

#[test]
fn a_condition_must_be_true_or_false() {
    for (text, faults) in
        [("timeout", 0), ("answer", 0), ("null", 0), ("goal.count", 1), ("'x'", 1)]
    {
        let mut found = Vec::new();
        check_condition(&parsed(text), &scope(), &mut found);
        assert_eq!(found.len(), faults, "{text}: {found:?}");
    }
}

#[test]
fn schemas_and_annotations_give_types() {
    for (schema, expect) in [
        (json!({ "x-type": "people" }), Type::list(Type::Person)),
        (json!({ "type": "array", "items": { "type": "number" } }), Type::list(Type::Number)),
        (json!({ "const": "FillRole" }), Type::Text),
        (json!({ "type": "object", "additionalProperties": false }), Type::record([])),
        (json!({ "type": "object" }), Type::object()),
        (json!({}), Type::Any),
        (json!(true), Type::Any),
    ] {
        assert_eq!(Type::of_schema(&schema), expect, "{schema}");
    }
}

/// Checks that an expression that the checker rejects has no value.
/// The exception is `==` or `!=` between types that are never equal: such an expression has a value.
#[test]
fn the_checker_and_the_evaluator_agree_on_operators() {
    let operands =
        ["1", "'x'", "24h", "now", "[1]", "true", "goal", "'2025-10-05T09:00:00Z'", "null"];
    let types = Types(BTreeMap::from([("goal", Type::object())]));
    for (a, b) in operands.iter().flat_map(|a| operands.map(|b| (*a, b))) {
        for op in BinaryOp::ALL {
            let text = format!("{a} {} {b}", op.symbol());
            let (expr, mut found) = (parsed(&text), Vec::new());
            check(&expr, &types, &mut found);
            let value = eval(&expr, &World::of_the_seed());
            let sound = found.is_empty() || value.is_err() || found[0].code == "never-equal";
            // `and` and `or` do not evaluate the right side if the left side decides.
            let lazy = matches!(op, BinaryOp::And | BinaryOp::Or);
            assert!(sound || lazy, "`{text}` is refused but has the value {value:?}");
        }
    }
}
