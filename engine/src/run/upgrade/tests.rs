use std::collections::BTreeSet;

use super::*;
use crate::base::{CallId, Digest, Timestamp, TypedId as _};
use crate::contract::Contracts;
use crate::method::{Definitions, compile};
use crate::run::Inside;
use crate::template::Templates;

fn graph(steps: &str) -> Graph {
    let text = format!("method: m\nlimits: {{ max_duration: 30days }}\nsteps:\n{steps}");
    let contracts =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../contracts/verbs.yaml"));
    let (contracts, _) = Contracts::load(&contracts.expect("contracts"), "verbs.yaml");
    let templates = Templates::default();
    let world =
        Definitions { contracts: &contracts, templates: &templates, methods: BTreeMap::new() };
    let (method, findings) = compile("m.yaml", &text, &world);
    method.unwrap_or_else(|| panic!("{findings:#?}")).graph().clone()
}

/// Returns the state of a run that waits at the step with this id.
fn waiting_at(graph: &Graph, step_id: &str) -> RunState {
    let places = places(graph);
    let mut ix = graph.index_by_id(step_id).expect("a step");
    let since = Timestamp::EPOCH;
    let call = CallState {
        id: CallId::from_uuid(uuid::Uuid::nil()),
        attempt: 1,
        started_at: since,
        args: Digest::ZERO,
        cursor: None,
        so_far: None,
        retry_at: None,
        on: Some(Pending::Signal { since, deadline: since }),
    };
    let mut frames = vec![Frame { at: places[&ix].at, call: Some(call), ..Frame::default() }];
    while let Top::Inside(around, inside) = places[&ix].top {
        ix = around;
        let frame = Frame { at: places[&ix].at, inside: Some(inside), ..Frame::default() };
        frames.insert(0, frame);
    }
    RunState { frames, ..RunState::default() }
}

fn judged(
    (old, step): (&str, &str),
    new: &str,
    (variables, maps): (&[&str], &[(&str, &str)]),
) -> Result<Move, Obstacle> {
    let (old, new) = (graph(old), graph(new));
    let state = waiting_at(&old, step);
    let variables: BTreeSet<String> = variables.iter().map(ToString::to_string).collect();
    let renamed = maps.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    let standing =
        Standing { graph: &old, state: &state, variables: &variables, undos: &[], children: 0 };
    judge(standing, &new, &renamed)
}

/// Returns why a run cannot be moved: whether a mapping can help, the step, and the reason.
fn kept(old: (&str, &str), new: &str, with: (&[&str], &[(&str, &str)])) -> (bool, String, String) {
    let Obstacle { mapping, step, why } = judged(old, new, with).expect_err("refused");
    (mapping, step, why)
}

const HOLD: &str = "  - { id: hold, await: { signal: go, timeout: 1h } }\n";
const NOTHING: (&[&str], &[(&str, &str)]) = (&[], &[]);

#[test]
fn a_step_of_its_own_name_is_found_wherever_it_stands() {
    let later = format!("  - set: {{ x: 1 }}\n  - set: {{ y: 2 }}\n{}", HOLD.replace("1h", "2h"));
    let moved = judged((HOLD, "hold"), &later, NOTHING).expect("safe");
    assert_eq!((moved.state.frames.len(), moved.state.frames[0].at), (1, 2));
    assert!(moved.state.call().is_some(), "it continues to wait");
}

#[test]
fn the_way_into_a_step_is_taken_over() {
    let old =
        "  - { id: ask, repeat: { max: 3, steps: [ { id: hold, await: { timeout: 1h } } ] } }\n";
    let new = "  - set: { n: 1 }\n  - { id: ask, repeat: { max: 5, steps: [ { set: { n: 2 } }, { id: hold, await: { timeout: 1h } } ] } }\n";
    let moved = judged((old, "hold"), new, NOTHING).expect("safe").state;
    let places: Vec<usize> = moved.frames.iter().map(|frame| frame.at).collect();
    assert_eq!((places, moved.frames[0].inside), (vec![1, 1], Some(Inside::Body)));
    let out = kept((old, "hold"), "  - { id: hold, await: { timeout: 1h } }\n", NOTHING);
    assert_eq!(out.1, "ask", "{}", out.2);
}

#[test]
fn a_renamed_step_needs_a_word() {
    let renamed = HOLD.replace("hold", "wait");
    let (mapping, step, why) = kept((HOLD, "hold"), &renamed, NOTHING);
    assert_eq!((mapping, step.as_str()), (true, "hold"));
    assert!(why.contains("--map hold=wait"), "{why}");
    judged((HOLD, "hold"), &renamed, (&[], &[("hold", "wait")])).expect("mapped");
    let (mapping, _, why) = kept((HOLD, "hold"), &renamed, (&[], &[("hold", "nowhere")]));
    assert_eq!((mapping, why.as_str()), (false, "the new version has no step `nowhere`"));
}

#[test]
fn a_step_that_is_gone_or_does_something_else_keeps_the_run() {
    let (mapping, step, why) = kept((HOLD, "hold"), "  - set: { x: 1 }\n", NOTHING);
    assert_eq!((mapping, step.as_str()), (false, "hold"), "{why}");
    let other = "  - { id: hold, set: { x: 1 } }\n";
    let (mapping, _, why) = kept((HOLD, "hold"), other, (&[], &[("hold", "hold")]));
    assert_eq!((mapping, why.as_str()), (false, "it does `await`, but `hold` does `set`"));
    let (_, _, why) = kept((HOLD, "hold"), other, NOTHING);
    assert!(why.contains("did `await`"), "{why}");
}

#[test]
fn steps_without_names_are_told_apart_by_what_they_say() {
    let two = "  - await: { signal: one, timeout: 1h }\n  - await: { signal: two, timeout: 1h }\n";
    let three = format!("  - await: {{ signal: zero, timeout: 1h }}\n{two}");
    let moved = judged((two, "await_2"), two, NOTHING).expect("the same version");
    assert_eq!(moved.state.frames[0].at, 1);
    // `await_2` of the new version is the first step of the old one: nothing is guessed.
    let (mapping, step, _) = kept((two, "await_2"), &three, NOTHING);
    assert_eq!((mapping, step.as_str()), (true, "await_2"));
    let moved = judged((two, "await_2"), &three, (&[], &[("await_2", "await_3")])).expect("mapped");
    assert_eq!(moved.state.frames[0].at, 2);
    let changed = two.replace("signal: two, timeout: 1h", "signal: two, timeout: 3h");
    judged((two, "await_2"), &changed, NOTHING).expect("the same position");
}

#[test]
fn what_later_steps_read_must_be_there() {
    let old = format!("{HOLD}  - set: {{ y: 1 }}\n");
    let new = format!(
        "  - {{ id: count, set: {{ x: 1 }} }}\n{HOLD}  - {{ id: add, set: {{ y: '{{{{x + 1}}}}' }} }}\n"
    );
    let (mapping, step, why) = kept((&old, "hold"), &new, NOTHING);
    assert_eq!((mapping, step.as_str()), (false, "add"));
    assert!(why.contains("`x`, which `count` sets"), "{why}");
    judged((&old, "hold"), &new, (&["x"], &[])).expect("the variable is set");
    // The run has passed that step in the old version too, and the step left the variable unset.
    judged((&new, "hold"), &new, NOTHING).expect("unset for a reason");
}

#[test]
fn a_foreach_in_hand_walks_the_list_that_it_began_with() {
    let old =
        "  - { id: each, foreach: n in goal.a, steps: [ { id: hold, await: { timeout: 1h } } ] }\n";
    let mut state = waiting_at(&graph(old), "hold");
    state.frames[0].each = Some(crate::run::Each { index: 1, len: 3 });
    let judged = |new: &str| {
        let (old, new) = (graph(old), graph(new));
        let none = BTreeSet::new();
        let standing =
            Standing { graph: &old, state: &state, variables: &none, undos: &[], children: 0 };
        judge(standing, &new, &Renamed::new())
    };
    let moved = judged(&format!("  - set: {{ x: 1 }}\n{old}")).expect("safe");
    assert_eq!(moved.keys, [("steps/0".to_owned(), "steps/1".to_owned())]);
    let refused = judged(&old.replace("goal.a", "goal.b")).expect_err("another list");
    assert_eq!(refused.step, "each");
    assert!(refused.why.contains("`n in goal.a` and is now `n in goal.b`"), "{}", refused.why);
}

#[test]
fn children_undoing_and_half_done_calls_keep_a_run_where_it_is() {
    let old = graph(HOLD);
    let none = BTreeSet::new();
    let why = |state: &RunState, children| {
        let standing = Standing { graph: &old, state, variables: &none, undos: &[], children };
        judge(standing, &old, &Renamed::new()).expect_err("refused").why
    };
    let state = waiting_at(&old, "hold");
    assert!(why(&state, 2).contains("not ended (2)"));
    let closing = RunState { closing: Some(crate::run::Closing::Cancelling), ..state.clone() };
    assert!(why(&closing, 0).contains("is ending"));
    let mut half = state.clone();
    if let Some(call) = half.frames[0].call.as_mut() {
        call.cursor = Some(serde_json::json!(1));
    }
    assert!(why(&half, 0).contains("half done"));
    let branch = RunState { phase: Phase::Branch { node: 0, branch: 1 }, ..state };
    assert!(why(&branch, 0).contains("branch"));
}
