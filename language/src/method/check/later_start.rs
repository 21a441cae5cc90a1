//! Checks runs that a verb starts later: whether the method exists and accepts the goal.
//!
//! The findings are only warnings, because the later run uses the version of
//! the method that is active when the run starts. Until then, the method may be
//! published or changed. A call of the verb checks the method again.

use super::Checker;
use super::arguments::as_literal;
use crate::base::Value;
use crate::contract::Schema;
use crate::diagnostic::{Diagnostic, Findings, Severity, codes, did_you_mean};
use crate::method::arg::Arg;
use crate::yaml::{YamlKind, YamlNode};

const METHOD: &str = "method";
const GOAL: &str = "goal";

/// Codes of the findings for a value that does not match its schema.
const UNFIT: [&str; 3] = [codes::MISSING_ARGUMENT, codes::UNKNOWN_ARGUMENT, codes::BAD_ARGUMENT];

impl Checker<'_, '_> {
    /// Checks a mapping that, according to its schema, may describe a run to start later.
    ///
    /// The mapping describes such a run if it has a method, a goal,
    /// and otherwise only members that the schema names.
    pub(super) fn later_start(&mut self, node: &YamlNode, schema: &Value, args: &[(String, Arg)]) {
        let named = |key: &str| schema["properties"].get(key).is_some();
        let foreign = |key: &str| key != METHOD && key != GOAL && !named(key);
        let (Some(at), Some(goal)) = (node.get(METHOD), node.get(GOAL)) else { return };
        if node.members().iter().any(|member| foreign(&member.key)) {
            return;
        }
        let literal = |name: &str| {
            args.iter().find(|(member, _)| member == name).and_then(|(_, arg)| as_literal(arg))
        };
        let Some(Value::String(method)) = literal(METHOD) else { return };
        let definitions = self.definitions;
        match definitions.methods.get(&method) {
            Some(signature) => {
                if let Some(inputs) = &signature.inputs {
                    self.goal_of_later(goal, literal(GOAL), inputs, &method);
                }
            }
            None if method == self.name => {}
            None => {
                let hint = did_you_mean(&method, definitions.methods.keys().map(String::as_str))
                    .unwrap_or_else(|| "publish it before this step is executed".into());
                let message = format!("there is no method `{method}` to start");
                self.warning(codes::UNKNOWN_METHOD_TO_START, &at.at, message, hint);
            }
        }
    }

    /// Checks a goal against the method's `inputs`, as far as the goal's values are known before the run.
    fn goal_of_later(
        &mut self,
        node: &YamlNode,
        goal: Option<Value>,
        inputs: &Value,
        method: &str,
    ) {
        if !matches!(node.kind, YamlKind::Map(_)) {
            return;
        }
        // Findings about expressions in the goal were already reported when the goal was compiled as an
        // argument, so the findings of this check are collected apart.
        let before = std::mem::replace(&mut self.found, Findings::of(self.source));
        self.argument(node, inputs, GOAL);
        let found = std::mem::replace(&mut self.found, before).sorted();
        let mut unfit: Vec<Diagnostic> =
            found.into_iter().filter(|finding| UNFIT.contains(&finding.code)).collect();
        if unfit.is_empty()
            && let (Some(goal), Ok(schema)) = (goal, Schema::compile(inputs.clone()))
            && let Err(faults) = schema.check(&goal)
        {
            let message = format!("the goal does not match `inputs`: {faults}");
            unfit.push(self.source.finding(Severity::Warning, UNFIT[0], &node.at, message));
        }
        self.found.extend(unfit.into_iter().map(|finding| Diagnostic {
            severity: Severity::Warning,
            code: codes::GOAL_TO_START_UNFIT,
            message: format!("`{method}` cannot start with this goal: {}", finding.message),
            hint: finding.hint.or_else(|| Some(format!("see `inputs` of `{method}`"))),
            ..finding
        }));
    }
}
