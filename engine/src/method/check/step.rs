//! One step: its verb, its arguments, what it fills and how often it is done.

use std::collections::BTreeSet;

use super::arguments::Typed;
use super::scope::Variable;
use super::{Checker, constant};
use crate::base::{Span, Value, limits};
use crate::contract::Contract;
use crate::diagnostic::{codes, did_you_mean};
use crate::expr::{self, Type};
use crate::method::ast::{ForeachAst, StepAst};
use crate::method::graph::{Arg, Call, Foreach, Node, NodeIx};
use crate::yaml;

/// The argument that bounds a wait.
pub(super) const TIMEOUT: &str = "timeout";

/// How often a step with `foreach` is done.
pub(super) struct Rounds {
    /// At most so often, where that is known.
    pub at_most: Option<u64>,
    /// The name of the item.
    pub variable: String,
}

impl<'a> Checker<'a, '_> {
    /// Checks a step and adds its node.
    pub(super) fn step(&mut self, step: &StepAst) -> NodeIx {
        let ix = NodeIx::try_from(self.nodes.len()).unwrap_or(NodeIx::MAX);
        let contract = self.verb(step);
        let rounds = step.foreach.as_ref().map(|foreach| self.foreach(foreach, contract));
        if let Some(when) = &step.when {
            self.condition(when);
            if constant(&when.expr) == Some(false) {
                let message = "this step is never done: its `when` cannot hold";
                self.warning(codes::UNREACHABLE_STEP, &when.at(), message, "leave the step out");
            }
        }
        let nothing = yaml::Node { kind: yaml::Kind::Map(Vec::new()), at: step.call.at.clone() };
        let args = step.args.as_ref().unwrap_or(&nothing);
        let typed = match contract {
            Some(contract) => self.arguments(contract, args),
            None => Typed { arg: Arg::Literal(Value::Null), ty: Type::Any },
        };
        if let Some(contract) = contract {
            self.bounded_wait(step, contract, args);
            self.message(step, contract, &typed, rounds.as_ref());
        }
        let result = match contract {
            Some(contract) => self.result(contract, &typed.arg),
            None => Variable { ty: Type::Any, at_most: None },
        };
        self.scope.set_item(None);
        let out = self.out(step);
        if let Some(out) = &out {
            self.fill(step, out, result, rounds.as_ref());
        }
        let node = self.node(step, contract, typed.arg, out);
        self.nodes.push(node);
        ix
    }

    /// The contract of the verb that a step calls.
    fn verb(&mut self, step: &StepAst) -> Option<&'a Contract> {
        let world = self.world;
        let name = step.call.value.as_str();
        if let Some(contract) = world.contracts.get(name) {
            return Some(contract);
        }
        let at = &step.call.at;
        if world.methods.contains(name) {
            let message = format!("`{name}` is a method, and calling one is not available yet");
            self.error(codes::NOT_AVAILABLE, at, message, "start it as a run of its own for now");
        } else if step.calls_method {
            let hint = did_you_mean(name, world.methods.iter().map(String::as_str))
                .unwrap_or_else(|| "methods are the files of `methods/`".into());
            self.error(codes::UNKNOWN_METHOD, at, format!("there is no method `{name}`"), hint);
        } else {
            let known = world.contracts.names().chain(world.methods.iter().map(String::as_str));
            let hint = did_you_mean(name, known).unwrap_or_else(|| {
                format!("verbs: {}", world.contracts.names().collect::<Vec<_>>().join(" "))
            });
            self.error(codes::UNKNOWN_VERB, at, format!("there is no verb `{name}`"), hint);
        }
        None
    }

    /// Checks the list of a `foreach`, sets its item, and tells how many rounds there are at most.
    fn foreach(&mut self, foreach: &ForeachAst, contract: Option<&Contract>) -> Rounds {
        let ty = self.formula(&foreach.over);
        let at_most = self.scope.at_most(&foreach.over.expr);
        let at = foreach.over.at();
        let item = match ty {
            Type::List(item) => *item,
            Type::Any | Type::Null => Type::Any,
            other => {
                let message = format!("`foreach` goes through a list, and this is {other}");
                self.error(codes::WRONG_TYPE, &at, message, "name a variable that holds a list");
                Type::Any
            }
        };
        if at_most == Some(0) {
            let message = "this step is never done: the list is empty";
            self.warning(codes::UNREACHABLE_STEP, &at, message, "leave the step out");
        }
        let max = limits::FOREACH_WAITING_MAX as u64;
        if contract.is_some_and(Contract::waits) && at_most.is_none_or(|rounds| rounds > max) {
            let many = at_most.map_or("any number of".to_owned(), |rounds| rounds.to_string());
            let message = format!("this `foreach` can wait {many} times, one after another");
            let hint =
                format!("at most {max} fit a run: shorten the list, as in `take(list, {max})`");
            self.error(codes::FOREACH_WAITS, &at, message, hint);
        }
        let item = Variable { ty: item, at_most: None };
        self.scope.set_item(Some((foreach.variable.value.clone(), item)));
        Rounds { at_most, variable: foreach.variable.value.clone() }
    }

    /// A step that waits for people says how long.
    fn bounded_wait(&mut self, step: &StepAst, contract: &Contract, args: &yaml::Node) {
        if contract.waits() && args.get(TIMEOUT).is_none() {
            let message = format!("`{}` could wait for ever", contract.name);
            let hint = "add `timeout` to its `args`, such as `timeout: 6h`";
            self.error(codes::WAIT_WITHOUT_TIMEOUT, &step.call.at, message, hint);
        }
    }

    /// The variable that a step fills: the author's, or the one that a fallback refreshes.
    fn out(&mut self, step: &StepAst) -> Option<String> {
        if let Some(out) = &step.out {
            return Some(out.value.clone());
        }
        let refreshed = self.main_outs.get(&step.call.value)?;
        if refreshed.len() > 1 {
            let names: Vec<_> = refreshed.iter().map(|name| format!("`{name}`")).collect();
            let message = format!("this could refresh {}", names.join(" or "));
            let hint = "the last of them is taken: say which with `out`";
            let at = step.call.at.clone();
            let chosen = refreshed.last().cloned();
            self.warning(codes::AMBIGUOUS_OUT, &at, message, hint);
            return chosen;
        }
        refreshed.last().cloned()
    }

    fn fill(&mut self, step: &StepAst, out: &str, filled: Variable, rounds: Option<&Rounds>) {
        let variable = match rounds {
            Some(rounds) => Variable { ty: Type::list(filled.ty), at_most: rounds.at_most },
            None => filled,
        };
        if step.when.is_some() || self.in_fallback {
            self.scope.may_fill(out, variable);
        } else {
            self.scope.fill(out, variable);
        }
    }

    /// What a call gives: its type, and the bound that one of its arguments sets.
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

    fn node(
        &self,
        step: &StepAst,
        contract: Option<&Contract>,
        args: Arg,
        out: Option<String>,
    ) -> Node {
        let mut reads = BTreeSet::new();
        let mut facts = false;
        args.each_expr(&mut |expr| {
            reads.extend(expr::variables(expr));
            facts |= expr::facts(expr);
        });
        if let Some(foreach) = &step.foreach {
            reads.remove(&foreach.variable.value);
        }
        let outside = step.foreach.iter().map(|foreach| &foreach.over).chain(&step.when);
        for formula in outside {
            reads.extend(expr::variables(&formula.expr));
            facts |= expr::facts(&formula.expr);
        }
        let foreach = step.foreach.as_ref().map(|foreach| Foreach {
            variable: foreach.variable.value.clone(),
            over: foreach.over.expr.clone(),
        });
        Node {
            key: step.key.clone(),
            step_id: self.step_ids.get(self.nodes.len()).cloned().unwrap_or_default(),
            line: self.source.line(step.at.start),
            when: step.when.as_ref().map(|when| when.expr.clone()),
            call: Call {
                verb: step.call.value.clone(),
                args,
                out,
                foreach,
                retry: step.retry.clone(),
                timeout: step.timeout.or(contract.map(|c| c.timeout)).unwrap_or(Span::ZERO),
                occasion: step.occasion.as_ref().map(|occasion| occasion.value.clone()),
                waits: contract.is_some_and(Contract::waits),
                facts,
            },
            reads: reads.into_iter().collect(),
        }
    }
}
