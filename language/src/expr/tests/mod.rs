//! Tests the expression language by examples: sources with their trees, values and faults.

mod faults;
mod laws;
mod syntax;
mod types;
mod values;

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::base::{Timestamp, Value};

/// A scope with variables by name and with loaded query results. The time of the scope is fixed.
#[derive(Default)]
struct World {
    variables: BTreeMap<String, Value>,
    facts: BTreeMap<FactCall, Value>,
}

impl World {
    /// Returns a scope with the variables of a sample run that is half done.
    fn of_the_seed() -> Self {
        let goal = json!({
            "kind": "FillRole", "role": "nursery", "count": 5, "time": "2025-10-05T09:00:00-05:00",
            "targets": { "nursery": 4, "children": 3 },
        });
        let variables = [
            ("goal", goal),
            ("req", json!({ "id": "req_1", "version": 3, "service_time": "2025-10-05T14:00:00Z" })),
            ("ctx", json!({ "campus": "north", "time_zone": "America/Chicago" })),
            ("candidates", json!(["A", "B", "C", "D", "E"])),
            ("accepted", json!(["B", "D"])),
            ("offers", json!({ "request": "req_1", "role": "nursery", "wave": 0, "count": 12 })),
            (
                "people",
                json!([{ "name": "Ana", "age": 31 }, { "name": "Ben", "age": 9 }, { "name": "Cy" }]),
            ),
            ("timeout", json!(true)),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value)).into();
        Self { variables, facts: BTreeMap::new() }
    }

    fn with(mut self, name: &str, value: Value) -> Self {
        self.variables.insert(name.to_owned(), value);
        self
    }
}

impl Scope for World {
    fn variable(&self, name: &str) -> Lookup<'_> {
        match self.variables.get(name) {
            Some(value) => Lookup::Found(value),
            None if name.starts_with("absent") => Lookup::NotLoaded,
            None => Lookup::Unset,
        }
    }
    fn now(&self) -> Timestamp {
        "2025-09-30T14:20:00Z".parse().expect("an instant")
    }
    fn fact(&self, call: &FactCall) -> Option<&Value> {
        self.facts.get(call)
    }
}

#[track_caller]
fn parsed(text: &str) -> Expr {
    parse(text).unwrap_or_else(|errors| panic!("`{text}` does not parse: {errors:?}"))
}

/// Returns the message and the hint below the source, which has carets under the range `at`.
fn shown(text: &str, at: Range, message: &str, hint: Option<&str>) -> String {
    let hint = hint.map_or(String::new(), |hint| format!("\nhint: {hint}"));
    format!("{}\n{message}{hint}", excerpt(text, at))
}
