//! The tools that only compute.

use abide_agent::obligations::letters::{CountQuestion, count};
use abide_agent::obligations::math::{MathQuestion, evaluate};
use abide_engine::base::{Problem, Value};
use abide_engine::verb::{CallContext, PureVerb, VerbOutcome};
use serde_json::json;

use super::{assertion, looked_up, read};

/// Computes an arithmetic expression.
pub(super) struct EvalMath;

impl PureVerb for EvalMath {
    fn run(&self, _: &CallContext<'_>, args: &Value) -> Result<VerbOutcome, Problem> {
        let question: MathQuestion = read(args)?;
        let value = evaluate(&question.expr).map_err(|fault| {
            Problem::caller("not_computable", fault.to_string())
                .with_hint("write an expression of numbers, such as 2+2")
        })?;
        let value = value.to_string();
        let stands = assertion(&question.expr, "evaluatesTo", &value);
        Ok(looked_up(json!({ "value": value, "assertions": [stands] })))
    }
}

/// Counts a letter in a text.
pub(super) struct CountLetters;

impl PureVerb for CountLetters {
    fn run(&self, _: &CallContext<'_>, args: &Value) -> Result<VerbOutcome, Problem> {
        let question: CountQuestion = read(args)?;
        let value = count(&question).map_err(|fault| {
            Problem::caller("not_computable", fault.to_string())
                .with_hint("name one letter, and the text in which it is counted")
        })?;
        let value = value.to_string();
        let letter = question.letter.as_deref().unwrap_or("letters");
        let counted = format!("count of {letter} in {}", question.text);
        let stands = assertion(&counted, "evaluatesTo", &value);
        Ok(looked_up(json!({ "value": value, "assertions": [stands] })))
    }
}
