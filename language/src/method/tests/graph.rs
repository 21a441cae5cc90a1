//! Tests what compiled graphs contain: step ids, the variables that steps read, arguments and retry delays.

use std::collections::BTreeMap;

use serde_json::json;

use super::compiled;
use crate::base::{Digest, Span, Timestamp, Value};
use crate::expr::{FactCall, Lookup, Scope};
use crate::method::{Backoff, Call, Graph, Retry, read_signature};

fn call(graph: &Graph, ix: usize) -> &Call {
    graph.nodes[ix].call().expect("a call")
}

fn graph(text: &str) -> Graph {
    let (method, findings) = compiled("m.yaml", text);
    method.unwrap_or_else(|| panic!("{findings:?}")).graph().clone()
}

#[test]
fn steps_are_named_after_their_verb_and_numbered_in_document_order() {
    let call = |rest: &str| {
        format!("- {{ call: search_people, args: {{ filter: {{ is_active: true }} }}{rest} }}\n")
    };
    let text = format!(
        "method: m\nsteps:\n{}{}{}success_when: goal.done\nfallbacks:\n- if: true\n  then:\n  {}",
        call(""),
        call(", id: search_people_2"),
        call(", out: found"),
        call("")
    );
    let graph = graph(&text);
    let ids: Vec<_> =
        graph.nodes.iter().map(|node| (node.key.as_str(), node.step_id.as_str())).collect();
    let expected = [
        ("steps/0", "search_people"),
        ("steps/1", "search_people_2"),
        ("steps/2", "search_people_3"),
        ("fallbacks/0/then/0", "search_people_4"),
    ];
    assert_eq!(ids, expected);
    assert_eq!(graph.index_by_id("search_people_3"), Some(2));
    assert_eq!(graph.nodes[3].out(), Some("found"), "a repeated verb refreshes the variable");
}

#[test]
fn a_step_reads_what_its_expressions_name_but_not_its_own_item() {
    let graph = graph(
        "method: m\nsteps:\n- call: assign\n  when: len(goal.people) > 0\n  foreach: person in accepted_for(goal.role, req.service_time)\n  \
         args: { person: '{{person}}', role: 'x_{{ctx.campus}}', time: '{{now}}' }\n",
    );
    assert_eq!(graph.nodes[0].reads, ["ctx", "goal", "req"]);
    assert!(call(&graph, 0).queries_database);
    assert!(!call(&graph, 0).waits);
}

#[test]
fn a_stored_graph_comes_back_the_same() {
    let graph = graph(include_str!("../cases/good/seed_fill_roles.yaml"));
    let stored = serde_json::to_string(&graph).expect("JSON");
    let back: Graph = serde_json::from_str(&stored).expect("a graph");
    assert_eq!(back, graph);
}

#[test]
fn a_method_is_known_by_the_digest_of_its_text() {
    let text =
        "method: m\nsteps:\n- { call: search_people, args: { filter: { is_active: true } } }\n";
    let digest = |text: &str| compiled("m.yaml", text).0.expect("a method").digest();
    assert_eq!(digest(text), Digest::of(text.as_bytes()));
    assert_ne!(digest(text), digest(&format!("{text}# changed\n")));
}

#[test]
fn a_method_is_known_by_its_name_and_not_by_its_file() {
    let text = "# first\nmethod: greet\nsteps: [ { repeat: { steps: [ { call: wave } ] } } ]\n";
    let (name, shown) = read_signature("a.yaml", text).expect("a signature");
    assert_eq!((name.as_str(), shown.calls.contains("wave")), ("greet", true));
    assert_eq!(read_signature("a.yaml", "verbs: {}"), None);
}

struct Vars(BTreeMap<&'static str, Value>);

impl Scope for Vars {
    fn variable(&self, name: &str) -> Lookup<'_> {
        self.0.get(name).map_or(Lookup::Unset, Lookup::Found)
    }
    fn now(&self) -> Timestamp {
        Timestamp::EPOCH
    }
    fn fact(&self, _: &FactCall) -> Option<&Value> {
        None
    }
}

#[test]
fn arguments_keep_the_type_of_a_lone_expression_and_make_texts_of_mixed_ones() {
    let graph = graph(
        "method: m\nsteps:\n- call: notify\n  args:\n    targets: ['pastor_of_{{goal.role}}', staff]\n    \
         template: filled_n_of_m\n    vars: { n: '{{len(goal.people)}}', m: 'of {{goal.count + 1}}{{goal.nothing}}' }\n",
    );
    let goal = json!({"role": "nursery", "people": ["per_1", "per_2"], "count": 4});
    let scope = Vars(BTreeMap::from([("goal", goal)]));
    let args = call(&graph, 0).args.evaluate(&scope).expect("a value");
    let expected = json!({
        "targets": ["pastor_of_nursery", "staff"],
        "template": "filled_n_of_m",
        "vars": {"n": 2, "m": "of 5"},
    });
    assert_eq!(args, expected);
}

#[test]
fn pauses_between_attempts_grow_to_their_limit_and_end() {
    let retry = Retry {
        attempts: 5,
        backoff: Backoff::Exponential,
        first: Span::from_secs(2),
        max: Span::from_secs(10),
        on: Vec::new(),
    };
    let pauses: Vec<_> = (1..=5).map(|attempt| retry.pause_after(attempt)).collect();
    let seconds = |n| Some(Span::from_secs(n));
    assert_eq!(pauses, [seconds(2), seconds(4), seconds(8), seconds(10), None]);
    let fixed = Retry { backoff: Backoff::Fixed, attempts: u32::MAX, ..retry };
    assert_eq!(fixed.pause_after(1_000_000), seconds(2));
}
