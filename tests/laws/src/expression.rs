//! Checks the laws of expressions. A source is parsed to a tree; the tree is
//! checked against types, evaluated to a value, and printed as source again.

use std::collections::BTreeMap;

use abide_engine::base::{Timestamp, Value, limits};
use abide_engine::expr::{
    self, EvalError, Expr, FactCall, Lookup, Need, Range, Scope, Type, TypeScope,
};
use serde_json::json;

pub(crate) fn hold(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match expr::parse(text) {
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason");
            for error in errors {
                inside(text, error.at);
                assert!(!error.message.is_empty() && !expr::excerpt(text, error.at).is_empty());
            }
        }
        Ok(parsed) => {
            assert!(text.len() <= limits::EXPR_BYTES_MAX, "{} bytes", text.len());
            prints(&parsed);
            is_checked(text, &parsed);
            is_evaluated(text, &parsed);
        }
    }
}

/// Checks that a range is inside the source and at character boundaries.
fn inside(text: &str, at: Range) {
    let (start, end) = (at.start as usize, at.end as usize);
    assert!(text.get(start..end).is_some(), "{start}..{end} of {} bytes", text.len());
}

/// Checks that a tree stays the same when it is printed and parsed, and when it is stored and loaded.
fn prints(parsed: &Expr) {
    let printed = expr::print(parsed);
    let back = expr::parse(&printed);
    // The printed source may exceed the length limit of expressions. Only such a source may fail to parse.
    if printed.len() <= limits::EXPR_BYTES_MAX {
        let back = back.unwrap_or_else(|errors| panic!("`{printed}` does not parse: {errors:?}"));
        assert_eq!(&back, parsed, "`{printed}`");
        assert_eq!(expr::print(&back), printed, "printed twice");
    }
    let stored = serde_json::to_string(parsed).expect("a tree serialises");
    let back: Expr = serde_json::from_str(&stored).expect("a stored tree deserialises");
    assert_eq!(&back, parsed, "{stored}");
}

/// A scope in which every variable exists, with an unknown type.
struct Anything;

impl TypeScope for Anything {
    fn variable(&self, _: &str) -> Option<Type> {
        Some(Type::Any)
    }
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A scope in which no variable exists. It lists two names nevertheless, so that the hint for an unknown
/// name can suggest one.
struct Nothing;

impl TypeScope for Nothing {
    fn variable(&self, _: &str) -> Option<Type> {
        None
    }
    fn names(&self) -> Vec<String> {
        vec!["goal".to_owned(), "candidates".to_owned()]
    }
}

fn is_checked(text: &str, parsed: &Expr) {
    let scopes: [&dyn TypeScope; 2] = [&Anything, &Nothing];
    for scope in scopes {
        let (mut found, mut again) = (Vec::new(), Vec::new());
        expr::check(parsed, scope, &mut found);
        expr::check(parsed, scope, &mut again);
        assert_eq!(found, again, "checked twice");
        for finding in &found {
            inside(text, finding.at);
        }
        expr::check_condition(parsed, scope, &mut again);
    }
}

/// A scope that gets a variable or a fact only after an evaluation
/// has reported that it needs the variable or the fact.
#[derive(Default)]
struct World {
    variables: BTreeMap<String, Value>,
    facts: BTreeMap<FactCall, Value>,
}

impl World {
    /// Supplies the variable or fact that the evaluation asks for.
    ///
    /// # Panics
    /// Panics if the evaluation asks for the same variable or fact a second time.
    fn bring(&mut self, need: Need) {
        match need {
            Need::Variable(name) => {
                let value = brought(&name);
                assert!(self.variables.insert(name, value).is_none(), "asked for twice");
            }
            Need::Fact(call) => {
                let fact = json!(["per_1", "per_2"]);
                assert!(self.facts.insert(call, fact).is_none(), "asked for twice");
            }
        }
    }
}

/// Returns the value of a variable.
/// The type of the value depends on the letters of the name, so that every type occurs.
fn brought(name: &str) -> Value {
    let person = json!({"name": "Ana", "age": 31, "tags": ["ä", ""], "none": null});
    match name.bytes().fold(0_u8, u8::wrapping_add) % 8 {
        0 => json!([person, {"name": "Ben"}, 3, null]),
        1 => json!(i64::MAX),
        2 => json!(-0.5),
        3 => json!("2025-10-05T09:00:00-05:00"),
        4 => json!(["A", "B", "A"]),
        5 => json!("24h"),
        6 => json!(true),
        _ => person,
    }
}

impl Scope for World {
    fn variable(&self, name: &str) -> Lookup<'_> {
        self.variables.get(name).map_or(Lookup::NotLoaded, Lookup::Found)
    }
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(1_759_270_800_000_000)
    }
    fn fact(&self, call: &FactCall) -> Option<&Value> {
        self.facts.get(call)
    }
}

fn is_evaluated(text: &str, parsed: &Expr) {
    let mut world = World::default();
    // The evaluation may ask for each variable and fact only once, so the loop terminates.
    for _ in 0..=limits::EXPR_BYTES_MAX {
        let value = expr::eval(parsed, &world);
        assert_eq!(expr::eval(parsed, &world), value, "evaluated twice");
        match value {
            Err(EvalError::Need(need)) => world.bring(need),
            Err(EvalError::Fault(fault)) => {
                inside(text, fault.at);
                assert!(!fault.message.is_empty());
                break;
            }
            Ok(_) => break,
        }
    }
    let known = expr::variables(parsed);
    assert!(world.variables.keys().all(|name| known.contains(name)), "{known:?}");
    assert!(expr::facts(parsed) || world.facts.is_empty());
    assert!(world.facts.len() <= limits::EXPR_FACTS_MAX, "{} facts", world.facts.len());
    if let (Ok(holds), Ok(value)) = (expr::holds(parsed, &world), expr::eval(parsed, &world)) {
        assert!(value == Value::Bool(holds) || (value.is_null() && !holds), "{holds}, yet {value}");
    }
}
