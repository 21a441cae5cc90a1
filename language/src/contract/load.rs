//! Loads contracts from YAML files such as `contracts/verbs.yaml`.
//! Every invalid contract is reported, not only the first one.

use serde::Deserialize;

use super::terms::{Effect, FollowUp, Idempotency, Implies, Recipients, Risk, Sends};
use super::{Contract, Contracts, Schema, XType};
use crate::base::{Digest, Span, Value};
use crate::diagnostic::{Diagnostic, Severity, Source, codes};
use crate::yaml::{self, YamlNode};

/// The YAML form of a contract, before its two schemas are compiled.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u32,
    summary: String,
    effect: Effect,
    idempotency: Idempotency,
    risk: Risk,
    timeout: String,
    #[serde(default)]
    value: Option<String>,
    #[serde(default)]
    at_most: Option<String>,
    #[serde(default)]
    implies: Option<Implies>,
    #[serde(default)]
    answered_later: bool,
    #[serde(default)]
    sets_timers: bool,
    #[serde(default)]
    sends: Option<Sends>,
    #[serde(default)]
    follow_ups: Vec<FollowUp>,
    args: Value,
    result: Value,
}

impl Contracts {
    /// Loads a file of contracts. An invalid contract is left out and reported as a finding.
    #[must_use]
    pub fn load(text: &str, file: &str) -> (Self, Vec<Diagnostic>) {
        let source = Source::new(file, text);
        let (root, mut findings) = yaml::read(&source);
        let mut contracts = Self::default();
        let Some(root) = root else { return (contracts, findings) };
        for member in root.members().iter().filter(|member| member.key != "verbs") {
            let message = format!("unknown key `{}` in a file of contracts", member.key);
            findings.push(
                source
                    .finding(Severity::Error, codes::UNKNOWN_KEY, &member.key_at, message)
                    .with_hint("put the contracts under `verbs:`, each under the name of its verb"),
            );
        }
        for member in root.get("verbs").map(YamlNode::members).unwrap_or_default() {
            match contract(&member.key, &member.value) {
                Ok(contract) => {
                    contracts.by_name.insert(member.key.clone(), contract);
                }
                Err(fault) => {
                    let message =
                        format!("the contract of `{}` is invalid: {}", member.key, fault.what);
                    let at = fault.key.and_then(|key| {
                        member.value.members().iter().find(|inner| inner.key == key)
                    });
                    let at = at.map_or(&member.key_at, |inner| &inner.key_at);
                    findings.push(
                        source
                            .finding(Severity::Error, codes::BAD_CONTRACT, at, message)
                            .with_hint("give a contract the keys `version summary effect idempotency risk timeout args result`"),
                    );
                }
            }
        }
        findings.sort_by(|a, b| a.order().cmp(&b.order()));
        (contracts, findings)
    }
}

/// The reason why a contract is invalid, and the key of the contract's
/// mapping that has the invalid value; `None` if it is not known which key that is.
struct Fault {
    key: Option<&'static str>,
    what: String,
}

fn fault(key: &'static str, what: impl Into<String>) -> Fault {
    Fault { key: Some(key), what: what.into() }
}

fn contract(name: &str, node: &YamlNode) -> Result<Contract, Fault> {
    let value = node.to_value();
    let digest = Digest::of_value(&value);
    let written: Written = serde_json::from_value(value)
        .map_err(|error| Fault { key: None, what: error.to_string() })?;
    let timeout: Span =
        written.timeout.parse().map_err(|error| fault("timeout", format!("{error}")))?;
    if timeout <= Span::ZERO {
        return Err(fault("timeout", "a timeout must be longer than zero"));
    }
    check_annotations(&written.args).map_err(|what| fault("args", what))?;
    check_annotations(&written.result).map_err(|what| fault("result", what))?;
    let contract = Contract {
        name: name.to_owned(),
        version: written.version,
        summary: written.summary,
        effect: written.effect,
        idempotency: written.idempotency,
        risk: written.risk,
        timeout,
        value: written.value,
        at_most: written.at_most,
        implies: written.implies,
        answered_later: written.answered_later,
        sets_timers: written.sets_timers,
        sends: written.sends,
        follow_ups: written.follow_ups,
        args: Schema::compile(written.args).map_err(|why| fault("args", why.what))?,
        result: Schema::compile(written.result).map_err(|why| fault("result", why.what))?,
        digest,
    };
    check_members(&contract)?;
    Ok(contract)
}

/// Checks that a contract refers only to existing arguments and to existing members of its result.
fn check_members(contract: &Contract) -> Result<(), Fault> {
    if let Some(member) = &contract.value
        && contract.result.member(member).is_none()
    {
        return Err(fault("value", format!("the result has no member `{member}`")));
    }
    let implied = contract.implies.iter().flat_map(|i| [Some(&i.item), i.only_if.as_ref()]);
    for member in implied.flatten() {
        if contract.result.member(member).is_none() {
            return Err(fault("implies", format!("the result has no member `{member}`")));
        }
    }
    if let Some(argument) = &contract.at_most
        && contract.args.member(argument).is_none()
    {
        return Err(fault("at_most", format!("there is no argument `{argument}`")));
    }
    let sends = contract.sends.iter();
    let named =
        sends.flat_map(|sends| [Some(&sends.to), sends.template.as_ref(), sends.vars.as_ref()]);
    for argument in named.flatten() {
        if contract.args.member(argument).is_none() {
            return Err(fault("sends", format!("there is no argument `{argument}`")));
        }
    }
    for follow_up in &contract.follow_ups {
        if let Recipients::Argument(argument) = &follow_up.to
            && contract.args.member(argument).is_none()
        {
            return Err(fault("follow_ups", format!("there is no argument `{argument}`")));
        }
    }
    Ok(())
}

/// Checks that every `x-type` is known. A misspelt `x-type` would silently check nothing.
fn check_annotations(schema: &Value) -> Result<(), String> {
    match schema {
        Value::Object(members) => {
            if let Some(named) = members.get("x-type")
                && XType::of(schema).is_none()
            {
                return Err(format!("unknown `x-type: {named}`"));
            }
            members.values().try_for_each(check_annotations)
        }
        Value::Array(items) => items.iter().try_for_each(check_annotations),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SHIPPED: &str = include_str!("../../../contracts/verbs.yaml");

    fn shipped() -> Contracts {
        let (contracts, findings) = Contracts::load(SHIPPED, "contracts/verbs.yaml");
        assert_eq!(findings, []);
        contracts
    }

    #[test]
    fn the_shipped_contracts_are_sound() {
        let contracts = shipped();
        let wait = contracts.get("wait_for_replies").expect("a contract");
        assert!(wait.waits());
        let result = json!({"accepted": ["per_1"], "reason": "enough"});
        assert_eq!(wait.value_of(&result), &json!(["per_1"]));
    }

    #[test]
    fn calls_and_results_are_held_against_them() {
        let contracts = shipped();
        let assign = contracts.get("assign").expect("a contract");
        let good =
            json!({"person": "per_1", "role": "nursery", "time": "2025-10-05T09:00:00-05:00"});
        assert_eq!(assign.check_args(&good), Ok(()));
        let problem =
            assign.check_args(&json!({"person": 7, "role": "nursery"})).expect_err("wrong");
        assert_eq!(problem.code, "args_invalid");
        assert!(
            problem.message.contains("`person`") && problem.message.contains("time"),
            "{problem}"
        );
        let broken = assign.check_result(&json!({"state": "gone"})).expect_err("wrong");
        assert_eq!(broken.code, "output_invalid");
    }

    #[test]
    fn a_result_adds_to_what_the_contract_implies_only_where_something_was_done() {
        let contracts = shipped();
        let unassign = contracts.get("unassign").expect("a contract");
        let result = |changed: bool| json!({"person": "per_1", "changed": changed});
        assert_eq!(unassign.implied_of(&result(true)), Some(&json!("per_1")));
        assert_eq!(unassign.implied_of(&result(false)), None);
        assert_eq!(contracts.get("assign").expect("one").implied_of(&result(true)), None);
    }

    #[test]
    fn a_contract_that_says_something_impossible_is_refused_at_its_key() {
        let check = |yaml: &str, line: u32, words: &str| {
            let (contracts, findings) = Contracts::load(yaml, "c.yaml");
            assert_eq!(contracts.names().count(), 0, "{yaml}");
            let found = findings.first().expect("a finding");
            assert_eq!((found.line, found.code), (line, codes::BAD_CONTRACT), "{found:?}");
            assert!(found.message.contains(words), "{}", found.message);
        };
        let contract = |change: &str| {
            let keys =
                "version: 1\n    summary: s\n    effect: read\n    idempotency: none\n    risk: T0";
            format!("verbs:\n  v:\n    {keys}\n    {change}\n")
        };
        let ok = "args: {}\n    result: {}";
        check(&contract(&format!("timeout: soon\n    {ok}")), 8, "not a duration");
        check(&contract(&format!("timeout: 0s\n    {ok}")), 8, "longer than zero");
        check(
            &contract(&format!("timeout: 1s\n    {ok}\n    value: people")),
            11,
            "no member `people`",
        );
        check(&contract("timeout: 1s\n    args: { x-type: humans }\n    result: {}"), 9, "humans");
        check(&contract("timeout: 1s\n    args: { type: thing }\n    result: {}"), 9, "thing");
        check(&contract(&format!("timeout: 1s\n    {ok}\n    colour: red")), 2, "colour");
        check(
            &contract(&format!("timeout: 1s\n    {ok}\n    sends: {{ to: all }}")),
            11,
            "no argument `all`",
        );
        check(
            &contract(&format!(
                "timeout: 1s\n    {ok}\n    follow_ups: [ {{ to: {{ argument: all }}, templates: [t], when: w }} ]"
            )),
            11,
            "no argument `all`",
        );
        check(
            &contract(&format!("timeout: 1s\n    {ok}\n    implies: {{ variable: v, item: who }}")),
            11,
            "no member `who`",
        );
    }
}
