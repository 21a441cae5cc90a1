//! Checks calls of methods. A method must not call itself, and the called method must accept the goal.

use std::collections::BTreeSet;

use super::Checker;
use super::scope::Variable;
use super::step::CompiledAction;
use crate::base::Value;
use crate::diagnostic::{codes, did_you_mean};
use crate::expr::Type;
use crate::method::arg::Arg;
use crate::method::ast::CallAst;
use crate::method::graph::{MethodCall, StepAction};
use crate::yaml;

/// Keys that the mapping `with` may have.
const WITH: [&str; 2] = ["goal", "vars"];

impl Checker<'_, '_> {
    pub(super) fn method_call(&mut self, call: &CallAst) -> CompiledAction {
        let name = call.name.value.as_str();
        if name == self.name || self.reaches(name, &mut BTreeSet::new()) {
            let message = format!("`{name}` would call itself, directly or through other methods");
            let hint = "use `repeat` to execute steps again";
            self.error(codes::RECURSIVE_METHOD, &call.name.at, message, hint);
        }
        self.only_for_verbs(call);
        let with = self.with(call);
        let members = [("run_id", Type::Text), ("outcome", Type::Text), ("vars", Type::object())];
        let result = Variable { ty: Type::record(members), at_most: None };
        let out = call.out.as_ref().map(|out| out.value.clone());
        let action = StepAction::Method(MethodCall {
            method: name.to_owned(),
            with,
            out: out.clone(),
            timeout: call.timeout,
        });
        CompiledAction { action, assigns: out.map(|out| (out, result)).into_iter().collect() }
    }

    /// Whether the method with the name `from` calls the method
    /// that is being checked, directly or through other methods.
    fn reaches(&self, from: &str, seen: &mut BTreeSet<String>) -> bool {
        let Some(signature) =
            self.definitions.methods.get(from).filter(|_| seen.insert(from.to_owned()))
        else {
            return false;
        };
        signature.calls.iter().any(|next| *next == self.name || self.reaches(next, seen))
    }

    fn only_for_verbs(&mut self, call: &CallAst) {
        let retry = call.retry.as_ref().map(|retry| ("retry", retry.at.clone()));
        let occasion = call.occasion.as_ref().map(|occasion| ("occasion", occasion.at.clone()));
        let args = call.args.as_ref().map(|args| ("args", args.at.clone()));
        let undo = call.compensate.as_ref().map(|undo| ("compensate", undo.at.clone()));
        for (key, at) in [retry, occasion, args, undo].into_iter().flatten() {
            let message = format!("`{key}` is for calls of verbs, but this calls a method");
            let hint = match key {
                "args" => "pass a goal: `with: { goal: { … } }`",
                _ => "leave it out, or move it to the steps of that method",
            };
            self.error(codes::MISPLACED_KEY, &at, message, hint);
        }
    }

    /// Checks and compiles the mapping `with`, which is the input of the child run.
    /// The goal in this mapping must match the `inputs` of the called method.
    fn with(&mut self, call: &CallAst) -> Arg {
        let nothing =
            yaml::YamlNode { kind: yaml::YamlKind::Map(Vec::new()), at: call.name.at.clone() };
        let with = call.with.as_ref().map_or(&nothing, |with| &with.value);
        let inputs = self
            .definitions
            .methods
            .get(&call.name.value)
            .and_then(|signature| signature.inputs.clone());
        let mut members = Vec::new();
        for member in with.members() {
            if !WITH.contains(&member.key.as_str()) {
                let hint = did_you_mean(&member.key, WITH)
                    .unwrap_or_else(|| "it takes `goal` and `vars`".into());
                let message = format!("`with` takes no `{}`", member.key);
                self.error(codes::UNKNOWN_KEY, &member.key_at, message, hint);
            }
            let schema = inputs.as_ref().filter(|_| member.key == "goal").unwrap_or(&Value::Null);
            let typed = self.argument(&member.value, schema, &member.key);
            members.push((member.key.clone(), typed.arg));
        }
        let needs_goal = inputs.as_ref().is_some_and(|inputs| {
            inputs["required"].as_array().is_some_and(|required| !required.is_empty())
        });
        if needs_goal && with.get("goal").is_none() {
            let message = format!("`{}` needs a goal", call.name.value);
            let hint = "add `with: { goal: { … } }`; see `inputs` of that method";
            self.error(codes::MISSING_ARGUMENT, &call.name.at, message, hint);
        }
        Arg::Object(members)
    }
}
