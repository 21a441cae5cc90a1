//! The stored form of an expression: nested JSON arrays, with one level of JSON per level of the tree.
//!
//! | form | expression |
//! | --- | --- |
//! | `["lit", start, end, value]` | a literal |
//! | `["dur", start, end, micros]` | a duration |
//! | `["path", start, end, name, …]` | a variable and members inside it |
//! | `["index", start, end, base, key]` | an item or a member |
//! | `["list", start, end, item, …]` | a list |
//! | `["call", start, end, name, receiver or null, n, arg × n, name, value, …]` | a function call |
//! | `["not", start, end, operand]`, `["neg", …]` | a unary operator |
//! | `["+", start, end, left, right]` and so on | a binary operator |
//!
//! JSON readers limit nesting, and objects would need two levels of JSON per level of the tree.
//! With arrays, an expression of the maximum depth can still be read back as part of a method's graph.

use std::fmt;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::{Span, Value};

use super::ast::{BinaryOp, Expr, ExprKind, Range, UnaryOp};

impl Serialize for Expr {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut form = serializer.serialize_seq(None)?;
        form.serialize_element(self.head())?;
        form.serialize_element(&self.at.start)?;
        form.serialize_element(&self.at.end)?;
        match &self.kind {
            ExprKind::Literal(value) => form.serialize_element(value)?,
            ExprKind::Duration(span) => form.serialize_element(span)?,
            ExprKind::Path(names) => each(&mut form, names)?,
            ExprKind::List(items) => each(&mut form, items)?,
            ExprKind::Unary(_, operand) => form.serialize_element(operand)?,
            ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) => {
                each(&mut form, [left, right])?;
            }
            ExprKind::Call { name, receiver, args, named } => {
                form.serialize_element(name)?;
                form.serialize_element(receiver)?;
                form.serialize_element(&args.len())?;
                each(&mut form, args)?;
                for (name, value) in named {
                    form.serialize_element(name)?;
                    form.serialize_element(value)?;
                }
            }
        }
        form.end()
    }
}

fn each<S: SerializeSeq, T: Serialize>(
    form: &mut S,
    items: impl IntoIterator<Item = T>,
) -> Result<(), S::Error> {
    items.into_iter().try_for_each(|item| form.serialize_element(&item))
}

impl Expr {
    fn head(&self) -> &'static str {
        match &self.kind {
            ExprKind::Literal(_) => "lit",
            ExprKind::Duration(_) => "dur",
            ExprKind::Path(_) => "path",
            ExprKind::Index(..) => "index",
            ExprKind::List(_) => "list",
            ExprKind::Call { .. } => "call",
            ExprKind::Unary(UnaryOp::Not, _) => "not",
            ExprKind::Unary(UnaryOp::Negate, _) => "neg",
            ExprKind::Binary(op, ..) => op.symbol(),
        }
    }
}

impl<'de> Deserialize<'de> for Expr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Form)
    }
}

struct Form;

impl<'de> Visitor<'de> for Form {
    type Value = Expr;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an expression such as `[\"path\", 0, 3, \"now\"]`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut form: A) -> Result<Expr, A::Error> {
        let head: String = next(&mut form)?;
        let at = Range { start: next(&mut form)?, end: next(&mut form)? };
        let kind = match head.as_str() {
            "lit" => literal(next(&mut form)?)?,
            "dur" => ExprKind::Duration(next::<Span, _>(&mut form)?),
            "path" => path(rest(&mut form)?)?,
            "index" => ExprKind::Index(next(&mut form)?, next(&mut form)?),
            "list" => ExprKind::List(rest(&mut form)?),
            "not" => ExprKind::Unary(UnaryOp::Not, next(&mut form)?),
            "neg" => ExprKind::Unary(UnaryOp::Negate, next(&mut form)?),
            "call" => call(&mut form)?,
            symbol => {
                let op = BinaryOp::ALL.into_iter().find(|op| op.symbol() == symbol);
                let op = op.ok_or_else(|| A::Error::custom(format!("unknown form `{symbol}`")))?;
                ExprKind::Binary(op, next(&mut form)?, next(&mut form)?)
            }
        };
        Ok(Expr { kind, at })
    }
}

fn literal<E: serde::de::Error>(value: Value) -> Result<ExprKind, E> {
    if value.is_array() || value.is_object() {
        return Err(E::custom("a literal is a number, a text, `true`, `false` or `null`"));
    }
    Ok(ExprKind::Literal(value))
}

fn path<E: serde::de::Error>(names: Vec<String>) -> Result<ExprKind, E> {
    if names.is_empty() {
        return Err(E::custom("a path needs at least one name"));
    }
    Ok(ExprKind::Path(names))
}

fn call<'de, A: SeqAccess<'de>>(form: &mut A) -> Result<ExprKind, A::Error> {
    let name = next(form)?;
    let receiver = next(form)?;
    let count: usize = next(form)?;
    let mut args = Vec::new();
    for _ in 0..count {
        args.push(next(form)?);
    }
    let mut named = Vec::new();
    while let Some(name) = form.next_element()? {
        named.push((name, next(form)?));
    }
    Ok(ExprKind::Call { name, receiver, args, named })
}

fn next<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(form: &mut A) -> Result<T, A::Error> {
    form.next_element()?.ok_or_else(|| A::Error::custom("incomplete expression"))
}

fn rest<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(form: &mut A) -> Result<Vec<T>, A::Error> {
    let mut items = Vec::new();
    while let Some(item) = form.next_element()? {
        items.push(item);
    }
    Ok(items)
}
