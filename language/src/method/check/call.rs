//! Checks calls of verbs: contract, arguments, assigned variables and compensation.

use super::Checker;
use super::arguments::Typed;
use super::messages::VerbCall;
use super::scope::Variable;
use super::step::{CompiledAction, Rounds};
use crate::base::{Span, Value};
use crate::contract::Contract;
use crate::diagnostic::{codes, did_you_mean};
use crate::expr::Type;
use crate::method::arg::Arg;
use crate::method::ast::{CallAst, StepAst};
use crate::method::deadline::{AT_MOST_BOUNDS, UNTIL_OR_TIMEOUT, WaitRule, is_computed};
use crate::method::graph::{Block, Call, NodeIndex, StepAction};
use crate::yaml;

/// Name of the argument that limits the duration of a wait.
pub(super) const TIMEOUT: &str = "timeout";
/// Name of the argument with the instant at which a wait ends.
pub(super) const UNTIL: &str = "until";
/// Name of the argument that limits a wait whose end depends on data.
const AT_MOST: &str = "at_most";

impl<'a> Checker<'a, '_> {
    /// Checks and compiles a call of a verb or a method.
    pub(super) fn call(
        &mut self,
        step: &StepAst,
        call: &CallAst,
        rounds: Option<&Rounds>,
    ) -> CompiledAction {
        let name = call.name.value.as_str();
        if self.definitions.contracts.get(name).is_none()
            && self.definitions.methods.contains_key(name)
        {
            return self.method_call(call);
        }
        let contract = self.verb(call);
        if let (Some(contract), Some(with)) = (contract, &call.with) {
            let message = format!("`{}` is a verb, which takes no `with`", contract.name);
            self.error(
                codes::MISPLACED_KEY,
                &with.at,
                message,
                "use `args`: `with` is for calls of methods",
            );
        }
        let nothing =
            yaml::YamlNode { kind: yaml::YamlKind::Map(Vec::new()), at: call.name.at.clone() };
        let args = call.args.as_ref().unwrap_or(&nothing);
        let typed = match contract {
            Some(contract) => self.arguments(contract, args),
            None => Typed { arg: Arg::Literal(Value::Null), ty: Type::Any },
        };
        let mut result = Variable { ty: Type::Any, at_most: None };
        if let Some(contract) = contract {
            self.bounded_wait(call, contract, args);
            self.message(step, &VerbCall { call, contract }, &typed, rounds);
            result = self.result(contract, &typed.arg);
        }
        let out = self.out(call);
        let implied = contract.and_then(|contract| contract.implies.as_ref());
        let implied = implied.map(|implies| &implies.variable);
        let action = StepAction::Call(Call {
            verb: call.name.value.clone(),
            args: typed.arg,
            out: out.clone(),
            // The author's `out` takes precedence over an implied variable of the same name.
            implies: implied.filter(|name| out.as_ref() != Some(name)).cloned(),
            retry: call.retry.as_ref().map(|retry| retry.value.clone()).unwrap_or_default(),
            timeout: call.timeout.or(contract.map(|c| c.timeout)).unwrap_or(Span::ZERO),
            occasion: call.occasion.as_ref().map(|occasion| occasion.value.clone()),
            compensation: Block::new(),
            waits: contract.is_some_and(Contract::waits),
            queries_database: false,
        });
        CompiledAction { action, assigns: out.map(|out| (out, result)).into_iter().collect() }
    }

    /// Compiles the node that undoes a call. The node can read the variables that the call assigns.
    pub(super) fn compensation(
        &mut self,
        call: &CallAst,
        assigns: &[(String, Variable)],
    ) -> Vec<NodeIndex> {
        let Some(undo) = &call.compensate else { return Vec::new() };
        let before = self.scope.clone();
        for (name, given) in assigns {
            self.scope.assign(name, given.clone());
        }
        let ix = self.step(undo);
        self.scope = before;
        let waits = self.nodes.get(ix as usize).and_then(|node| node.call()).map(|call| call.waits);
        if waits == Some(true) || self.definitions.contracts.get(undo.action_name()).is_none() {
            let message = format!("`{}` cannot undo a call", undo.action_name());
            let hint = "call a verb that does not wait";
            self.error(codes::WRONG_VALUE, &undo.action_at, message, hint);
        }
        vec![ix]
    }

    /// Returns the variable that a call assigns besides its `out`: a list with at most one item for
    /// each round of the step's `foreach`, or with at most one item if the step has no `foreach`.
    pub(super) fn implied(
        &self,
        action: &StepAction,
        rounds: Option<&Rounds>,
    ) -> Option<(String, Variable)> {
        let StepAction::Call(call) = action else { return None };
        let contract = self.definitions.contracts.get(&call.verb)?;
        let (name, implies) = (call.implies.clone()?, contract.implies.as_ref()?);
        let item = contract.output.member(&implies.item).map_or(Type::Any, Type::of_schema);
        let at_most = rounds.map_or(Some(1), |rounds| rounds.at_most);
        Some((name, Variable { ty: Type::list(item), at_most }))
    }

    /// Returns the contract of the called verb, or reports that the verb is unknown.
    fn verb(&mut self, call: &CallAst) -> Option<&'a Contract> {
        let definitions = self.definitions;
        let name = call.name.value.as_str();
        if let Some(contract) = definitions.contracts.get(name) {
            return Some(contract);
        }
        let at = &call.name.at;
        let methods = || definitions.methods.keys().map(String::as_str);
        if call.with.is_some() {
            let hint = did_you_mean(name, methods())
                .unwrap_or_else(|| "methods are the files in `methods/`".into());
            self.error(codes::UNKNOWN_METHOD, at, format!("there is no method `{name}`"), hint);
        } else {
            let hint = did_you_mean(name, definitions.contracts.names().chain(methods()))
                .unwrap_or_else(|| {
                    format!(
                        "verbs: {}",
                        definitions.contracts.names().collect::<Vec<_>>().join(" ")
                    )
                });
            self.error(codes::UNKNOWN_VERB, at, format!("there is no verb `{name}`"), hint);
        }
        None
    }

    /// Reports a call of a verb that waits for people, if its arguments do not bound the wait: by a
    /// `timeout`, or by an `at_most` beside an `until`.
    fn bounded_wait(&mut self, call: &CallAst, contract: &Contract, args: &yaml::YamlNode) {
        if !contract.waits() {
            return;
        }
        let (timeout, until, at_most) = (args.get(TIMEOUT), args.get(UNTIL), args.get(AT_MOST));
        let mut misplaced = |node: &yaml::YamlNode, rule: WaitRule| {
            self.error(codes::MISPLACED_KEY, &node.at, rule.message, rule.hint);
        };
        match (timeout, until, at_most) {
            (None, None, _) => {
                self.endless(call, contract, "add `timeout` to its `args`, such as `timeout: 6h`");
            }
            (None, Some(_), None) => {
                self.endless(
                    call,
                    contract,
                    "add `at_most` to its `args`, such as `at_most: 14days`",
                );
            }
            (Some(timeout), Some(_), _) => misplaced(timeout, UNTIL_OR_TIMEOUT),
            (Some(timeout), None, Some(at_most)) if !is_computed(timeout) => {
                misplaced(at_most, AT_MOST_BOUNDS);
            }
            _ => {}
        }
        if let Some(at_most) = at_most.filter(|node| is_computed(node)) {
            let message = "`at_most` must be known before the method runs";
            let hint = "write a duration, such as `at_most: 14days`";
            self.error(codes::WRONG_VALUE, &at_most.at, message, hint);
        }
    }

    /// Reports a wait that nothing bounds.
    fn endless(&mut self, call: &CallAst, contract: &Contract, hint: &str) {
        let message = format!("`{}` could wait forever", contract.name);
        self.error(codes::WAIT_WITHOUT_TIMEOUT, &call.name.at, message, hint);
    }

    /// Returns the variable that takes the result: the author's `out` or,
    /// in a fallback, the variable that the same verb assigned in the main steps.
    fn out(&mut self, call: &CallAst) -> Option<String> {
        if let Some(out) = &call.out {
            return Some(out.value.clone());
        }
        let refreshed = self.main_outs.get(&call.name.value)?;
        if refreshed.len() > 1 {
            let names: Vec<_> = refreshed.iter().map(|name| format!("`{name}`")).collect();
            let message = format!("this call could refresh {}", names.join(" or "));
            let hint = "name the variable with `out`: without it, the last of them is refreshed";
            let at = call.name.at.clone();
            let chosen = refreshed.last().cloned();
            self.warning(codes::AMBIGUOUS_OUT, &at, message, hint);
            return chosen;
        }
        refreshed.last().cloned()
    }

    /// Returns the type of a call's result, and the maximum
    /// number of items of the result if an argument sets this number.
    fn result(&self, contract: &Contract, args: &Arg) -> Variable {
        let bound = contract.at_most.as_deref().and_then(|name| match args {
            Arg::Literal(value) => value.get(name).and_then(Value::as_u64),
            Arg::Object(members) => {
                members.iter().find(|(member, _)| member == name).and_then(|(_, arg)| match arg {
                    Arg::Literal(value) => value.as_u64(),
                    Arg::Expr(expr) => self.scope.number_at_most(expr),
                    _ => None,
                })
            }
            _ => None,
        });
        Variable { ty: Type::of_schema(contract.value_schema()), at_most: bound }
    }
}
