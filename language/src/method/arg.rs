//! Arguments as they are compiled: values with typed holes, filled when a step is done.

use serde::{Deserialize, Serialize};

use crate::base::Value;
use crate::expr::{self, EvalError, Expr, Scope};

/// An argument: a value with typed holes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arg {
    /// As it stands.
    Literal(Value),
    /// `{{expr}}` alone, or a bare expression where the schema says so: the typed value.
    Expr(Expr),
    /// Text with expressions in it: a string.
    Text(Vec<TextPart>),
    /// A list with holes somewhere in it.
    List(Vec<Arg>),
    /// A mapping with holes somewhere in it, in the author's order.
    Object(Vec<(String, Arg)>),
}

/// A piece of text with expressions in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextPart {
    /// As it stands.
    Literal(String),
    /// Its value as text.
    Expr(Expr),
}

impl Arg {
    /// The value with every hole filled.
    ///
    /// # Errors
    /// [`EvalError::Need`] names what must be loaded before it is asked again;
    /// [`EvalError::Fault`] is the author's.
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

    /// Calls `visit` with every expression in it.
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
