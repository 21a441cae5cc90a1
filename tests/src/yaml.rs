//! The YAML reader of methods reads the same value that another YAML crate has written.

use abide_engine::diagnostic::Source;
use abide_engine::yaml;
use proptest::prelude::*;
use serde_json::{Number, Value, json};

/// Generates values like those in methods and scenarios: small trees of strings, integers and fractions.
/// Strings contain no Unicode line separators. These are line breaks in YAML 1.1, but not in YAML 1.2
/// (section 5.4), and the writer folds them as line breaks. So a separate test covers strings with such
/// separators.
fn values() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1.0e6..1.0e6).prop_map(|n: f64| Number::from_f64(n).map_or(Value::Null, Value::Number)),
        "[\\PC--[\u{2028}\u{2029}]]{0,12}".prop_map(Value::from),
        // Strings that would be read as something else if they were not quoted.
        prop::sample::select(vec![
            "",
            " ",
            "yes",
            "no",
            "on",
            "~",
            "null",
            "true",
            "012",
            "0x1f",
            "1e3",
            "1_000",
            ".inf",
            "-",
            "- a",
            "a: b",
            "a #b",
            "# a",
            "&a",
            "*a",
            "!a",
            "|",
            ">",
            "%",
            "@",
            "`",
            "{{x}}",
            "{a}",
            "[a]",
            "\"",
            "'",
            "a\nb",
            "a\n",
            "\na",
            "a\tb",
            "2026-11-21",
            "12:30:45",
            "+15550100",
            "<<",
            "=",
        ])
        .prop_map(Value::from),
    ];
    scalar.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,6}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn every_written_value_is_read_back(value in values()) {
        let text = serde_yaml::to_string(&value).expect("every JSON value is YAML");
        let (node, findings) = yaml::read(&Source::new("value.yaml", &text));
        prop_assert!(findings.is_empty(), "{text:?}: {findings:#?}");
        prop_assert_eq!(node.map(|node| node.to_value()), Some(value), "{:?}", text);
    }
}

#[test]
fn unicode_line_separators_do_not_break_a_line() {
    let text = "a: '\u{2028}  b'\nc: d\u{2029}e\n";
    let (node, findings) = yaml::read(&Source::new("a.yaml", text));
    assert_eq!(findings, []);
    let expected = json!({"a": "\u{2028}  b", "c": "d\u{2029}e"});
    assert_eq!(node.map(|node| node.to_value()), Some(expected));
}

#[test]
fn an_alias_is_read_as_its_anchors_value() {
    let (node, findings) = yaml::read(&Source::new("a.yaml", "a: &x [1, 2]\nb: *x\n"));
    assert_eq!(findings, []);
    assert_eq!(node.map(|node| node.to_value()), Some(json!({"a": [1, 2], "b": [1, 2]})));
}
