//! Chooses the tools that can discharge an obligation, the best first.

use std::cmp::Ordering;

use abide_agent::obligations::Obligation;
use abide_engine::base::Value;
use abide_engine::contract::Contract;
use abide_engine::contract::Contracts;
use abide_engine::expr::{self, FactCall, Lookup, Scope};
use serde_json::Map;

use super::adapter::ToolAdapters;

/// A tool with the input that it would get.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub(super) tool: String,
    pub(super) input: Map<String, Value>,
    /// The required members of the input that nothing provides.
    pub(super) missing: Vec<String>,
}

/// Returns the tools whose contracts say that they satisfy an obligation, in the order in which they are tried: the more
/// reliable first, then the cheaper, then the faster, then by name. `known` provides members that the obligation does
/// not have.
pub(super) fn candidates(
    contracts: &Contracts,
    adapters: &ToolAdapters,
    obligation: &Obligation,
    known: &Map<String, Value>,
) -> Vec<Candidate> {
    let mut fitting: Vec<&Contract> = contracts
        .iter()
        .filter(|contract| contract.is_implemented() && !contract.waits())
        .filter(|contract| satisfies(contract, obligation))
        .collect();
    fitting.sort_by(|a, b| by_policy(a, b));
    fitting
        .into_iter()
        .filter_map(|contract| candidate(contract, adapters, obligation, known))
        .collect()
}

/// Whether a contract says that it satisfies an obligation: `REPORT(math)`. A kind may be written with `query.` before it.
fn satisfies(contract: &Contract, obligation: &Obligation) -> bool {
    let (wanted, kind) = (obligation.obligation_type.as_str(), obligation.kind());
    contract.satisfies.iter().any(|entry| {
        let Some((of, rest)) = entry.split_once('(') else { return false };
        let inner = rest.trim_end_matches(')');
        of == wanted && (inner == kind || inner.strip_prefix("query.") == Some(kind))
    })
}

fn by_policy(a: &Contract, b: &Contract) -> Ordering {
    let reliability = |it: &Contract| it.reliability.unwrap_or(0.5);
    let cost = |it: &Contract| it.cost.unwrap_or(0.0);
    let latency = |it: &Contract| it.latency.map_or(i64::MAX, |span| span.micros());
    reliability(b)
        .total_cmp(&reliability(a))
        .then(cost(a).total_cmp(&cost(b)))
        .then(latency(a).cmp(&latency(b)))
        .then(a.name.cmp(&b.name))
}

/// Returns a tool with its input; `None` if the obligation cannot be said in the words of the tool, or if a precondition
/// that is an expression does not hold.
fn candidate(
    contract: &Contract,
    adapters: &ToolAdapters,
    obligation: &Obligation,
    known: &Map<String, Value>,
) -> Option<Candidate> {
    let said = adapters.input(&contract.name, &obligation.payload)?;
    let args = said.get("args").and_then(Value::as_object);
    let members = contract.input.value().get("properties").and_then(Value::as_object)?;
    let mut input = Map::new();
    for name in members.keys() {
        let of_state = || args.and_then(|args| args.get(name));
        if let Some(value) = said.get(name).or_else(of_state).or_else(|| known.get(name)) {
            input.insert(name.clone(), value.clone());
        }
    }
    let required = contract.input.value().get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    let missing: Vec<String> =
        required.filter(|name| !input.contains_key(*name)).map(str::to_owned).collect();
    let value = Value::Object(input.clone());
    let holds = missing.is_empty().then(|| all_hold(&contract.preconditions, &value, &Value::Null));
    (holds != Some(false)).then(|| Candidate { tool: contract.name.clone(), input, missing })
}

/// Whether all conditions hold that are expressions over `input` and `result`. A condition in other words is for people.
pub(super) fn all_hold(conditions: &[String], input: &Value, result: &Value) -> bool {
    conditions.iter().all(|condition| match expr::parse(condition) {
        Err(_) => true,
        Ok(parsed) => expr::holds(&parsed, &ResultScope { input, result }).unwrap_or(false),
    })
}

/// The values that the conditions of a contract can read.
struct ResultScope<'a> {
    input: &'a Value,
    result: &'a Value,
}

impl Scope for ResultScope<'_> {
    fn variable(&self, name: &str) -> Lookup<'_> {
        match name {
            "input" => Lookup::Found(self.input),
            "result" => Lookup::Found(self.result),
            _ => Lookup::Unset,
        }
    }

    fn now(&self) -> abide_engine::base::Timestamp {
        abide_engine::base::Timestamp::EPOCH
    }

    fn fact(&self, _: &FactCall) -> Option<&Value> {
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn contracts() -> Contracts {
        let tool = |name: &str, own: &str| {
            format!(
                "  {name}: {{ description: Adds., effect: pure, idempotency: none, timeout_ms: 1000, risk: T0, \
                 satisfies: ['REPORT(query.math)'], {own}, input_schema: {{ type: object, required: [expr], \
                 properties: {{ expr: {{ type: string }}, unit: {{ type: string }} }} }}, \
                 output_schema: {{ type: object }} }}\n"
            )
        };
        let tools = [
            tool("slow", "reliability: 0.9, cost: 1, latency: 50ms"),
            tool("cheap", "reliability: 0.9, cost: 0.5, latency: 90ms"),
            tool("sure", "reliability: 0.99, cost: 9"),
            tool("twin", "reliability: 0.9, cost: 1, latency: 50ms"),
            tool("picky", "reliability: 1, preconditions: ['input.unit == \"m\"']"),
        ];
        Contracts::load(&format!("tools:\n{}", tools.concat()), "tools.yaml").0
    }

    fn names(payload: Value) -> Vec<String> {
        let obligation =
            Obligation::new(abide_agent::obligations::ObligationType::Report, "math", payload);
        let found = candidates(&contracts(), &ToolAdapters::default(), &obligation, &Map::new());
        found.into_iter().map(|candidate| candidate.tool).collect()
    }

    #[test]
    fn the_most_reliable_tool_is_tried_first_then_the_cheapest_then_the_fastest() {
        assert_eq!(names(json!({ "expr": "1" })), ["sure", "cheap", "slow", "twin"]);
        assert_eq!(names(json!({ "expr": "1", "unit": "m" }))[0], "picky");
    }

    #[test]
    fn a_tool_whose_input_lacks_something_says_what() {
        let obligation =
            Obligation::new(abide_agent::obligations::ObligationType::Report, "math", json!({}));
        let found = candidates(&contracts(), &ToolAdapters::default(), &obligation, &Map::new());
        assert_eq!(found[0].missing, ["expr"]);
        let known = Map::from_iter([("expr".to_owned(), json!("2"))]);
        assert!(
            candidates(&contracts(), &ToolAdapters::default(), &obligation, &known)[0]
                .missing
                .is_empty()
        );
    }

    #[test]
    fn conditions_are_expressions_or_words_for_people() {
        let result = json!({ "count": 2, "rows": [1, 2] });
        let hold = |condition: &str| all_hold(&[condition.to_owned()], &json!({}), &result);
        assert!(hold("result.count == len(result.rows)"));
        assert!(!hold("result.count > 2"));
        assert!(hold("the result is a number"));
    }
}
