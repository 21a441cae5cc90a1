//! Prints the tree of an expression as source, with the fewest parentheses.

use std::fmt::Write as _;

use crate::base::{Span, Value};

use super::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use super::parser::{COMPARISON, NEGATE, NOT, POSTFIX, binding};

/// Returns the source of an expression. Parsing this source gives the same tree.
#[must_use]
pub fn print(expr: &Expr) -> String {
    let mut out = String::new();
    write(&mut out, expr, 0);
    out
}

/// Returns the binding strength of the outermost operator of an expression.
fn strength(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Binary(op, ..) => binding(*op),
        ExprKind::Unary(UnaryOp::Not, _) => NOT,
        ExprKind::Unary(UnaryOp::Negate, _) => NEGATE,
        _ => POSTFIX,
    }
}

/// Writes an expression, in parentheses if its binding strength is lower than `least`.
fn write(out: &mut String, expr: &Expr, least: u8) {
    let loose = strength(expr) < least;
    out.push_str(if loose { "(" } else { "" });
    match &expr.kind {
        ExprKind::Literal(value) => literal(out, value),
        ExprKind::Duration(span) => duration(out, *span),
        ExprKind::Path(path) => out.push_str(&path.join(".")),
        ExprKind::Index(base, key) => index(out, base, key),
        ExprKind::List(items) => {
            out.push('[');
            commas(out, items.iter().map(|item| (None, item)));
            out.push(']');
        }
        ExprKind::Unary(UnaryOp::Not, operand) => {
            out.push_str("not ");
            write(out, operand, NOT);
        }
        ExprKind::Unary(UnaryOp::Negate, operand) => {
            out.push('-');
            write(out, operand, POSTFIX);
        }
        ExprKind::Binary(op, left, right) => binary(out, *op, left, right),
        ExprKind::Call { name, receiver, args, named } => {
            if let Some(receiver) = receiver {
                write(out, receiver, POSTFIX);
                out.push('.');
            }
            let _ = write!(out, "{name}(");
            let plain = args.iter().map(|value| (None, value));
            commas(out, plain.chain(named.iter().map(|(name, value)| (Some(name), value))));
            out.push(')');
        }
    }
    out.push_str(if loose { ")" } else { "" });
}

fn binary(out: &mut String, op: BinaryOp, left: &Expr, right: &Expr) {
    let binds = binding(op);
    // All operators are left-associative, so a left operand that binds as strongly as this operator needs
    // no parentheses. Comparisons are the exception: they cannot be chained.
    write(out, left, if binds == COMPARISON { binds + 1 } else { binds });
    let _ = write!(out, " {} ", op.symbol());
    write(out, right, binds + 1);
}

/// Writes `base.name` or `base[key]`.
/// If `base` is a path, the name keeps its brackets, because `.name` would extend the path.
fn index(out: &mut String, base: &Expr, key: &Expr) {
    write(out, base, POSTFIX);
    match &key.kind {
        ExprKind::Literal(Value::String(name))
            if is_name(name) && !matches!(base.kind, ExprKind::Path(_)) =>
        {
            let _ = write!(out, ".{name}");
        }
        _ => {
            out.push('[');
            write(out, key, 0);
            out.push(']');
        }
    }
}

fn commas<'e>(out: &mut String, items: impl Iterator<Item = (Option<&'e String>, &'e Expr)>) {
    for (position, (name, value)) in items.enumerate() {
        out.push_str(if position > 0 { ", " } else { "" });
        if let Some(name) = name {
            let _ = write!(out, "{name}=");
        }
        write(out, value, 0);
    }
}

fn literal(out: &mut String, value: &Value) {
    match value {
        Value::String(text) => quote(out, text),
        // `{:?}` of a float gives the shortest string that parses to the same number.
        Value::Number(number) if number.is_f64() => {
            let _ = write!(out, "{:?}", number.as_f64().unwrap_or_default());
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

/// Writes a duration in the form that people prefer: `24h` and `14days`, not `1day` and `2weeks`.
fn duration(out: &mut String, span: Span) {
    const HOUR: i64 = Span::from_secs(3_600).micros();
    let micros = span.micros();
    let _ = match (micros / HOUR, micros % HOUR) {
        (hours @ 1..48, 0) => write!(out, "{hours}h"),
        (hours @ 48.., 0) if hours % 24 == 0 => write!(out, "{}days", hours / 24),
        _ => write!(out, "{}", span.to_string().replace(' ', "")),
    };
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Whether a string can be written as a member name after a dot, without brackets.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
