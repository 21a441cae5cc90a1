//! Tests the proofs of small methods, each of which uses one construct.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use super::*;
use crate::base::Span;
use crate::contract::Contracts;
use crate::method::{self, CheckedMethod, Graph};
use crate::policy::{QuietHours, Settings};

/// The shipped contracts, some shipped templates, and the methods under test.
struct Home {
    contracts: Contracts,
    templates: Templates,
    methods: Vec<CheckedMethod>,
}

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Creates a [`Home`] with the method `fill_roles` and the methods in `methods`.
fn home(methods: &[(&str, &str)]) -> Home {
    let (contracts, _) = Contracts::load(&read("contracts/verbs.yaml"), "verbs.yaml");
    let names =
        ["invite", "last_call", "not_done", "summary", "filled_n_of_m", "transfer_to_children"];
    let texts = names.map(|name| (format!("{name}.hbs"), read(&format!("templates/{name}.hbs"))));
    let (templates, _) = Templates::load(texts);
    let shipped = read("methods/fill_roles.yaml");
    let texts: Vec<(&str, &str)> =
        [("fill_roles", shipped.as_str())].into_iter().chain(methods.iter().copied()).collect();
    let signatures =
        texts.iter().filter_map(|(name, text)| method::read_signature(name, text)).collect();
    let world =
        method::Definitions { contracts: &contracts, templates: &templates, methods: signatures };
    let compiled = texts.iter().map(|(name, text)| {
        let (method, findings) = method::compile(name, text, &world);
        method.unwrap_or_else(|| panic!("{findings:#?}"))
    });
    let methods = compiled.collect();
    Home { contracts, templates, methods }
}

fn proved(home: &Home, method: &str, given: &Given) -> Proof {
    let methods: BTreeMap<&str, &Graph> =
        home.methods.iter().map(|method| (method.name(), method.graph())).collect();
    let graph = methods[method];
    let world =
        ProofDefinitions { contracts: &home.contracts, templates: &home.templates, methods };
    prove(graph, &world, given)
}

fn given() -> Given {
    Given { people: Some(100), staff: Some(2), ..Given::of(&Settings::default()) }
}

/// Returns the proof of a method whose source, after its name, is `text`.
fn steps(text: &str) -> Proof {
    let method = format!("method: m\n{text}");
    proved(&home(&[("m", &method)]), "m", &given())
}

const TELL: &str =
    "call: notify, args: { targets: [staff], template: filled_n_of_m, vars: { n: 1, m: 2 } }";
const FIND: &str =
    "call: search_people, args: { filter: { roles: [nursery] }, limit: 9 }, out: people";
const TELL_ALL: &str = "call: broadcast, args: { people: \"{{people}}\", template: last_call, vars: { role: a, time: \"{{now}}\" } }";

/// Checks the proof of a method: the maximum number `one` of messages to one person, the maximum
/// number `all` of messages to all people with its formula, and the total waiting time.
#[track_caller]
fn check(text: &str, one: u64, all: u64, formula: &str, waiting: &str) {
    let text = text.replace("TELL_ALL", TELL_ALL).replace("TELL", TELL).replace("FIND", FIND);
    let proof = steps(&text);
    let Messages { one_person, in_all, .. } = &proof.messages;
    assert!(proof.holds(), "{proof:#?}");
    assert_eq!((one_person.at_most, in_all.at_most), (Some(one), Some(all)), "{text}\n{proof:#?}");
    assert_eq!(in_all.formula.to_string(), formula, "{text}");
    assert_eq!(
        proof.finish.waiting.map(|span| span.to_string()).as_deref(),
        Some(waiting),
        "{text}"
    );
}

#[test]
fn steps_add_up_and_of_the_cases_of_a_switch_the_largest_counts() {
    check("steps: [ { TELL }, { TELL, occasion: again } ]", 2, 4, "2 × staff", "0s");
    let switch = "steps:
  - switch:
      - { if: goal.a, then: [ { TELL }, { await: { timeout: 2h } } ] }
      - { else: [ { FIND }, { TELL_ALL }, { await: { timeout: 1h } } ] }";
    check(switch, 1, 9, "people", "2h");
}

#[test]
fn loops_multiply_but_a_message_of_one_key_goes_once() {
    let repeat = "steps: [ { repeat: { max: 5, steps: [ { FIND }, { TELL_ALL }, { await: { timeout: 1h } } ] } } ]";
    check(repeat, 1, 45, "5 × people", "5h");
    check("steps: [ { repeat: { max: 5, steps: [ { TELL } ] } } ]", 1, 2, "staff", "0s");
}

#[test]
fn each_person_of_a_list_is_met_once() {
    let each = "steps:
  - { FIND }
  - foreach: person in people
    call: ask
    args: { person: \"{{person}}\", question_template: transfer_to_children, vars: { time: \"{{now}}\" } }";
    check(each, 1, 9, "people", "0s");
    let twice = "steps:
  - { FIND }
  - repeat:
      max: 3
      steps:
        - foreach: person in people
          call: ask
          args: { person: \"{{person}}\", question_template: transfer_to_children, vars: { time: \"{{now}}\" } }";
    check(twice, 3, 27, "3 × people", "0s");
}

#[test]
fn branches_send_all_of_them_and_wait_as_long_as_the_longest() {
    let parallel = "steps:
  - parallel:
      - [ { TELL }, { await: { timeout: 3h } } ]
      - [ { TELL, occasion: other }, { await: { signal: a, timeout: 5h } } ]
    join: any";
    check(parallel, 2, 4, "2 × staff", "5h");
    let abreast = "steps:
  - { FIND }
  - { foreach: person in people, concurrency: 4, steps: [ { await: { timeout: 1h } } ] }";
    check(abreast, 0, 0, "0", "3h");
}

#[test]
fn what_undoing_and_cancelling_send_counts_too_and_is_named() {
    let undone = "steps:
  - call: reserve
    args: { key: hall, amount: 1 }
    on_error: [ { TELL } ]
  - TELL_AND_TAKE_BACK
on_cancel: [ { TELL, occasion: off } ]"
        .replace(
            "- TELL_AND_TAKE_BACK",
            "- { TELL, occasion: b, compensate: { TELL, occasion: c } }",
        );
    check(&undone, 4, 8, "4 × staff", "0s");
    let proof = steps(&undone.replace("TELL", TELL));
    assert_eq!(proof.messages.if_undone.at_most, Some(4));
    assert_eq!(proof.messages.by_step.iter().filter(|sending| sending.undoing).count(), 2);
}

#[test]
fn a_limit_on_messages_is_the_bound_where_the_steps_could_send_more() {
    let text = format!(
        "limits: {{ max_messages: 5 }}\nsteps: [ {{ {FIND} }}, {{ {TELL_ALL} }}, {{ {TELL} }} ]"
    );
    let proof = steps(&text);
    assert_eq!((proof.messages.in_all.at_most, proof.messages.limited_to), (Some(5), Some(5)));
    assert_eq!(proof.cost.segments.at_most, Some(5));
}

#[test]
fn an_offer_is_an_invitation_and_perhaps_a_word_when_it_is_taken_back() {
    let offers = "steps:
  - { FIND }
  - call: make_offers
    args: { people: \"{{people}}\", role: nursery, time: \"{{goal.time}}\", expires_at: \"{{now + 24h}}\" }
  - call: wait_for_replies
    args: { offers: \"pending_for('nursery', goal.time)\", count: 2, timeout: 6h }
fallbacks: [ { if: timeout, then: [ { set: { late: true } } ] } ]
success_when: true";
    check(offers, 2, 18, "2 × people", "6h");
    let proof = steps(&offers.replace("FIND", FIND));
    let ways: Vec<&str> = proof.waits[0].ways_out.iter().map(|way| way.way).collect();
    assert_eq!(ways, ["enough", "exhausted", "timeout"]);
    assert_eq!(proof.waits[0].then, "success_when");
}

#[test]
fn a_called_method_counts_as_often_as_it_is_called() {
    let child = format!("method: child\nsteps: [ {{ {TELL} }}, {{ await: {{ timeout: 1h }} }} ]");
    let parent = "method: m
inputs: { type: object, properties: { times: { type: array, maxItems: 3 } } }
steps:
  - { foreach: time in goal.times, call: child }";
    let home = home(&[("child", &child), ("m", parent)]);
    let proof = proved(&home, "m", &given());
    assert_eq!(proof.messages.in_all.at_most, Some(6));
    let formula = proof.messages.in_all.formula.to_string();
    assert_eq!(formula, "len(goal.times) × messages of child");
    let known = Given { goal: Some(json!({ "times": [1] })), ..given() };
    assert_eq!(proved(&home, "m", &known).messages.in_all.at_most, Some(2));
}

#[test]
fn a_wait_whose_time_the_goal_says_ends_with_the_run() {
    let text = "steps:
  - call: wait_for_replies
    args: { offers: \"pending_for('nursery', goal.time)\", timeout: \"{{goal.patience}}\" }
    out: accepted
  - { set: { late: \"{{timeout}}\" }, when: timeout }";
    let proof = steps(text);
    assert!(proof.holds());
    assert_eq!((proof.finish.waiting, proof.finish.limited_by), (None, Some("run_max_duration")));
    assert!(proof.notes[0].contains("known only at run time"), "{:?}", proof.notes);
}

#[test]
fn a_wait_that_ends_at_an_instant_is_bounded_by_its_longest_time() {
    let text = "steps:
  - await: { signal: word, until: \"{{goal.at}}\", at_most: 3days }
  - await: { until: \"{{goal.at}}\", at_most: 1day }
  - call: wait_for_replies
    args: { offers: \"pending_for('nursery', goal.time)\", until: \"{{goal.at}}\", at_most: 2days }
    out: accepted
  - { set: { late: \"{{timeout}}\" }, when: timeout }";
    let proof = steps(text);
    assert!(proof.holds());
    assert_eq!(proof.finish.waiting, Some(Span::from_secs(6 * 86_400)));
    assert_eq!(proof.notes, Vec::<String>::new());
    for wait in &proof.waits {
        let timer = wait.ways_out.last().expect("a timer");
        assert!(timer.when.starts_with("at `goal.at`, after "), "{timer:?}");
    }
}

#[test]
fn what_no_checker_would_let_through_is_a_broken_law() {
    let home = home(&[]);
    let mut graph = home.methods[0].graph().clone();
    for node in &mut graph.nodes {
        if let crate::method::StepAction::Call(call) = &mut node.action
            && let crate::method::Arg::Object(members) = &mut call.args
        {
            members.retain(|(name, _)| name != "timeout");
        }
    }
    let methods = BTreeMap::new();
    let world =
        ProofDefinitions { contracts: &home.contracts, templates: &home.templates, methods };
    let proof = prove(&graph, &world, &given());
    let broken: Vec<&str> = proof.breaches.iter().map(|one| one.step_id.as_str()).collect();
    assert_eq!(broken, ["wait", "wait_again"]);
    assert_eq!(proof.breaches[0].law, Law::EveryWaitHasAWayOut);

    let circle = Graph {
        nodes: vec![crate::method::Node {
            action: crate::method::StepAction::Method(crate::method::MethodCall {
                method: "fill_roles".into(),
                with: crate::method::Arg::Literal(json!({})),
                out: None,
                timeout: None,
            }),
            foreach: None,
            ..graph.nodes[0].clone()
        }],
        main: vec![0],
        fallbacks: Vec::new(),
        ..graph
    };
    let methods = BTreeMap::from([("fill_roles", &circle)]);
    let proof = prove(&circle, &ProofDefinitions { methods, ..world }, &given());
    assert_eq!(proof.breaches[0].law, Law::EveryPathEnds);
}

#[test]
fn texts_that_the_night_can_hold_are_named_with_the_hour_at_which_they_leave() {
    let zone = jiff::tz::TimeZone::get("America/Chicago").expect("a zone");
    let start = |at: &str| Given {
        start: Some(ProofStart {
            at: at.parse().expect("an instant"),
            zone: zone.clone(),
            quiet_hours: QuietHours::customary(),
        }),
        ..given()
    };
    let home = home(&[]);
    let clashes = |at: &str| {
        let proof = proved(&home, "fill_roles", &start(at));
        let named = proof.quiet_hours.iter();
        named
            .map(|one| format!("{} {} {}", one.step_id, one.certain, &one.held_until[8..16]))
            .collect::<Vec<_>>()
    };
    // The last wait ends by 17:00, before quiet hours begin.
    assert_eq!(clashes("2025-09-30T09:00:00-05:00"), Vec::<String>::new());
    assert_eq!(
        clashes("2025-09-30T17:20:00-05:00"),
        ["tell_filled", "last_call", "tell_no_last_call", "tell_filled_late", "tell_short"]
            .map(|step| format!("{step} false 01T08:00"))
    );
    // The run starts at night. The invitations are sent at 8:00, when the wait for replies begins.
    let night = clashes("2025-09-30T22:00:00-05:00");
    assert_eq!(night[0], "invite true 01T08:00");
    let proof = proved(&home, "fill_roles", &start("2025-09-30T22:00:00-05:00"));
    assert_eq!(proof.finish.waits_end_by.as_deref(), Some("2025-10-01T16:00:00-05:00"));
}

#[test]
fn a_wait_in_error_handling_delays_what_follows_it() {
    let text = "method: m
steps:
  - call: reserve
    args: { key: hall, amount: 1 }
    on_error: [ { await: { timeout: 5h } } ]
  - { await: { timeout: 1h } }";
    let start = ProofStart {
        at: "2025-09-30T09:00:00Z".parse().expect("an instant"),
        zone: jiff::tz::TimeZone::UTC,
        quiet_hours: QuietHours::customary(),
    };
    let proof = proved(&home(&[("m", text)]), "m", &Given { start: Some(start), ..given() });
    assert_eq!(proof.finish.waits_end_by.as_deref(), Some("2025-09-30T15:00:00+00:00"));
}
