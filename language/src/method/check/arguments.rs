//! Checks arguments against a verb's JSON Schema. Expressions are checked by their static type.
//!
//! The checker walks the structure of the schema itself,
//! so that each finding has its own position and hint.
//! Arguments without expressions are also checked by a JSON Schema validator.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::base::Value;
use crate::contract::{Contract, XType};
use crate::diagnostic::{codes, did_you_mean};
use crate::expr::Type;
use crate::method::arg::{Arg, TextPart};
use crate::method::formula::{ExprText, Piece};
use crate::yaml::{YamlKind, YamlNode};

use super::Checker;
use super::literal::{self, described};

/// A compiled argument and the static type of its value.
pub(super) struct Typed {
    pub arg: Arg,
    pub ty: Type,
}

/// An argument that contains an expression. Only its static type is known.
struct ExprArgument<'n> {
    name: &'n str,
    at: Range<usize>,
    /// Whether the argument is a longer string in which the expression is embedded.
    mixed: bool,
}

impl Typed {
    fn literal(value: Value) -> Self {
        Self { ty: Type::of_value(&value), arg: Arg::Literal(value) }
    }

    fn unknown() -> Self {
        Self { arg: Arg::Literal(Value::Null), ty: Type::Any }
    }
}

impl Checker<'_, '_> {
    /// Checks and compiles the arguments of a call.
    pub(super) fn arguments(&mut self, contract: &Contract, node: &YamlNode) -> Typed {
        let before = self.found.seen();
        let typed = self.argument(node, contract.input.value(), &contract.name);
        if self.found.seen() == before
            && let Arg::Literal(value) = &typed.arg
            && let Err(faults) = contract.input.check(value)
        {
            let message = format!("the arguments of `{}` are wrong: {faults}", contract.name);
            self.error(codes::BAD_ARGUMENT, &node.at, message, "see the verb's contract");
        }
        typed
    }

    pub(super) fn argument(&mut self, node: &YamlNode, schema: &Value, name: &str) -> Typed {
        let Some(schema) = literal::alternative(schema, node) else {
            self.wrong_type(node, schema, name);
            return Typed::unknown();
        };
        match &node.kind {
            YamlKind::Map(_) => self.object(node, schema, name),
            YamlKind::List(items) => self.list(node, items, schema, name),
            YamlKind::Text(_) if schema["x-expression"] == Value::Bool(true) => {
                self.bare_expression(node, schema, name)
            }
            YamlKind::Text(_) => self.text(node, schema, name),
            _ => self.literal(node, schema, name),
        }
    }

    fn object(&mut self, node: &YamlNode, schema: &Value, name: &str) -> Typed {
        if !literal::admits(schema, node) {
            self.wrong_type(node, schema, name);
            return Typed::unknown();
        }
        let known = schema["properties"].as_object();
        let closed = schema["additionalProperties"] == Value::Bool(false);
        let mut members = Vec::new();
        let mut types = BTreeMap::new();
        for member in node.members() {
            let inner = known.and_then(|known| known.get(&member.key));
            if inner.is_none() && closed {
                let names = known.into_iter().flat_map(|known| known.keys()).map(String::as_str);
                let hint = did_you_mean(&member.key, names.clone()).unwrap_or_else(|| {
                    format!("it takes {}", names.collect::<Vec<_>>().join(", "))
                });
                let message = format!("`{name}` takes no `{}`", member.key);
                self.error(codes::UNKNOWN_ARGUMENT, &member.key_at, message, hint);
                continue;
            }
            let rest = schema.get("additionalProperties").unwrap_or(&Value::Null);
            let typed = self.argument(&member.value, inner.unwrap_or(rest), &member.key);
            types.insert(member.key.clone(), typed.ty);
            members.push((member.key.clone(), typed.arg));
        }
        for required in
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str)
        {
            if node.get(required).is_none() {
                let message = format!("`{name}` needs `{required}`");
                let hint = literal::hint_for(known.and_then(|known| known.get(required)), required);
                self.error(codes::MISSING_ARGUMENT, &node.at, message, hint);
            }
        }
        if let Some(least) = schema["minProperties"].as_u64()
            && (node.members().len() as u64) < least
        {
            let message = format!("`{name}` is empty");
            let hint = format!("give at least {least} of its members");
            self.error(codes::BAD_ARGUMENT, &node.at, message, hint);
        }
        if XType::of(schema) == Some(XType::Start) {
            self.later_start(node, schema, &members);
        }
        let ty = Type::Object { members: types, open: false };
        Typed { arg: folded_object(members), ty }
    }

    fn list(&mut self, node: &YamlNode, items: &[YamlNode], schema: &Value, name: &str) -> Typed {
        if !literal::admits(schema, node) {
            self.wrong_type(node, schema, name);
            return Typed::unknown();
        }
        let len = items.len() as u64;
        let (least, most) = (schema["minItems"].as_u64(), schema["maxItems"].as_u64());
        if least.is_some_and(|least| len < least) || most.is_some_and(|most| len > most) {
            let message = format!("`{name}` has {len} items");
            let hint = format!("it takes {}", literal::range(least, most));
            self.error(codes::BAD_ARGUMENT, &node.at, message, hint);
        }
        let item_schema = &schema["items"];
        let typed: Vec<Typed> =
            items.iter().map(|item| self.argument(item, item_schema, name)).collect();
        let item = typed.iter().map(|typed| typed.ty.clone()).reduce(Type::or).unwrap_or(Type::Any);
        let args = typed.into_iter().map(|typed| typed.arg).collect();
        Typed { arg: folded_list(args), ty: Type::list(item) }
    }

    /// Checks and compiles an argument that is an expression without braces.
    fn bare_expression(&mut self, node: &YamlNode, schema: &Value, name: &str) -> Typed {
        let Some(text) = ExprText::of(self.source, node) else { return Typed::unknown() };
        match text.formula() {
            Ok(formula) => {
                let ty = self.formula(&formula);
                self.expect(&ty, schema, &ExprArgument { name, at: formula.at(), mixed: false });
                Typed { arg: Arg::Expr(formula.expr), ty }
            }
            Err(findings) => {
                self.found.extend(findings);
                Typed::unknown()
            }
        }
    }

    fn text(&mut self, node: &YamlNode, schema: &Value, name: &str) -> Typed {
        let Some(text) = ExprText::of(self.source, node) else { return Typed::unknown() };
        let pieces = match text.pieces() {
            Ok(pieces) => pieces,
            Err(findings) => {
                self.found.extend(findings);
                return Typed::unknown();
            }
        };
        if pieces.iter().all(|piece| matches!(piece, Piece::Literal(_))) {
            return self.literal(node, schema, name);
        }
        let pieces = match <[Piece; 1]>::try_from(pieces) {
            Ok([Piece::LocatedExpr(formula)]) => {
                let ty = self.formula(&formula);
                self.expect(&ty, schema, &ExprArgument { name, at: formula.at(), mixed: false });
                return Typed { arg: Arg::Expr(formula.expr), ty };
            }
            Ok(alone) => Vec::from(alone),
            Err(pieces) => pieces,
        };
        self.expect(&Type::Text, schema, &ExprArgument { name, at: node.at.clone(), mixed: true });
        let mut parts = Vec::with_capacity(pieces.len());
        for piece in pieces {
            parts.push(match piece {
                Piece::Literal(literal) => TextPart::Literal(literal),
                Piece::LocatedExpr(formula) => {
                    self.formula(&formula);
                    TextPart::Expr(formula.expr)
                }
            });
        }
        Typed { arg: Arg::Text(parts), ty: Type::Text }
    }

    fn literal(&mut self, node: &YamlNode, schema: &Value, name: &str) -> Typed {
        if !literal::admits(schema, node) {
            self.wrong_type(node, schema, name);
            return Typed::unknown();
        }
        let value = node.to_value();
        if !literal::accepts(schema, &Type::of_value(&value)) {
            self.wrong_type(node, schema, name);
            return Typed::unknown();
        }
        if let Some(fault) = literal::fault(schema, &value) {
            let message = format!("`{name}` {}", fault.what);
            self.error(codes::BAD_ARGUMENT, &node.at, message, fault.hint);
        }
        if XType::of(schema) == Some(XType::Template)
            && let Some(template) = value.as_str()
        {
            self.known_template(template, &node.at);
        }
        Typed::literal(value)
    }

    /// Checks the static type of an expression against the schema of the argument.
    fn expect(&mut self, ty: &Type, schema: &Value, hole: &ExprArgument<'_>) {
        if literal::accepts(schema, ty) {
            return;
        }
        let message = format!("`{}` takes {}, but this is {ty}", hole.name, described(schema));
        let hint = match (ty, Type::of_schema(schema)) {
            (Type::Text, Type::Number | Type::List(_) | Type::Object { .. }) if hole.mixed => {
                "remove the text around `{{…}}`: it turns the value into a text"
            }
            (Type::List(_), Type::Person | Type::Text) => {
                "use `foreach` to execute the step for each item of the list"
            }
            (_, Type::List(_)) => "put it in a list: `[\"{{…}}\"]`",
            _ => "use an expression of that type",
        };
        self.error(codes::BAD_ARGUMENT, &hole.at, message, hint);
    }

    fn wrong_type(&mut self, node: &YamlNode, schema: &Value, name: &str) {
        if matches!(node.kind, YamlKind::Number(_)) && self.source.slice(&node.at).starts_with('+')
        {
            return; // Already reported as a phone number without quotes.
        }
        let message =
            format!("`{name}` takes {}, but this is {}", described(schema), node.describe());
        let hint = match node.kind {
            YamlKind::Number(_) if XType::of(schema) == Some(XType::Duration) => {
                "write a number with a unit, such as `30s` or `6h`".to_owned()
            }
            YamlKind::Number(_) | YamlKind::Bool(_)
                if XType::of(schema) != Some(XType::Offers) && literal::takes(schema, "string") =>
            {
                "put it in quotes".to_owned()
            }
            YamlKind::Text(_) if literal::takes(schema, "integer") => {
                "write it without quotes".to_owned()
            }
            YamlKind::Text(_) if literal::takes(schema, "array") => "put it in `[…]`".to_owned(),
            _ => literal::hint_for(Some(schema), name),
        };
        self.error(codes::BAD_ARGUMENT, &node.at, message, hint);
    }
}

/// Compiles a list; a list without expressions becomes one literal.
fn folded_list(args: Vec<Arg>) -> Arg {
    let values: Option<Vec<Value>> = args.iter().map(as_literal).collect();
    values.map_or(Arg::List(args), |values| Arg::Literal(Value::Array(values)))
}

/// Compiles a mapping; a mapping without expressions becomes one literal.
fn folded_object(members: Vec<(String, Arg)>) -> Arg {
    let values: Option<serde_json::Map<_, _>> =
        members.iter().map(|(name, arg)| Some((name.clone(), as_literal(arg)?))).collect();
    values.map_or(Arg::Object(members), |values| Arg::Literal(Value::Object(values)))
}

/// Returns the value of a literal argument; `None` for an argument with expressions.
pub(super) fn as_literal(arg: &Arg) -> Option<Value> {
    match arg {
        Arg::Literal(value) => Some(value.clone()),
        _ => None,
    }
}
