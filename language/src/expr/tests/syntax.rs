use super::*;

/// Checks that the source prints as `expect`, and that `expect` parses to the same tree.
#[track_caller]
fn check(text: &str, expect: &str) {
    let expr = parsed(text);
    assert_eq!(print(&expr), expect, "{text}");
    assert_eq!(parsed(expect), expr, "{expect}");
}

#[test]
fn every_expression_of_the_seed_parses() {
    for text in [
        "goal.kind == \"FillRole\"",
        "goal.role",
        "ctx.campus",
        "candidates",
        "now + 24h",
        "offers",
        "goal.count",
        "len(accepted)",
        "len(accepted) >= goal.count",
        "timeout",
        "candidates.minus(accepted)",
        "pending_for(goal.role, goal.time)",
        "req.id",
        "req.version + 1",
        "goal.targets.children",
        "those_unassigned",
        "targets_satisfied(goal.targets, time=goal.time)",
    ] {
        check(text, text);
    }
    check("now+24h", "now + 24h");
    check(
        "latest(nursery_assigned, overfill('nursery', goal.targets))",
        "latest(nursery_assigned, overfill(\"nursery\", goal.targets))",
    );
}

#[test]
fn operators_bind_as_in_arithmetic_and_print_with_the_fewest_parentheses() {
    check("1 + 2 * 3", "1 + 2 * 3");
    check("(1 + 2) * 3", "(1 + 2) * 3");
    check("1 - (2 - 3)", "1 - (2 - 3)");
    check("((1 - 2) - 3)", "1 - 2 - 3");
    check("-a.b + -(c * 2)", "-a.b + -(c * 2)");
    check("- -a", "-(-a)");
    check("not a and not (b or c)", "not a and not (b or c)");
    check("not a == b", "not a == b");
    check("(not a) == b", "(not a) == b");
    check("a or b and c", "a or b and c");
    check("(a or b) and c", "(a or b) and c");
    check("a not in b and c in [1, 2,]", "a not in b and c in [1, 2]");
    check("(a < b) == (c < d)", "(a < b) == (c < d)");
    check("a - b - c == 24h", "a - b - c == 24h");
}

#[test]
fn members_items_and_calls_hang_on_anything() {
    check("people[0].name", "people[0].name");
    check("goal['targets'].nursery", "goal[\"targets\"].nursery");
    check("goal.targets[\"two words\"]", "goal.targets[\"two words\"]");
    check("f(x).y.z(1)[2]", "f(x).y.z(1)[2]");
    check("(a + b).len()", "(a + b).len()");
    check("[1, 2].contains(1)", "[1, 2].contains(1)");
    check("goal.in.not", "goal.in.not");
    check("candidates.minus(accepted).len()", "candidates.minus(accepted).len()");
    check("round(x, digits=2)", "round(x, digits=2)");
    check("x.round(digits = 2,)", "x.round(digits=2)");
    check("'it''s'.len()".replace("''", "\\'").as_str(), "\"it's\".len()");
}

#[test]
fn literals_print_as_they_read() {
    check("1e3", "1000.0");
    check("1.50", "1.5");
    check("2.5e-7", "2.5e-7");
    check("1h30m", "1h30m");
    check("90min", "1h30m");
    check("1day12h", "36h");
    check("336h", "14days");
    check("8days3h", "8days3h");
    check("1s500ms", "1s500ms");
    check(r#"'a "quoted" \'text\'\n\u{263A}'"#, r#""a \"quoted\" 'text'\n☺""#);
    check("[true, false, null]", "[true, false, null]");
}

#[test]
fn variables_and_facts_are_found_wherever_they_stand() {
    let expr = parsed("len(a.b) > x[goal.n] and not f(c, now, d=[e.g]) in 'h'");
    let names: Vec<_> = variables(&expr).into_iter().collect();
    assert_eq!(names, ["a", "c", "e", "goal", "x"]);
    assert!(!facts(&expr));
    assert!(facts(&parsed("1 + len([overfill('a', goal.targets)])")));
    assert!(facts(&parsed("a.latest(2)")));
}

#[test]
fn the_stored_form_is_pinned() {
    let expr = parsed("not (a.b in [1, 'x']) or -f(2h, k=y[0]) == null");
    let stored = serde_json::to_string(&expr).expect("serialises");
    insta::assert_snapshot!(stored, @r#"["or",0,47,["not",0,20,["in",5,20,["path",5,8,"a","b"],["list",12,20,["lit",13,14,1],["lit",16,19,"x"]]]],["==",25,47,["neg",25,39,["call",26,39,"f",null,1,["dur",28,30,7200000000],"k",["index",34,38,["path",34,35,"y"],["lit",36,37,0]]]],["lit",43,47,null]]]"#);
    let back: Expr = serde_json::from_str(&stored).expect("deserialises");
    assert_eq!((back.at, &back), (expr.at, &expr));
    assert_eq!(serde_json::to_string(&back).expect("serialises"), stored);
}

#[test]
fn a_stored_form_that_is_none_is_refused() {
    for form in [
        "[]",
        "[\"lit\", 0, 1]",
        "[\"lit\", 0, 1, [2]]",
        "[\"path\", 0, 1]",
        "[\"?\", 0, 1]",
        "[\"not\", 0, 1, [\"lit\", 0, 1, 1], 5]",
        "[\"call\", 0, 1, \"f\", null, 3]",
        "{}",
    ] {
        assert!(serde_json::from_str::<Expr>(form).is_err(), "{form}");
    }
}

#[test]
fn the_deepest_expression_survives_storage() {
    let deepest = format!("{}1{}", "[".repeat(62), "]".repeat(62));
    let named = format!("{}1{}", "f(k=".repeat(62), ")".repeat(62));
    for text in [deepest, named] {
        let stored = serde_json::to_string(&json!({ "nodes": [{ "when": parsed(&text) }] }));
        let back: Value = serde_json::from_str(&stored.expect("serialises")).expect("deserialises");
        let back: Expr =
            serde_json::from_value(back["nodes"][0]["when"].clone()).expect("deserialises");
        assert_eq!(back, parsed(&text));
    }
}

/// Returns all syntax errors of a source, each with its position.
#[track_caller]
fn refused(text: &str) -> String {
    let errors = parse(text).expect_err("does not parse");
    let show = |e: &SyntaxError| super::shown(text, e.at, &e.message, e.hint.as_deref());
    errors.iter().map(show).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_no_expression_is_shown_with_its_place_and_a_remedy() {
    let texts = [
        "",
        "a ++ b",
        "len(accepted",
        "a = 5",
        "1 < x < 3",
        "a && b || !c",
        "{{goal.role}}",
        "goal.",
        "goal.5",
        "f(k=1, 2)",
        "f(k=1, k=2)",
        "'open",
        "5 people",
        "5 x",
        "3parsecs",
        "99999999999999999999",
        "1e999",
        r"'a\q'",
        "größe > 3",
        "[1, 2",
        "(1, 2)",
        "a b",
        "and a",
        "a ? b : c",
        "f(x)(y)",
        "a == # b",
        "1 +\n  * 2",
    ];
    let all: Vec<String> = texts.map(refused).into();
    insta::assert_snapshot!("not_an_expression", all.join("\n\n"));
}

#[test]
fn depth_and_length_are_bounded() {
    for text in [
        "(".repeat(4000),
        "-".repeat(4000),
        "not ".repeat(2000),
        "[".repeat(4000),
        format!("a{}", "[a".repeat(2000)),
        format!("1{}", "+1".repeat(4000)),
        format!("f{}", "(f".repeat(2000)),
        format!("a{}", ".b()".repeat(2000)),
    ] {
        let errors = parse(&text).expect_err("too deep");
        assert!(errors[0].message.contains("nested at most 64 levels deep"), "{}", errors[0]);
    }
    let errors = parse(&"1 ".repeat(5000)).expect_err("too long");
    assert_eq!(errors[0].message, "an expression can have at most 8192 bytes");
}
