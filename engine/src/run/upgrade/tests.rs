use std::collections::BTreeSet;

use super::*;
use crate::base::{CallId, Digest, Timestamp, TypedId as _};
use crate::contract::Contracts;
use crate::method::{Definitions, compile};
use crate::run::{ComputedEnd, NestedList};
use crate::template::Templates;

fn graph(steps: &str) -> Graph {
    let text = format!("method: m\nlimits: {{ max_duration: 30days }}\nsteps:\n{steps}");
    let contracts =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../contracts/verbs.yaml"));
    let (contracts, _) = Contracts::load(&contracts.expect("contracts"), "verbs.yaml");
    let templates = Templates::default();
    let known =
        Definitions { contracts: &contracts, templates: &templates, methods: BTreeMap::new() };
    let (method, findings) = compile("m.yaml", &text, &known);
    method.unwrap_or_else(|| panic!("{findings:#?}")).graph().clone()
}

/// Returns the state of a run that waits at the step with this id.
fn waiting_at(graph: &Graph, step_id: &str) -> RunState {
    let positions = positions(graph);
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
        waiting_for: Some(WaitingFor::Signal {
            since,
            deadline: since,
            ends: ComputedEnd::default(),
        }),
        approval: None,
    };
    let mut frames = vec![Frame { at: positions[&ix].at, call: Some(call), ..Frame::default() }];
    while let StepList::Nested(around, inside) = positions[&ix].list {
        ix = around;
        let frame = Frame { at: positions[&ix].at, inside: Some(inside), ..Frame::default() };
        frames.insert(0, frame);
    }
    RunState { frames, ..RunState::default() }
}

/// A run that waits at a step of an old version and is to move to a new version.
#[derive(Clone, Copy)]
struct Case<'a> {
    old: &'a str,
    /// Id of the step at which the run waits.
    step: &'a str,
    new: &'a str,
    /// Names of the variables of the run.
    variables: &'a [&'a str],
    /// Renamed steps, as pairs of the old name and the new name.
    renamed: &'a [(&'a str, &'a str)],
}

impl<'a> Case<'a> {
    /// Creates a case in which the run has no variables and the operator maps no steps.
    const fn of(old: &'a str, step: &'a str, new: &'a str) -> Self {
        Self { old, step, new, variables: &[], renamed: &[] }
    }

    fn plan(self) -> Result<UpgradePlan, Obstacle> {
        let (old, new) = (graph(self.old), graph(self.new));
        let state = waiting_at(&old, self.step);
        let variables: BTreeSet<String> = self.variables.iter().map(ToString::to_string).collect();
        let renamed = self.renamed.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
        let candidate = UpgradeCandidate {
            graph: &old,
            state: &state,
            variables: &variables,
            undos: &[],
            children: 0,
        };
        plan_upgrade(candidate, &new, &renamed)
    }

    /// Returns why the run cannot be moved.
    fn obstacle(self) -> Obstacle {
        self.plan().expect_err("refused")
    }
}

const HOLD: &str = "  - { id: hold, await: { signal: go, timeout: 1h } }\n";

#[test]
fn a_step_with_an_id_is_found_at_any_position() {
    let later = format!("  - set: {{ x: 1 }}\n  - set: {{ y: 2 }}\n{}", HOLD.replace("1h", "2h"));
    let moved = Case::of(HOLD, "hold", &later).plan().expect("safe");
    assert_eq!((moved.state.frames.len(), moved.state.frames[0].at), (1, 2));
    assert!(moved.state.call().is_some(), "it continues to wait");
}

#[test]
fn the_position_inside_other_steps_is_kept() {
    let old =
        "  - { id: ask, repeat: { max: 3, steps: [ { id: hold, await: { timeout: 1h } } ] } }\n";
    let new = "  - set: { n: 1 }\n  - { id: ask, repeat: { max: 5, steps: [ { set: { n: 2 } }, { id: hold, await: { timeout: 1h } } ] } }\n";
    let moved = Case::of(old, "hold", new).plan().expect("safe").state;
    let positions: Vec<usize> = moved.frames.iter().map(|frame| frame.at).collect();
    assert_eq!((positions, moved.frames[0].inside), (vec![1, 1], Some(NestedList::Body)));
    let flat = "  - { id: hold, await: { timeout: 1h } }\n";
    let Obstacle { step, why, .. } = Case::of(old, "hold", flat).obstacle();
    assert_eq!(step, "ask", "{why}");
}

#[test]
fn a_renamed_step_needs_a_mapping() {
    let renamed = HOLD.replace("hold", "wait");
    let case = Case::of(HOLD, "hold", &renamed);
    let Obstacle { mapping, step, why } = case.obstacle();
    assert_eq!((mapping, step.as_str()), (true, "hold"));
    assert!(why.contains("--map hold=wait"), "{why}");
    Case { renamed: &[("hold", "wait")], ..case }.plan().expect("mapped");
    let Obstacle { mapping, why, .. } = Case { renamed: &[("hold", "nowhere")], ..case }.obstacle();
    assert_eq!((mapping, why.as_str()), (false, "the new version has no step `nowhere`"));
}

#[test]
fn a_run_is_not_moved_if_its_step_is_gone_or_does_something_else() {
    let Obstacle { mapping, step, why } = Case::of(HOLD, "hold", "  - set: { x: 1 }\n").obstacle();
    assert_eq!((mapping, step.as_str()), (false, "hold"), "{why}");
    let other = Case::of(HOLD, "hold", "  - { id: hold, set: { x: 1 } }\n");
    let Obstacle { mapping, why, .. } = Case { renamed: &[("hold", "hold")], ..other }.obstacle();
    assert_eq!((mapping, why.as_str()), (false, "it does `await`, but `hold` does `set`"));
    let why = other.obstacle().why;
    assert!(why.contains("did `await`"), "{why}");
}

#[test]
fn steps_without_ids_are_distinguished_by_their_content() {
    let two = "  - await: { signal: one, timeout: 1h }\n  - await: { signal: two, timeout: 1h }\n";
    let three = format!("  - await: {{ signal: zero, timeout: 1h }}\n{two}");
    let moved = Case::of(two, "await_2", two).plan().expect("the same version");
    assert_eq!(moved.state.frames[0].at, 1);
    // The new version also has a step `await_2`, but that step has the content of the old `await_1`. So the
    // counterpart of the old `await_2` is not certain.
    let case = Case::of(two, "await_2", &three);
    let Obstacle { mapping, step, .. } = case.obstacle();
    assert_eq!((mapping, step.as_str()), (true, "await_2"));
    let moved = Case { renamed: &[("await_2", "await_3")], ..case }.plan().expect("mapped");
    assert_eq!(moved.state.frames[0].at, 2);
    let changed = two.replace("signal: two, timeout: 1h", "signal: two, timeout: 3h");
    Case::of(two, "await_2", &changed).plan().expect("the same position");
}

#[test]
fn variables_that_later_steps_read_must_be_set() {
    let old = format!("{HOLD}  - set: {{ y: 1 }}\n");
    let new = format!(
        "  - {{ id: count, set: {{ x: 1 }} }}\n{HOLD}  - {{ id: add, set: {{ y: '{{{{x + 1}}}}' }} }}\n"
    );
    let case = Case::of(&old, "hold", &new);
    let Obstacle { mapping, step, why } = case.obstacle();
    assert_eq!((mapping, step.as_str()), (false, "add"));
    assert!(why.contains("`x`, which `count` sets"), "{why}");
    Case { variables: &["x"], ..case }.plan().expect("the variable is set");
    // The old version has the step `count` too, and the run has passed that step without setting `x`.
    Case::of(&new, "hold", &new).plan().expect("unset for a reason");
}

#[test]
fn a_foreach_in_progress_keeps_the_list_that_it_began_with() {
    let old =
        "  - { id: each, foreach: n in goal.a, steps: [ { id: hold, await: { timeout: 1h } } ] }\n";
    let mut state = waiting_at(&graph(old), "hold");
    state.frames[0].foreach = Some(crate::run::ForeachProgress { index: 1, len: 3 });
    let plan = |new: &str| {
        let (old, new) = (graph(old), graph(new));
        let none = BTreeSet::new();
        let candidate = UpgradeCandidate {
            graph: &old,
            state: &state,
            variables: &none,
            undos: &[],
            children: 0,
        };
        plan_upgrade(candidate, &new, &RenamedSteps::new())
    };
    let moved = plan(&format!("  - set: {{ x: 1 }}\n{old}")).expect("safe");
    assert_eq!(moved.keys, [Replacement { old: "steps/0".to_owned(), new: "steps/1".to_owned() }]);
    let refused = plan(&old.replace("goal.a", "goal.b")).expect_err("another list");
    assert_eq!(refused.step, "each");
    assert!(refused.why.contains("`n in goal.a` and is now `n in goal.b`"), "{}", refused.why);
}

#[test]
fn a_run_with_children_that_is_ending_or_half_done_is_not_moved() {
    let old = graph(HOLD);
    let none = BTreeSet::new();
    let why = |state: &RunState, children| {
        let candidate =
            UpgradeCandidate { graph: &old, state, variables: &none, undos: &[], children };
        plan_upgrade(candidate, &old, &RenamedSteps::new()).expect_err("refused").why
    };
    let state = waiting_at(&old, "hold");
    assert!(why(&state, 2).contains("not ended (2)"));
    let ending = RunState { early_end: Some(crate::run::EarlyEnd::Cancelling), ..state.clone() };
    assert!(why(&ending, 0).contains("is ending"));
    let mut half = state.clone();
    if let Some(call) = half.frames[0].call.as_mut() {
        call.cursor = Some(serde_json::json!(1));
    }
    assert!(why(&half, 0).contains("half done"));
    let branch = RunState { phase: Phase::Branch { node: 0, branch: 1 }, ..state };
    assert!(why(&branch, 0).contains("branch"));
}
