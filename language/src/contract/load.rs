//! Loads contracts from YAML files such as `contracts/verbs.yaml`.
//! Every invalid contract is reported, not only the first one.

use super::fault::{Fault, fault};
use super::written::{canonical, contract, current_key};
use super::{Contract, Contracts, tighten};
use crate::base::Value;
use crate::diagnostic::{Diagnostic, Severity, Source, codes};
use crate::yaml::{self, YamlNode};

/// The keys that a file of contracts may have. `verbs` is the older word for `tools`.
const FILE_KEYS: [&str; 3] = ["tools", "verbs", "risk"];

/// The key that names the domain of the program that a tool belongs to, or all tools of the file. The tools
/// of a home belong to none.
const OWNER: &str = "belongs_to";

/// The remedy for most invalid contracts.
const KEYS_HINT: &str = "give a contract the keys \
    `description effect idempotency risk timeout input_schema output_schema`";

impl Contracts {
    /// Loads a file of contracts. An invalid contract is left out and reported as a finding.
    #[must_use]
    pub fn load(text: &str, file: &str) -> (Self, Vec<Diagnostic>) {
        Self::load_over(&Self::default(), text, file)
    }

    /// Loads a file of contracts of a home, which adds tools to `builtin` and may tighten the contracts in
    /// `builtin`. Returns the added contracts, and the tightened ones in full. An invalid contract, or one
    /// that loosens a contract of `builtin`, is left out and reported as a finding.
    #[must_use]
    pub fn load_over(builtin: &Self, text: &str, file: &str) -> (Self, Vec<Diagnostic>) {
        let source = Source::new(file, text);
        let (root, mut findings) = yaml::read(&source);
        let mut contracts = Self::default();
        let Some(root) = root else { return (contracts, findings) };
        let of_home = !builtin.by_name.is_empty();
        let known = |key: &str| FILE_KEYS.contains(&key) || (key == OWNER && !of_home);
        for member in root.members().iter().filter(|it| !known(&it.key)) {
            let message = format!("unknown key `{}` in a file of contracts", member.key);
            findings.push(
                source
                    .finding(Severity::Error, codes::UNKNOWN_KEY, &member.key_at, message)
                    .with_hint("put the contracts under `tools:`, each under the name of its tool"),
            );
        }
        let risk = root.get("risk").map(YamlNode::to_value);
        let owner = root.get(OWNER).filter(|_| !of_home);
        let lists = ["tools", "verbs"].into_iter().filter_map(|key| root.get(key));
        for member in lists.clone().flat_map(YamlNode::members) {
            let defaults = Defaults { risk: risk.as_ref(), owner };
            match one(builtin, member, &defaults) {
                Ok(mut contract) => {
                    contract.files.push(file.to_owned());
                    contracts.by_name.insert(member.key.clone(), contract);
                }
                Err(fault) => findings.push(finding(&source, member, &fault)),
            }
        }
        if of_home {
            for member in lists.flat_map(YamlNode::members) {
                let missing = contracts.by_name.get(&member.key).and_then(|contract| {
                    let tool = contract.compensated_by.as_deref()?;
                    let known = builtin.get(tool).is_some() || contracts.get(tool).is_some();
                    (!known).then(|| format!("there is no tool `{tool}`"))
                });
                if let Some(what) = missing {
                    findings.push(finding(&source, member, &fault("compensated_by", what)));
                }
            }
        }
        findings.sort_by(|a, b| a.order().cmp(&b.order()));
        (contracts, findings)
    }
}

/// What a file says of those of its tools that do not say it themselves.
struct Defaults<'a> {
    risk: Option<&'a Value>,
    owner: Option<&'a YamlNode>,
}

/// Loads one contract.
fn one(
    builtin: &Contracts,
    member: &yaml::Member,
    defaults: &Defaults<'_>,
) -> Result<Contract, Fault> {
    let mut written = canonical(member.value.to_value())?;
    if let Some(base) = builtin.get(&member.key) {
        let tightened = contract(&member.key, tighten::merged(base, written)?)?;
        let (files, belongs_to) = (base.files.clone(), base.belongs_to.clone());
        return Ok(Contract { files, belongs_to, ..tightened });
    }
    let mut belongs_to = None;
    if let Value::Object(members) = &mut written {
        if let Some(risk) = defaults.risk {
            members.entry("risk").or_insert_with(|| risk.clone());
        }
        // The domain is not a term of the contract, so that a run pins none.
        if builtin.by_name.is_empty() {
            let own = members.remove(OWNER);
            belongs_to = own.or_else(|| defaults.owner.map(YamlNode::to_value));
        }
    }
    let belongs_to = belongs_to.map(domain_name).transpose()?;
    Ok(Contract { belongs_to, ..contract(&member.key, written)? })
}

fn domain_name(written: Value) -> Result<String, Fault> {
    match written {
        Value::String(name) => Ok(name),
        other => Err(fault(OWNER, format!("`{other}` is not the name of a domain"))),
    }
}

/// Describes the fault of a contract, at the key that causes it.
fn finding(source: &Source, member: &yaml::Member, fault: &Fault) -> Diagnostic {
    let message = format!("the contract of `{}` is invalid: {}", member.key, fault.what);
    let mut members = member.value.members().iter();
    let named = |key: &String| members.find(|inner| current_key(&inner.key) == key);
    let at = fault.key.as_ref().and_then(named).map_or(&member.key_at, |inner| &inner.key_at);
    source
        .finding(Severity::Error, codes::BAD_CONTRACT, at, message)
        .with_hint(fault.hint.unwrap_or(KEYS_HINT))
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
    fn a_tool_belongs_to_the_domain_that_it_or_its_file_names() {
        let keys = "version: 1, summary: s, effect: read, idempotency: none, risk: T0, timeout: 1s, args: {}, result: {}";
        let file = |top: &str, own: &str| {
            format!("{top}tools:\n  a.get: {{ {keys}{own} }}\n  b.get: {{ {keys} }}\n")
        };
        let owners = |text: &str| {
            let (contracts, findings) = Contracts::load(text, "c.yaml");
            assert_eq!(findings, []);
            ["a.get", "b.get"].map(|name| contracts.get(name)?.belongs_to().map(str::to_owned))
        };
        let (church, trade) = (Some("church".to_owned()), Some("trade".to_owned()));
        assert_eq!(owners(&file("", "")), [None, None]);
        assert_eq!(owners(&file("", ", belongs_to: church")), [church.clone(), None]);
        let both = file("belongs_to: trade\n", ", belongs_to: church");
        assert_eq!(owners(&both), [church, trade]);
        let digest = |text: &str| {
            let (contracts, _) = Contracts::load(text, "c.yaml");
            contracts.get("a.get").expect("a contract").digest()
        };
        assert_eq!(digest(&file("", "")), digest(&both), "a run pins no domain");

        let (contracts, findings) = Contracts::load(&file("", ", belongs_to: [church]"), "c.yaml");
        assert_eq!(contracts.names().collect::<Vec<_>>(), ["b.get"]);
        assert!(findings[0].message.contains("is not the name of a domain"), "{findings:?}");
        let (_, findings) =
            Contracts::load_over(&shipped(), &file("", ", belongs_to: church"), "h.yaml");
        assert!(findings[0].message.contains("unknown field `belongs_to`"), "{findings:?}");
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
        let keys = format!("timeout: 1s\n    {ok}");
        let cases = [
            ("approvers: [{ role: supervisor, n: 0 }]", "leave it out"),
            ("approvers: [{ role: The Boss }]", "is no role"),
            ("approvers: [{ role: supervisor, n: 11 }]", "10 at most"),
            ("irreversible: true\n    compensated_by: w", "keep one"),
        ];
        for (change, words) in cases {
            check(&contract(&format!("{keys}\n    {change}")), 11, words);
        }
        let t4 = contract(&keys).replace("T0", "T4");
        check(&t4, 7, "`irreversible: true`");
        let (_, findings) = Contracts::load(&format!("{t4}    irreversible: true\n"), "c.yaml");
        assert_eq!(findings, []);
    }

    #[test]
    fn a_home_names_only_tools_that_exist_to_make_up_for_a_call() {
        let tool = |by: &str| {
            format!(
                "tools:\n  k.sell: {{ version: 1, summary: s, effect: write, idempotency: none, risk: T4, \
                 timeout: 1s, args: {{}}, result: {{}}, compensated_by: {by} }}\n"
            )
        };
        for (by, words) in [("assign", None), ("k.sell", None), ("k.buy", Some("no tool `k.buy`"))]
        {
            let (_, findings) = Contracts::load_over(&shipped(), &tool(by), "h.yaml");
            assert_eq!(findings.is_empty(), words.is_none(), "{findings:?}");
            let named = |words: &str| findings[0].message.contains(words);
            assert!(words.is_none_or(named), "{findings:?}");
        }
    }
}
