use super::*;
use crate::expr::functions;

/// Checks that the expression has the value `expect`, written as JSON, in the scope of the sample run.
#[track_caller]
fn check(text: &str, expect: &str) {
    let value = eval(&parsed(text), &World::of_the_seed())
        .unwrap_or_else(|error| panic!("`{text}` has no value: {error:?}"));
    assert_eq!(value.to_string(), expect, "{text}");
}

#[track_caller]
fn check_all(cases: &[(&str, &str)]) {
    cases.iter().for_each(|(text, expect)| check(text, expect));
}

#[test]
fn the_seeds_expressions_have_their_values() {
    check_all(&[
        ("goal.kind == \"FillRole\"", "true"),
        ("now + 24h", r#""2025-10-01T14:20:00+00:00""#),
        ("len(accepted) >= goal.count", "false"),
        ("candidates.minus(accepted)", r#"["A","C","E"]"#),
        ("minus(candidates, accepted)", r#"["A","C","E"]"#),
        ("req.version + 1", "4"),
        ("goal.targets.children", "3"),
        ("those_unassigned", "null"),
        ("timeout", "true"),
        ("len(offers)", "12"),
    ]);
}

#[test]
fn arithmetic_is_exact_where_it_can_be() {
    check_all(&[
        ("7 / 2", "3.5"),
        ("6 / 2", "3"),
        ("7 / 2 * 2", "7"),
        ("-7 % 3", "-1"),
        ("7.5 % 2", "1.5"),
        ("0.1 + 0.2", "0.30000000000000004"),
        ("9223372036854775807 - 1", "9223372036854775806"),
        ("-9223372036854775807 - 1", "-9223372036854775808"),
        ("(-9223372036854775807 - 1) % -1", "0"),
        ("2 + 3 * 4 - -1", "15"),
        ("'a' + 'b'", r#""ab""#),
        ("[1] + [2, 3]", "[1,2,3]"),
    ]);
}

#[test]
fn instants_and_durations_are_computed_with() {
    check_all(&[
        ("goal.time - 24h", r#""2025-10-04T14:00:00+00:00""#),
        ("goal.time - now", r#""4days 23h 40m""#),
        ("now - goal.time", r#""-4days 23h 40m""#),
        ("goal.time - now > 4days", "true"),
        ("req.service_time - goal.time == 0s", "true"),
        ("(now + 24h) - now == 24h", "true"),
        ("1h + 30m", r#""1h 30m""#),
        ("1h - 90m", r#""-30m""#),
        ("(1h - 90m) + '1h'", r#""30m""#),
        ("2 * 1h30m", r#""3h""#),
        ("1h * 0.5", r#""30m""#),
        ("3h / 2", r#""1h 30m""#),
        ("3h / 30m", "6"),
        ("-1h", r#""-1h""#),
        ("'6h' + 1h", r#""7h""#),
        ("hours(90m)", "1.5"),
        ("days(goal.time - now) < 5", "true"),
        ("instant('2025-10-05T09:00:00-05:00')", r#""2025-10-05T14:00:00+00:00""#),
        ("duration('1h 30m') == 90m", "true"),
        ("[24h, '24h']", r#"["1day","24h"]"#),
    ]);
}

#[test]
fn things_are_compared_by_what_they_mean() {
    check_all(&[
        ("1 == 1.0", "true"),
        ("9007199254740993 == 9007199254740992.0", "false"),
        ("9007199254740993 > 9007199254740992.0", "true"),
        ("goal.time == req.service_time", "true"),
        ("goal.time <= req.service_time and goal.time >= req.service_time", "true"),
        ("'a' < 'b'", "true"),
        ("'2025-10-05T09:00:00-05:00' > '2025-10-05T13:00:00Z'", "true"),
        ("goal.time > now", "true"),
        ("'6h' == 360min", "true"),
        ("6h < '7h'", "true"),
        ("'soon' == 6h", "false"),
        ("null == null", "true"),
        ("null == 0", "false"),
        ("[1, [2.0]] == [1.0, [2]]", "true"),
        ("goal.targets == goal.targets", "true"),
        ("'5' == 5", "false"),
    ]);
}

#[test]
fn membership_looks_into_lists_texts_and_objects() {
    check_all(&[
        ("'B' in accepted", "true"),
        ("'A' not in accepted", "true"),
        ("1.0 in [1, 2]", "true"),
        ("24h in ['24h', '48h']", "true"),
        ("'urse' in goal.role", "true"),
        ("'nursery' in goal.targets", "true"),
        ("'x' in those_unassigned", "false"),
        ("accepted.contains('D')", "true"),
    ]);
}

#[test]
fn what_is_missing_is_null_and_all_inside_it() {
    check_all(&[
        ("goal.nothing.at.all", "null"),
        ("those_unassigned.first", "null"),
        ("those_unassigned[0]", "null"),
        ("those_unassigned['a'].b", "null"),
        ("accepted[7]", "null"),
        ("accepted[0]", r#""B""#),
        ("accepted[-1]", r#""D""#),
        ("accepted[-3]", "null"),
        ("people[1].name", r#""Ben""#),
        ("goal.targets[goal.role]", "4"),
        ("len(those_unassigned)", "0"),
        ("candidates.minus(those_unassigned)", r#"["A","B","C","D","E"]"#),
        ("not those_unassigned", "true"),
        ("default(goal.nothing, 5)", "5"),
        ("goal.nothing.default(goal.count)", "5"),
        ("coalesce(null, goal.nothing, 'x')", r#""x""#),
        ("exists(goal.role) and not exists(goal.nothing)", "true"),
    ]);
}

#[test]
fn lists_are_cut_joined_and_ordered() {
    check_all(&[
        ("accepted.plus(['B'])", r#"["B","D","B"]"#),
        ("accepted.union(['B', 'Z'])", r#"["B","D","Z"]"#),
        ("candidates.intersect(['E', 'A', 'X'])", r#"["A","E"]"#),
        ("distinct([1, 1.0, '1', 2, 1])", r#"[1,"1",2]"#),
        ("candidates.take(2)", r#"["A","B"]"#),
        ("candidates.take(goal.targets.children - goal.count)", "[]"),
        ("candidates.skip(3)", r#"["D","E"]"#),
        ("candidates.skip(99)", "[]"),
        ("first(candidates)", r#""A""#),
        ("last([1, 2])", "2"),
        ("first([])", "null"),
        ("reverse([1, 2, 3])", "[3,2,1]"),
        ("sort([3, 1.5, 2])", "[1.5,2,3]"),
        (
            "sort(['2025-10-05T09:00:00-05:00', '2025-10-05T10:00:00Z'])[0]",
            r#""2025-10-05T10:00:00Z""#,
        ),
        ("people.take(2).sort(by='age').pluck('name')", r#"["Ben","Ana"]"#),
        ("people.pluck('age')", "[31,9,null]"),
        ("people.where('age', 9).pluck('name')", r#"["Ben"]"#),
        ("len('größe')", "5"),
        ("len(goal.targets)", "2"),
    ]);
}

#[test]
fn numbers_texts_and_objects_have_what_an_author_expects() {
    check_all(&[
        ("sum(values(goal.targets))", "7"),
        ("sum([])", "0"),
        ("sum(['1h', '30m'])", r#""1h 30m""#),
        ("average([1, 2])", "1.5"),
        ("average([])", "null"),
        ("min(3, 1, 2)", "1"),
        ("max([3, 1, 2])", "3"),
        ("min([])", "null"),
        ("max(24h, '6h')", r#""1day""#),
        ("min(now, goal.time)", r#""2025-09-30T14:20:00+00:00""#),
        ("abs(-2.5)", "2.5"),
        ("round(2.5)", "3"),
        ("round(-2.5)", "-3"),
        ("round(2.675, 1)", "2.7"),
        ("floor(-0.5)", "-1"),
        ("ceil(0.2)", "1"),
        ("int('42') + int(3.9)", "45"),
        ("number(' 2.5 ')", "2.5"),
        ("range(3)", "[0,1,2]"),
        ("range(2, 4)", "[2,3]"),
        ("range(4, 2)", "[]"),
        ("keys(goal.targets)", r#"["children","nursery"]"#),
        ("get(goal.targets, 'ushers', 0)", "0"),
        ("goal.targets.get(goal.role)", "4"),
        ("str(5) + ' of ' + str(null) + str([1])", r#""5 of [1]""#),
        ("str(24h)", r#""1day""#),
        ("accepted.join()", r#""B, D""#),
        ("accepted.join(separator='/')", r#""B/D""#),
        ("split('a; b', ';')", r#"["a","b"]"#),
        ("replace('a-b-c', '-', '+')", r#""a+b+c""#),
        ("upper(' x '.trim()) + lower('Y')", r#""Xy""#),
        ("goal.role.starts_with('nur') and goal.role.ends_with('ry')", "true"),
        ("if(len(accepted) > 1, 'many', 'few')", r#""many""#),
    ]);
}

#[test]
fn an_instant_is_formatted_in_a_zone_or_as_it_is_written() {
    check_all(&[
        ("format(goal.time, '%A %H:%M')", r#""Sunday 09:00""#),
        ("format(req.service_time, '%A %-I:%M %p', ctx.time_zone)", r#""Sunday 9:00 AM""#),
        ("format(now, '%F %T')", r#""2025-09-30 14:20:00""#),
        ("goal.time.format('%H', zone='Europe/Berlin')", r#""16""#),
    ]);
}

#[test]
fn a_working_day_is_none_of_a_weekend_and_no_holiday() {
    let day = |arguments: &str| format!("working_day('2026-04-01T15:00:00+11:00', {arguments})");
    let melbourne = "'08:00', 'Australia/Melbourne'";
    let cases = [
        (format!("3, {melbourne}, 'AU'"), "2026-04-06T22:00:00+00:00"),
        (format!("3, {melbourne}, region='AU'"), "2026-04-06T22:00:00+00:00"),
        (format!("3, {melbourne}"), "2026-04-05T22:00:00+00:00"),
        (format!("3, {melbourne}, null"), "2026-04-05T22:00:00+00:00"),
        ("0, '16:30', ctx.time_zone, 'US'".to_owned(), "2026-03-31T21:30:00+00:00"),
    ];
    let cases = cases.map(|(arguments, at)| (day(&arguments), format!(r#""{at}""#)));
    check_all(&cases.each_ref().map(|(text, at)| (text.as_str(), at.as_str())));
}

#[test]
fn what_does_not_matter_is_not_looked_at() {
    for text in [
        "true or absent",
        "not (false and absent)",
        "if(true, true, absent)",
        "default(true, absent)",
        "coalesce(null, true, absent)",
    ] {
        check(text, "true");
    }
}

#[test]
fn what_is_not_loaded_is_asked_for_and_then_used() {
    let mut world = World::of_the_seed();
    let variable = eval(&parsed("len(absent.x) > 0"), &world);
    assert_eq!(variable, Err(EvalError::Need(Need::Variable("absent".into()))));

    let expr = parsed("latest(candidates, overfill('nursery', goal.targets))");
    let targets = world.variables["goal"]["targets"].clone();
    let inner = FactCall {
        function: "overfill".into(),
        args: vec![json!("nursery"), targets.clone()],
        named: vec![],
    };
    assert_eq!(eval(&expr, &world), Err(EvalError::Need(Need::Fact(inner.clone()))));
    assert_eq!(inner.argument("targets"), Some(&targets));
    world.facts.insert(inner, json!(1));

    let Err(EvalError::Need(Need::Fact(outer))) = eval(&expr, &world) else { panic!("a fact") };
    assert_eq!((outer.function.as_str(), &outer.args[1]), ("latest", &json!(1)));
    world.facts.insert(outer, json!(["E"]));
    assert_eq!(eval(&expr, &world), Ok(json!(["E"])));
}

#[test]
fn a_named_argument_of_a_fact_is_found_by_its_name() {
    let expr = parsed("targets_satisfied(goal.targets, time=now)");
    let Err(EvalError::Need(Need::Fact(call))) = eval(&expr, &World::of_the_seed()) else {
        panic!("a fact")
    };
    assert_eq!(call.argument("time"), Some(&json!("2025-09-30T14:20:00+00:00")));
    assert_eq!(call.argument("targets"), Some(&call.args[0]));
    assert_eq!(call.argument("zone"), None);
}

#[test]
fn conditions_are_true_or_false() {
    let world = World::of_the_seed();
    let truth = |text: &str| holds(&parsed(text), &world);
    assert_eq!(truth("timeout"), Ok(true));
    assert_eq!(truth("those_unassigned"), Ok(false));
    assert!(matches!(truth("goal.count"), Err(EvalError::Fault(_))));
}

#[test]
fn ten_thousand_people_are_compared_in_little_work() {
    let people: Vec<String> = (0..10_000).map(|n| format!("per_{n:032}")).collect();
    let world = World::default()
        .with("all", json!(people))
        .with("evens", json!(people.iter().step_by(2).collect::<Vec<_>>()));
    for (text, expect) in [
        ("len(all.minus(evens))", 5_000),
        ("len(distinct(all.plus(all)))", 10_000),
        ("len(all.union(evens).intersect(evens))", 5_000),
        ("len(sort(reverse(all)))", 10_000),
    ] {
        assert_eq!(eval(&parsed(text), &world), Ok(json!(expect)), "{text}");
    }
}

#[test]
fn every_function_says_what_it_does_and_has_a_name_of_its_own() {
    let mut names: Vec<_> = functions::all().map(|function| function.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    for function in functions::all() {
        assert!(!function.doc.is_empty() && !function.doc.ends_with('.'), "{}", function.name);
        assert!(!RESERVED.contains(&function.name));
        let repeated = function.parameters.iter().rev().skip(1);
        assert!(repeated.into_iter().all(|p| p.times != functions::Times::Repeated));
    }
    let take = functions::find("take").expect("a function");
    assert_eq!(take.signature(), "take(items: list, n: number) -> list");
}
