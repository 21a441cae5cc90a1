//! Compiled arguments: values that may contain expressions, evaluated when the step is executed.

use serde::{Deserialize, Serialize};

use crate::base::Value;
use crate::expr::{self, EvalError, Expr, Scope};

/// An argument: a value that may contain expressions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arg {
    /// A constant value.
    Literal(Value),
    /// One expression, whose value keeps its type: `{{expr}}` without other
    /// characters, or an expression without braces if the schema allows it.
    Expr(Expr),
    /// A string with embedded expressions. Its value is a string.
    Text(Vec<TextPart>),
    /// A list that contains expressions.
    List(Vec<Arg>),
    /// A mapping that contains expressions, in the author's order.
    Object(Vec<(String, Arg)>),
}

/// A part of a string with embedded expressions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextPart {
    /// A constant part of the string.
    Literal(String),
    /// An expression, whose value is converted to a string; null becomes an empty string.
    Expr(Expr),
}

impl Arg {
    /// Evaluates all expressions and returns the resulting value.
    ///
    /// # Errors
    /// [`EvalError::Need`] names data that must be loaded before the evaluation is tried again;
    /// [`EvalError::Fault`] is an error in the method.
    pub fn evaluate(&self, scope: &dyn Scope) -> Result<Value, EvalError> {
        match self {
            Self::Literal(value) => Ok(value.clone()),
            Self::Expr(expr) => expr::eval(expr, scope),
            Self::Text(parts) => text_of(parts, scope).map(Value::String),
            Self::List(items) => items
                .iter()
                .map(|item| item.evaluate(scope))
                .collect::<Result<_, _>>()
                .map(Value::Array),
            Self::Object(members) => members
                .iter()
                .map(|(name, arg)| Ok((name.clone(), arg.evaluate(scope)?)))
                .collect::<Result<_, _>>()
                .map(Value::Object),
        }
    }

    /// Returns the argument as far as its values are known: an expression that cannot be evaluated yet is shown as its
    /// source in braces, such as `{{quote.quote_id}}`.
    #[must_use]
    pub fn known(&self, scope: &dyn Scope) -> Value {
        match self {
            Self::Expr(expr) => expr::eval(expr, scope)
                .unwrap_or_else(|_| Value::String(format!("{{{{{}}}}}", expr::print(expr)))),
            Self::List(items) => items.iter().map(|item| item.known(scope)).collect(),
            Self::Object(members) => {
                let known = members.iter().map(|(name, arg)| (name.clone(), arg.known(scope)));
                Value::Object(known.collect())
            }
            Self::Literal(_) | Self::Text(_) => self.evaluate(scope).unwrap_or(Value::Null),
        }
    }

    /// Passes every expression in the argument to `visit`.
    pub fn each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Self::Literal(_) => {}
            Self::Expr(expr) => visit(expr),
            Self::Text(parts) => parts.iter().for_each(|part| {
                if let TextPart::Expr(expr) = part {
                    visit(expr);
                }
            }),
            Self::List(items) => items.iter().for_each(|item| item.each_expr(visit)),
            Self::Object(members) => members.iter().for_each(|(_, arg)| arg.each_expr(visit)),
        }
    }
}

fn text_of(parts: &[TextPart], scope: &dyn Scope) -> Result<String, EvalError> {
    let mut text = String::new();
    for part in parts {
        match part {
            TextPart::Literal(literal) => text.push_str(literal),
            TextPart::Expr(expr) => match expr::eval(expr, scope)? {
                Value::Null => {}
                Value::String(value) => text.push_str(&value),
                other => text.push_str(&other.to_string()),
            },
        }
    }
    Ok(text)
}
