use super::*;

/// Returns the fault of an expression that has no value, with the position of the fault in the source.
#[track_caller]
fn fault(text: &str) -> String {
    match eval(&parsed(text), &World::of_the_seed()) {
        Err(EvalError::Fault(fault)) => {
            shown(text, fault.at, &fault.message, fault.hint.as_deref())
        }
        other => panic!("`{text}` gives {other:?}"),
    }
}

#[test]
fn what_has_no_value_says_why_and_where() {
    let texts = [
        "1 + goal.count / (2 - 2)",
        "5 % 0",
        "9223372036854775807 + 1",
        "-9223372036854775807 - 2",
        "1e308 * 10",
        "now + 10000000days",
        "24h * 1e300",
        "goal.count + 'x'",
        "'soon' - 1h",
        "'x' < 3",
        "goal.nothing < 3",
        "goal.nothing + 1",
        "[1] - [2]",
        "-'x'",
        "goal.count and true",
        "goal.role.name",
        "people.name",
        "goal.role[0]",
        "goal.targets[0]",
        "accepted['x']",
        "accepted[0.5]",
        "3 in 5",
        "sort([1, 'a'])",
        "sort([null, 1])",
        "len(5)",
        "minus(5, accepted)",
        "take(accepted, 'two')",
        "take(accepted, 1.5)",
        "int('five')",
        "number('inf')",
        "range(3000000)",
        "format(now, '%Q%!')",
        "format(now, '%H', 'Mars/Olympus')",
        "working_day(now, 3, '25:00', 'Australia/Perth')",
        "working_day(now, 3, '08:00', 'Mars/Olympus')",
        "working_day(now, 3000000000, '08:00', 'Australia/Perth', 'AU')",
        "duration('soon')",
        "split('a', '')",
        "nothing_known(1)",
        "take(accepted)",
        "take(accepted, 1, 2)",
        "take(accepted, count=2)",
        "take(accepted, 1, n=2)",
    ];
    let all: Vec<String> = texts.map(fault).into();
    insta::assert_snapshot!("faults", all.join("\n\n"));
}

#[test]
fn numbers_beyond_the_language_are_refused_and_not_rounded() {
    let world = World::default().with("n", json!(u64::MAX));
    for text in ["n + 1", "n == 1", "n in [1]", "distinct([n])"] {
        assert!(matches!(eval(&parsed(text), &world), Err(EvalError::Fault(_))), "{text}");
    }
    assert_eq!(eval(&parsed("n"), &world), Ok(json!(u64::MAX)));
}

#[test]
fn work_is_bounded_whatever_the_expression() {
    let long: Vec<u32> = (0..50_000).collect();
    let world = World::default().with("xs", json!(long)).with("t", json!("x".repeat(1 << 20)));
    let lists = vec!["xs"; 60].join(" + ");
    let texts = format!("[{}]", vec!["t"; 60].join(", "));
    let searches = vec!["-1 in xs"; 60].join(" or ");
    for text in [lists, texts, searches] {
        let Err(EvalError::Fault(fault)) = eval(&parsed(&text), &world) else {
            panic!("`{text}` was evaluated")
        };
        assert_eq!(fault.message, "this expression takes too much work to evaluate");
    }
}
