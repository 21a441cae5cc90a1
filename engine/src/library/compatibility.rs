//! Checks whether this program can still continue the runs that are pinned to a bundle: whether the verbs
//! still exist, and whether their contracts still fit the calls of the bundle's method.

use std::collections::BTreeSet;

use super::bundle::Bundle;
use crate::base::Value;
use crate::contract::{Contract, Contracts};
use crate::expr::{Expr, ExprKind};
use crate::method::{Arg, Call, Graph};

/// A reason why a program cannot continue the runs of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incompatibility {
    /// Id of the step that the program cannot execute.
    pub step: String,
    /// Verb of the step.
    pub verb: String,
    /// Explanation, for people.
    pub why: String,
}

impl Bundle {
    /// Returns why a program with these verbs and contracts cannot continue the bundle's runs.
    /// The list is empty if the program can continue them.
    #[must_use]
    pub fn incompatibilities(
        &self,
        has_verb: &dyn Fn(&str) -> bool,
        current: &Contracts,
    ) -> Vec<Incompatibility> {
        let mut found = Vec::new();
        for node in &self.graph.nodes {
            let Some(call) = node.call() else { continue };
            let whys = match (has_verb(&call.verb), current.get(&call.verb)) {
                (true, Some(new)) => {
                    let old = self.contracts.get(&call.verb);
                    old.map_or_else(Vec::new, |old| breaks(&self.graph, call, old, new))
                }
                _ => vec!["there is no such verb".to_owned()],
            };
            let of_step =
                |why| Incompatibility { step: node.step_id.clone(), verb: call.verb.clone(), why };
            found.extend(whys.into_iter().map(of_step));
        }
        found
    }
}

/// Returns the reasons why a call does not fit the new contract of its verb:
/// for example, an argument that the new contract rejects, or a member of the result that the method reads
/// and that the new contract lacks.
fn breaks(graph: &Graph, call: &Call, old: &Contract, new: &Contract) -> Vec<String> {
    if old.digest() == new.digest() {
        return Vec::new();
    }
    let mut whys = Vec::new();
    if new.version < old.version {
        whys.push(format!(
            "it needs version {} of the contract, found version {}",
            old.version, new.version
        ));
    }
    whys.extend(broken_arguments(call, old.input.value(), new.input.value()));
    let (before, now) = (old.value_schema(), new.value_schema());
    let read = call.out.as_deref().map(|out| members_read(graph, out)).unwrap_or_default();
    for member in read {
        let gives = |schema: &Value| schema["properties"].get(&member).is_some();
        if gives(before) && !gives(now) {
            whys.push(format!("its result no longer has `{member}`, which the method reads"));
        }
    }
    whys
}

/// Returns the arguments of a call that the new schema rejects,
/// and the required arguments that the call lacks.
fn broken_arguments(call: &Call, old: &Value, new: &Value) -> Vec<String> {
    let given = arguments_by_name(&call.args);
    let gives = |name: &str| given.iter().any(|(given, _)| given == name);
    let mut whys = Vec::new();
    for demanded in new["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !gives(demanded) {
            whys.push(format!("it now requires `{demanded}`"));
        }
    }
    for (name, arg) in &given {
        let (before, now) = (old["properties"].get(name), new["properties"].get(name));
        match (before, now) {
            (_, None) if new["additionalProperties"] == false => {
                whys.push(format!("it no longer takes `{name}`"));
            }
            (Some(before), Some(now)) => {
                let narrower = narrowed(before, now, arg);
                whys.extend(narrower.map(|how| format!("its `{name}` {how}")));
            }
            _ => {}
        }
    }
    whys
}

/// Returns the arguments of a call by name. Arguments without expressions are stored as a single literal.
fn arguments_by_name(args: &Arg) -> Vec<(String, Arg)> {
    match args {
        Arg::Object(given) => given.clone(),
        Arg::Literal(Value::Object(given)) => {
            let literal =
                |(name, value): (&String, &Value)| (name.clone(), Arg::Literal(value.clone()));
            given.iter().map(literal).collect()
        }
        _ => Vec::new(),
    }
}

/// Describes why an argument may no longer fit its schema. A literal no longer fits if the new schema
/// rejects it. Any other argument may no longer fit if the new schema accepts fewer values than the old
/// schema. Returns `None` if the argument still fits.
fn narrowed(old: &Value, new: &Value, arg: &Arg) -> Option<String> {
    if let Arg::Literal(value) = arg {
        let refused = new["enum"].as_array().is_some_and(|all| !all.contains(value))
            || types(new).is_some_and(|all| !all.contains(type_of(value)));
        return refused.then(|| format!("can no longer be {value}"));
    }
    if let (Some(now), before) = (types(new), types(old)) {
        let less = before.is_none_or(|before| !before.is_subset(&now));
        if less {
            let all: Vec<&str> = now.into_iter().collect();
            return Some(format!("can now only be {}", all.join(" or ")));
        }
    }
    let values = |schema: &Value| schema["enum"].as_array().cloned();
    let now = values(new)?;
    let before = values(old).unwrap_or_default();
    let less = before.is_empty() || before.iter().any(|value| !now.contains(value));
    less.then(|| "now accepts fewer values".to_owned())
}

/// Returns the types that a schema accepts; `None` if it accepts every type.
/// A schema that accepts `number` also accepts `integer`.
fn types(schema: &Value) -> Option<BTreeSet<&str>> {
    let mut all: BTreeSet<&str> = match &schema["type"] {
        Value::String(one) => [one.as_str()].into(),
        Value::Array(some) => some.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    if all.contains("number") {
        all.insert("integer");
    }
    Some(all)
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns those members of a variable that the expressions of a method read.
fn members_read(graph: &Graph, variable: &str) -> BTreeSet<String> {
    let mut members = BTreeSet::new();
    graph.each_expr(&mut |expr| collect_members(expr, variable, &mut members));
    members
}

fn collect_members(expr: &Expr, variable: &str, members: &mut BTreeSet<String>) {
    if let ExprKind::Path(path) = &expr.kind
        && let [root, member, ..] = path.as_slice()
        && root == variable
    {
        members.insert(member.clone());
    }
    expr.children().for_each(|child| collect_members(child, variable, members));
}

#[cfg(test)]
mod tests {
    use super::super::{Library, Sources};
    use super::*;

    const CONTRACTS: &str = "verbs:
  tell:
    version: 1
    summary: Tells.
    effect: pure
    idempotency: safe_retry
    risk: T0
    timeout: 10s
    args:
      type: object
      required: [to]
      additionalProperties: false
      properties: { to: { type: string }, how: { type: [string, number] } }
    result:
      type: object
      properties: { said: { type: string }, again: { type: boolean } }
";
    const METHOD: &str = "method: teller
steps:
  - { call: tell, args: { to: '{{goal.to}}', how: '{{goal.how}}' }, out: told }
  - set: { x: '{{told.said}}' }
";

    fn found(edit: impl Fn(&str) -> String, has_verb: bool) -> Vec<String> {
        let mut sources = Sources::default();
        sources.contracts.insert("verbs.yaml".to_owned(), CONTRACTS.to_owned());
        sources.methods.insert("teller.yaml".to_owned(), METHOD.to_owned());
        let library = Library::compile(sources);
        assert!(library.findings().iter().all(|f| !f.is_error()), "{:?}", library.findings());
        let (current, faults) = Contracts::load(&edit(CONTRACTS), "verbs.yaml");
        assert_eq!(faults, []);
        let found = library.methods["teller"].incompatibilities(&|_| has_verb, &current);
        found
            .into_iter()
            .map(|found| format!("{} {}: {}", found.step, found.verb, found.why))
            .collect()
    }

    #[test]
    fn a_contract_that_accepts_and_returns_as_before_is_compatible() {
        assert_eq!(found(str::to_owned, true), Vec::<String>::new());
        let wider = |text: &str| {
            text.replace("said: { type: string }", "said: { type: string }, more: { type: string }")
        };
        assert_eq!(found(wider, true), Vec::<String>::new());
        let unread = |text: &str| text.replace(", again: { type: boolean }", "");
        assert_eq!(found(unread, true), Vec::<String>::new(), "no step reads it");
    }

    #[test]
    fn each_way_to_break_a_caller_is_reported() {
        let cases: [(&str, &str, &str); 5] = [
            ("required: [to]", "required: [to, why]", "tell tell: it now requires `why`"),
            (", how: { type: [string, number] }", "", "tell tell: it no longer takes `how`"),
            ("[string, number]", "string", "tell tell: its `how` can now only be string"),
            (
                "said: { type: string }, ",
                "",
                "tell tell: its result no longer has `said`, which the method reads",
            ),
            (
                "version: 1",
                "version: 0",
                "tell tell: it needs version 1 of the contract, found version 0",
            ),
        ];
        for (from, to, expected) in cases {
            assert_eq!(found(|text| text.replace(from, to), true), [expected]);
        }
        assert_eq!(found(str::to_owned, false), ["tell tell: there is no such verb"]);
    }
}
