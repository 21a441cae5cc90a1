//! Tests the compiler with sources that are built to take much time or memory, or that are simply long.

use proptest::prelude::*;

use super::compiled;
use crate::base::limits;
use crate::diagnostic::{Diagnostic, codes, render};
use crate::yaml;

fn only_code(text: &str) -> &'static str {
    let (method, findings) = compiled("m.yaml", text);
    assert!(method.is_none());
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings.iter().all(|finding| finding.hint.is_some() && finding.message.len() < 300));
    findings[0].code
}

#[test]
fn input_without_bounds_is_refused_with_a_place_and_a_remedy() {
    let long_text = format!("method: m\ndescription: {}\n", "x".repeat(50 << 20));
    assert_eq!(only_code(&long_text), codes::TOO_LARGE);
    let many_values = format!("method: m\nsteps: [{}]\n", "1,".repeat(limits::YAML_NODES_MAX));
    assert_eq!(only_code(&many_values), codes::TOO_LARGE);
    let deep_blocks: String = (0..200).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    assert_eq!(only_code(&deep_blocks), codes::TOO_LARGE);
    let deep_flow = format!("method: {}", "{a: ".repeat(500_000 / 4));
    assert_eq!(only_code(&deep_flow), codes::TOO_LARGE);
    let own_alias = "method: &m [*m]\n";
    assert_eq!(only_code(own_alias), codes::YAML_SYNTAX);
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let finding =
        yaml::text_of("m.yaml", b"method: m\ndescription: caf\xe9\n").expect_err("not UTF-8");
    assert_eq!((finding.code, finding.line, finding.col), (codes::YAML_ENCODING, 2, 17));
    let finding =
        yaml::text_of("m.yaml", &vec![b' '; limits::METHOD_BYTES_MAX + 1]).expect_err("long");
    assert_eq!(finding.code, codes::TOO_LARGE);
    assert_eq!(yaml::text_of("m.yaml", b"\xef\xbb\xbfmethod: m"), Ok("method: m"));
}

#[test]
fn an_expression_without_bounds_is_a_finding() {
    let deep = format!(
        "method: m\nsteps: []\napplicable_if: \"{}1{}\"\n",
        "(".repeat(5_000),
        ")".repeat(5_000)
    );
    let long = format!("method: m\nsteps: []\napplicable_if: \"1{}\"\n", "+1".repeat(50_000));
    for text in [deep, long] {
        let (method, findings) = compiled("m.yaml", &text);
        assert!(method.is_none());
        assert!(findings.iter().any(|finding| finding.code == codes::EXPRESSION_SYNTAX));
    }
}

/// Returns a method with the given number of steps. Some checks compare a step with
/// earlier steps. The method gives each of these checks something to compare.
fn long_method(steps: usize) -> String {
    let mut text = String::from("method: long\nlimits: { max_messages: 1000000 }\nsteps:\n");
    for n in 0..steps {
        text += &match n % 3 {
            0 => format!(
                "- {{ call: search_people, args: {{ filter: {{ is_active: true }}, limit: 5 }}, out: people_{n} }}\n"
            ),
            1 => format!(
                "- {{ call: notify, when: len(people_{}) > 0, args: {{ targets: [staff], template: filled_n_of_m, vars: {{ n: {n}, m: 5 }} }} }}\n",
                n - 1
            ),
            _ => format!(
                "- {{ call: assign, foreach: p in people_{}, args: {{ person: '{{{{p}}}}', role: r, time: '{{{{now}}}}' }} }}\n",
                n - 2
            ),
        };
    }
    text
}

#[test]
fn the_longest_method_compiles() {
    let (method, findings) = compiled("m.yaml", &long_method(limits::METHOD_STEPS_MAX));
    let method = method.unwrap_or_else(|| panic!("{:?}", findings.first()));
    assert_eq!(method.graph().nodes.len(), limits::METHOD_STEPS_MAX);
    let (method, findings) = compiled("m.yaml", &long_method(limits::METHOD_STEPS_MAX + 1));
    assert!(method.is_none());
    assert!(findings.iter().any(|finding| finding.code == codes::TOO_LARGE));
}

#[test]
fn a_file_full_of_faults_shows_the_first_of_them() {
    let text = format!("method: m\nsteps:\n{}", "- call: nothing\n".repeat(1_900));
    let (method, findings) = compiled("m.yaml", &text);
    assert!(method.is_none());
    assert_eq!(findings.len(), limits::FINDINGS_MAX);
    assert_eq!(findings[0].line, 3);
}

#[test]
fn faults_without_end_cost_no_more_than_some() {
    let unknown = "{{nobody}}".repeat(40_000);
    let broken = "{{}}".repeat(100_000);
    let many = "'{{nobody}}', ".repeat(20_000);
    let repeated = "a: 1, ".repeat(25_000);
    for targets in [format!("'{unknown}'"), format!("'{broken}'"), many, format!("{{{repeated}}}")]
    {
        let text =
            format!("method: m\nsteps: [ {{ call: notify, args: {{ targets: [{targets}] }} }} ]\n");
        let (method, findings) = compiled("m.yaml", &text);
        assert!(method.is_none());
        assert!(findings.len() <= limits::FINDINGS_MAX * 2);
    }
}

fn edits() -> impl Strategy<Value = Vec<(usize, usize, String)>> {
    let inserted = prop_oneof![
        Just(String::new()),
        Just("{{".into()),
        Just("}}".into()),
        Just("\n".into()),
        Just("\t".into()),
        Just(": ".into()),
        Just("- ".into()),
        Just("\"".into()),
        Just("&a ".into()),
        Just("*a".into()),
        Just("| ".into()),
        Just("\u{1F600}é\u{0}".into()),
        "[a-z(){}\\[\\].,:'\"#&*!|>%@` \n-]{0,12}",
    ];
    proptest::collection::vec((any::<usize>(), 0..20_usize, inserted), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Checks that the compiler does not panic on any randomly edited method,
    /// and that the position of every finding is inside the source.
    #[test]
    fn mangled_methods_are_found_out_with_places_inside_the_text(edits in edits()) {
        let mut text = include_str!("../cases/good/every_part.yaml").to_owned();
        for (at, removed, inserted) in edits {
            let boundary = |mut at: usize| {
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                at
            };
            let start = boundary(at % (text.len() + 1));
            let end = boundary((start + removed).min(text.len())).max(start);
            text.replace_range(start..end, &inserted);
        }
        let (method, findings) = compiled("m.yaml", &text);
        prop_assert_eq!(method.is_none(), findings.iter().any(Diagnostic::is_error));
        let lines: Vec<&str> = text.split('\n').collect();
        for finding in &findings {
            let line = lines.get(finding.line as usize - 1);
            prop_assert!(line.is_some(), "{:?}", finding);
            let width = line.map_or(0, |line| line.chars().count() as u32);
            prop_assert!((1..=width + 1).contains(&finding.col), "{:?}", finding);
            prop_assert!(finding.end_col > finding.col && finding.end_col <= width + 2, "{:?}", finding);
            prop_assert!(render(finding, &text).contains(finding.code));
        }
    }
}
