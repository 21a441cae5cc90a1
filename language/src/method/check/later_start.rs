//! A run that a verb will start later: there is a method of that name, and the goal is one that it takes.
//!
//! What is found here warns and refuses nothing: the run begins with the method as it is by then, which may
//! be published or changed until that time, and the verb looks again when it is called.

use super::Checker;
use super::arguments::as_literal;
use crate::base::Value;
use crate::contract::Schema;
use crate::diagnostic::{Diagnostic, Findings, Severity, codes, did_you_mean};
use crate::method::arg::Arg;
use crate::yaml::{Kind, Node};

const METHOD: &str = "method";
const GOAL: &str = "goal";

/// The findings that say that a value does not fit the schema of its place.
const UNFIT: [&str; 3] = [codes::MISSING_ARGUMENT, codes::UNKNOWN_ARGUMENT, codes::BAD_ARGUMENT];

impl Checker<'_, '_> {
    /// Looks at a mapping whose schema says that it may be a start. It is one where it has a method, a
    /// goal, and nothing besides that the schema does not name.
    pub(super) fn later_start(&mut self, node: &Node, schema: &Value, args: &[(String, Arg)]) {
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
        let world = self.world;
        match world.methods.get(&method) {
            Some(head) => {
                if let Some(inputs) = &head.inputs {
                    self.goal_of_later((goal, literal(GOAL)), inputs, &method);
                }
            }
            None if method == self.name => {}
            None => {
                let hint = did_you_mean(&method, world.methods.keys().map(String::as_str))
                    .unwrap_or_else(|| "it must be there before this step is done".into());
                let message = format!("there is no method `{method}` to start");
                self.warning(codes::UNKNOWN_METHOD_TO_START, &at.at, message, hint);
            }
        }
    }

    /// Holds a goal against the method's `inputs`, as far as it stands in the file.
    fn goal_of_later(
        &mut self,
        (node, goal): (&Node, Option<Value>),
        inputs: &Value,
        method: &str,
    ) {
        if !matches!(node.kind, Kind::Map(_)) {
            return;
        }
        // What is wrong with the expressions in it was found already, when it was read as an argument.
        let before = std::mem::replace(&mut self.found, Findings::of(self.source));
        self.argument(node, inputs, GOAL);
        let found = std::mem::replace(&mut self.found, before).sorted();
        let mut unfit: Vec<Diagnostic> =
            found.into_iter().filter(|finding| UNFIT.contains(&finding.code)).collect();
        if unfit.is_empty()
            && let (Some(goal), Ok(schema)) = (goal, Schema::compile(inputs.clone()))
            && let Err(faults) = schema.check(&goal)
        {
            let message = format!("the goal is wrong: {faults}");
            unfit.push(self.source.finding(Severity::Warning, UNFIT[0], &node.at, message));
        }
        self.found.extend(unfit.into_iter().map(|finding| Diagnostic {
            severity: Severity::Warning,
            code: codes::GOAL_TO_START_UNFIT,
            message: format!("`{method}` could not start with this: {}", finding.message),
            hint: finding.hint.or_else(|| Some(format!("see `inputs` of `{method}`"))),
            ..finding
        }));
    }
}
