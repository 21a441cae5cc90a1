//! Builds graphs by hand, without the compiler: small, extreme and hostile graphs.

use serde_json::{Value, json};

use crate::base::Span;
use crate::expr;
use crate::method::{
    Arg, Call, Case, Fallback, Foreach, Graph, MethodLimits, Node, Parallel, Repeat, Retry,
    StepAction, TextPart,
};

fn e(text: &str) -> expr::Expr {
    expr::parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

/// Converts a value into an argument, as the method compiler does.
fn arg(value: &Value) -> Arg {
    match value {
        Value::String(text) => text_arg(text),
        Value::Array(items) => Arg::List(items.iter().map(arg).collect()),
        Value::Object(members) => {
            Arg::Object(members.iter().map(|(name, value)| (name.clone(), arg(value))).collect())
        }
        other => Arg::Literal(other.clone()),
    }
}

fn text_arg(text: &str) -> Arg {
    let hole = text.split_once("{{").and_then(|(before, rest)| {
        let (hole, after) = rest.split_once("}}")?;
        Some((before, expr::parse(hole).ok()?, after))
    });
    let Some((before, hole, after)) = hole else { return Arg::Literal(json!(text)) };
    if before.is_empty() && after.is_empty() {
        return Arg::Expr(hole);
    }
    Arg::Text(vec![
        TextPart::Literal(before.into()),
        TextPart::Expr(hole),
        TextPart::Literal(after.into()),
    ])
}

pub(super) fn node(verb: &str, args: Value) -> Node {
    Node {
        key: String::new(),
        step_id: verb.into(),
        line: 1,
        when: None,
        foreach: None,
        action: StepAction::Call(Call {
            verb: verb.into(),
            args: arg(&args),
            out: None,
            implies: None,
            retry: Retry::default(),
            timeout: Span::from_secs(30),
            occasion: None,
            compensation: Vec::new(),
            waits: verb == "wait_for_replies",
            queries_database: false,
        }),
        limits: MethodLimits::default(),
        on_error: Vec::new(),
        reads: Vec::new(),
    }
}

impl Node {
    pub(super) fn call_mut(&mut self) -> &mut Call {
        match &mut self.action {
            StepAction::Call(call) => call,
            other => panic!("no call: {other:?}"),
        }
    }
    pub(super) fn giving(mut self, name: &str) -> Self {
        self.call_mut().out = Some(name.into());
        self
    }
    pub(super) fn each(mut self, variable: &str, over: &str) -> Self {
        self.foreach = Some(Foreach {
            variable: variable.into(),
            over: e(over),
            concurrency: None,
            assigns: Vec::new(),
        });
        self
    }
    pub(super) fn when(mut self, condition: &str) -> Self {
        self.when = Some(e(condition));
        self
    }
    pub(super) fn id(mut self, id: &str) -> Self {
        self.step_id = id.into();
        self
    }
}

pub(super) fn method(
    name: &str,
    steps: Vec<Node>,
    success: &[&str],
    fallbacks: Vec<(&str, Vec<Node>)>,
) -> Graph {
    let mut nodes = Vec::new();
    let mut add = |prefix: &str, steps: Vec<Node>| -> Vec<u32> {
        steps
            .into_iter()
            .enumerate()
            .map(|(index, mut node)| {
                node.key = format!("{prefix}/{index}");
                node.line = u32::try_from(nodes.len()).expect("fits") * 2 + 4;
                nodes.push(node);
                u32::try_from(nodes.len() - 1).expect("fits")
            })
            .collect()
    };
    let main = add("steps", steps);
    let fallbacks = fallbacks
        .into_iter()
        .enumerate()
        .map(|(index, (condition, steps))| Fallback {
            key: format!("fallbacks/{index}"),
            line: 40,
            condition: e(condition),
            steps: add(&format!("fallbacks/{index}/then"), steps),
            reads: Vec::new(),
        })
        .collect();
    Graph {
        method: name.into(),
        description: None,
        applicable_if: None,
        inputs: None,
        limits: MethodLimits::default(),
        nodes,
        main,
        success_when: success.iter().map(|text| e(text)).collect(),
        fallbacks,
        on_cancel: Vec::new(),
        ending_reads: Vec::new(),
    }
}

/// Builds the graph of a short form of the method `fill_roles`, as the compiler would build it.
pub(super) fn seed() -> Graph {
    let steps = vec![
        node("search_people", json!({"filter": {"roles": ["{{goal.role}}"], "campus": "{{ctx.campus}}", "is_active": true}})).giving("candidates"),
        node("make_offers", json!({"people": "{{candidates}}", "role": "{{goal.role}}", "time": "{{goal.time}}", "expires_at": "{{now + 24h}}"})).giving("offers"),
        node("wait_for_replies", json!({"offers": "{{offers}}", "count": "{{goal.count}}", "timeout": "6h"})).giving("accepted"),
        node("assign", json!({"person": "{{person}}", "role": "{{goal.role}}", "time": "{{goal.time}}"})).each("person", "accepted"),
        node("notify", json!({"targets": ["pastor_of_{{goal.role}}"], "template": "filled_n_of_m", "vars": {"n": "{{len(accepted)}}", "m": "{{goal.count}}"}})),
    ];
    let fallback = vec![
        node("broadcast", json!({"people": "{{candidates.minus(accepted)}}", "template": "last_call", "vars": {"role": "{{goal.role}}", "time": "{{goal.time}}"}})),
        node("wait_for_replies", json!({"offers": "{{pending_for(goal.role, goal.time)}}", "count": "{{goal.count}}", "timeout": "2h"})).giving("accepted").id("wait_for_replies_2"),
    ];
    let mut graph =
        method("fill_roles", steps, &["len(accepted) >= goal.count"], vec![("timeout", fallback)]);
    graph.applicable_if = Some(e("goal.kind == \"FillRole\""));
    graph
}

/// A step with its nested and attached steps.
#[derive(Debug, Clone)]
pub(super) enum Tree {
    Leaf(Node),
    Parallel(Vec<Vec<Tree>>),
    Switch(Vec<Vec<Tree>>),
    /// If the flag is true, a `foreach` that contains the steps; otherwise, a `repeat`.
    Loop(Vec<Tree>, bool),
    /// A call, the steps of its `on_error`, and the call that undoes it.
    Mended(Node, Vec<Tree>, Vec<Tree>),
}

impl Tree {
    /// Adds the tree to a graph, each step before the steps inside it.
    /// Returns the index of the tree's root.
    pub(super) fn plant(self, nodes: &mut Vec<Node>) -> u32 {
        let ix = u32::try_from(nodes.len()).expect("fits");
        let mut node = match &self {
            Self::Leaf(node) | Self::Mended(node, ..) => node.clone(),
            _ => self::node("steps", json!({})),
        };
        node.key = format!("steps/{ix}");
        nodes.push(node);
        let made = self.grow(nodes);
        let node = &mut nodes[ix as usize];
        match made {
            Grown::Action(action, each) => {
                node.action = *action;
                if each {
                    *node = node.clone().each("person", "accepted");
                }
            }
            Grown::Beside(fails, undo) => {
                node.on_error = fails;
                node.call_mut().compensation = undo;
            }
            Grown::Nothing => {}
        }
        ix
    }

    fn grow(self, nodes: &mut Vec<Node>) -> Grown {
        let mut list = |steps: Vec<Self>| -> Vec<u32> {
            steps.into_iter().map(|tree| tree.plant(nodes)).collect()
        };
        match self {
            Self::Leaf(_) => Grown::Nothing,
            Self::Mended(_, fails, undo) => Grown::Beside(list(fails), list(undo)),
            Self::Loop(steps, true) => {
                Grown::Action(Box::new(StepAction::Steps(list(steps))), true)
            }
            Self::Loop(steps, false) => {
                let until = Some(e("len(accepted) >= goal.count"));
                let repeat = Repeat { until, max: 5, steps: list(steps) };
                Grown::Action(Box::new(StepAction::Repeat(repeat)), false)
            }
            Self::Parallel(branches) => {
                let branches: Vec<Vec<u32>> = branches.into_iter().map(&mut list).collect();
                let (need, assigns) = (branches.len(), Vec::new());
                let parallel = Parallel { branches, need, assigns };
                Grown::Action(Box::new(StepAction::Parallel(parallel)), false)
            }
            Self::Switch(cases) => {
                let case = |(nth, steps): (usize, Vec<Self>)| Case {
                    condition: (nth < 2).then(|| e("len(accepted) > 0 and goal.kind == 'a'")),
                    steps: list(steps),
                };
                let cases = cases.into_iter().enumerate().map(case).collect();
                Grown::Action(Box::new(StepAction::Switch(cases)), false)
            }
        }
    }
}

/// What the steps inside a [`Tree`] become in the step at its root: an action, with `true` if the step is
/// a `foreach`, or the steps of `on_error` and of `compensate`.
enum Grown {
    Nothing,
    Action(Box<StepAction>, bool),
    Beside(Vec<u32>, Vec<u32>),
}

/// Builds a method with every construct of the language.
pub(super) fn every() -> Graph {
    let call = |verb: &str| node(verb, json!({ "key": "hall", "amount": 1 }));
    let leaf = |verb: &str| Tree::Leaf(call(verb));
    let wait = node("wait_for_replies", json!({ "count": 3, "timeout": "2h" }));
    let trees = vec![
        leaf("search_people"),
        Tree::Mended(call("reserve"), vec![leaf("notify")], vec![leaf("reserve")]),
        Tree::Parallel(vec![
            vec![leaf("ask"), Tree::Leaf(wait.clone().id("wait"))],
            vec![leaf("broadcast")],
            Vec::new(),
        ]),
        Tree::Switch(vec![
            vec![leaf("assign"), Tree::Loop(vec![leaf("ask"), Tree::Leaf(wait)], false)],
            vec![leaf("unassign")],
        ]),
        Tree::Loop(vec![leaf("assign"), leaf("notify")], true),
    ];
    let mut graph = method("every", Vec::new(), &["len(accepted) >= 3"], Vec::new());
    graph.main = trees.into_iter().map(|tree| tree.plant(&mut graph.nodes)).collect();
    graph.on_cancel = vec![leaf("notify").plant(&mut graph.nodes)];
    graph
}

/// Builds a method with forty steps and three fallbacks.
pub(super) fn long() -> Graph {
    let steps = (0..40)
        .map(|i| match i % 5 {
            2 => node(
                "wait_for_replies",
                json!({"offers": "{{offers}}", "count": i, "timeout": "6h"}),
            )
            .giving("accepted"),
            3 => node("assign", json!({"person": "{{person}}", "role": "usher"}))
                .each("person", "accepted"),
            4 => node("notify", json!({"targets": ["pastor"], "template": "summary"}))
                .when("len(accepted) > 0"),
            _ => node(
                "make_offers",
                json!({"people": "{{candidates}}", "role": "usher", "time": "{{goal.time}}"}),
            ),
        })
        .enumerate()
        .map(|(i, node)| {
            let id = format!("{}_{i}", node.step_id);
            node.id(&id)
        })
        .collect();
    let fallbacks = vec![
        (
            "timeout",
            vec![
                node("broadcast", json!({"template": "last_call"})),
                node("wait_for_replies", json!({"count": 3, "timeout": "2h"})),
            ],
        ),
        ("len(accepted) > 2", vec![node("notify", json!({"template": "nearly"}))]),
        ("true", vec![node("notify", json!({"template": "short"}))]),
    ];
    method("long", steps, &["len(accepted) >= goal.count", "len(accepted) < 100"], fallbacks)
}

/// Builds a method with names and conditions that are too long for any box, and with markup in its strings.
pub(super) fn names() -> Graph {
    let steps = vec![
        node("notify", json!({"template": "<script>alert(1)</script> & \"co\"", "a_very_long_argument_name_that_nobody_should_write": "a value that is very long and goes on and on, for ever and ever", "vars": {"x": 1, "y": 2, "z": 3, "u": 4, "v": 5, "w": 6}}))
            .id("this_is_a_step_with_a_very_long_name_that_goes_on_for_ever_and_ever_until_it_must_be_cut_somewhere_or_it_would_leave_its_card_for_good")
            .each("somebody_with_a_long_name", "candidates.minus(accepted).minus(accepted_for(goal.role, goal.time)).minus(candidates)")
            .when("len(candidates) > 0 and len(accepted) < goal.count and goal.kind == \"FillRole\" and goal.role != \"nursery\" and goal.role != \"children\"")
            .giving("a_result_variable_with_quite_a_long_name_too"),
        node("wait_for_replies", json!({"offers": "{{offers}}", "count": "{{max(goal.count, goal.minimum) + 1}}", "timeout": "{{goal.deadline - now}}"})).id("日本語の名前").giving("x"),
    ];
    let mut graph = method(
        "a_method_with_a_very_long_name_that_is_longer_than_any_heading_has_room_for_on_one_line_or_even_on_two_of_them_because_it_never_ends",
        steps,
        &[
            "len(accepted) >= goal.count and targets_satisfied(goal.targets, time=goal.time) and goal.kind == \"FillRole\" and len(candidates) > 100",
            "true",
            "true",
            "true",
            "true",
            "true",
        ],
        vec![],
    );
    graph.description = Some("Invite <everybody> & wait; ".repeat(20));
    graph.limits = MethodLimits {
        max_duration: Some(Span::from_secs(3 * 86_400)),
        max_messages: Some(200),
        max_tool_calls: None,
    };
    graph
}

/// Builds a method with a single step.
pub(super) fn one() -> Graph {
    let args = json!({"targets": ["staff"], "template": "summary"});
    method("hello", vec![node("notify", args)], &[], Vec::new())
}
