//! Evaluates conditions: expressions of a method that are true, false or unset.

use super::scope::{StepError, StepScope};
use crate::base::{Problem, Value};
use crate::expr::{self, Expr};

/// Whether a condition of the method holds. Returns true if there is no condition (`None`). A condition
/// that evaluates to unset does not hold. `place` names the step or setting that has the condition, for the
/// error message.
pub(super) fn holds(
    condition: Option<&Expr>,
    scope: &StepScope,
    place: &str,
) -> Result<bool, StepError> {
    let Some(condition) = condition else { return Ok(true) };
    let value = expr::eval(condition, scope)
        .map_err(|e| StepError::from_eval(e, &format!("condition of `{place}`")))?;
    match value {
        Value::Bool(holds) => Ok(holds),
        Value::Null => Ok(false),
        other => Err(StepError::Failed(Problem::author(
            "not_a_condition",
            format!("condition of `{place}` must be true or false, but is {}", kind_of(&other)),
        ))),
    }
}

pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
