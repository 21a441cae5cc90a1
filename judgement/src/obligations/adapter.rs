//! ToolAdapters: how an obligation becomes the input of a tool that has other words, as data.

use std::collections::BTreeMap;

use abide_engine::base::{Problem, Value};
use abide_engine::contract::Contracts;
use serde::Deserialize;
use serde_json::Map;

/// Maximum number of items of a list that an adapter maps.
const ITEMS_MAX: usize = 50;
/// Maximum depth of a value that an adapter maps.
const DEPTH_MAX: usize = 8;

/// The adapters of a process, by the names of their tools.
#[derive(Debug, Clone, Default)]
pub struct ToolAdapters {
    by_tool: BTreeMap<String, Adapter>,
}

/// An adapter as written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Adapter {
    /// The tool whose input it writes.
    adapter_for: String,
    /// For each member of the obligation whose items have other words: the patterns, of which the first that fits counts.
    #[serde(default)]
    maps: BTreeMap<String, Vec<Mapping>>,
    /// The members of the obligation that have another name in the input.
    #[serde(default)]
    rename: BTreeMap<String, String>,
}

/// What one item becomes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mapping {
    from: Map<String, Value>,
    to: Map<String, Value>,
}

impl ToolAdapters {
    /// Reads adapters. Those of a home come last, and replace those of the program for the same tool.
    ///
    /// # Errors
    /// `adapter_invalid` with the file and the first fault.
    pub fn load(files: &BTreeMap<String, String>, contracts: &Contracts) -> Result<Self, Problem> {
        let mut by_tool = BTreeMap::new();
        for (file, text) in files {
            let invalid = |why: String| {
                Problem::author("adapter_invalid", format!("{file} is not an adapter: {why}"))
                    .with_hint("an adapter has `adapter_for`, and `maps` or `rename`")
            };
            let adapter: Adapter =
                serde_yaml::from_str(text).map_err(|error| invalid(error.to_string()))?;
            if contracts.get(&adapter.adapter_for).is_none() {
                return Err(invalid(format!("there is no tool `{}`", adapter.adapter_for)));
            }
            by_tool.insert(adapter.adapter_for.clone(), adapter);
        }
        Ok(Self { by_tool })
    }

    /// Returns the input of a tool for the payload of an obligation; `None` if the adapter of the tool cannot say
    /// something in the payload in the words of the tool.
    #[must_use]
    pub fn input(&self, tool: &str, payload: &Map<String, Value>) -> Option<Map<String, Value>> {
        let Some(adapter) = self.by_tool.get(tool) else { return Some(payload.clone()) };
        let mut input = Map::new();
        for (name, value) in payload {
            let mapped = match adapter.maps.get(name) {
                Some(mappings) => mapped(value, mappings, 0)?,
                None => value.clone(),
            };
            let name = adapter.rename.get(name).unwrap_or(name);
            input.insert(name.clone(), mapped);
        }
        Some(input)
    }
}

/// Maps an item, or the items of a list. `not` and `any` hold items themselves.
fn mapped(value: &Value, mappings: &[Mapping], depth: usize) -> Option<Value> {
    if depth > DEPTH_MAX {
        return None;
    }
    match value {
        Value::Array(items) if items.len() <= ITEMS_MAX => {
            let items = items.iter().map(|item| mapped(item, mappings, depth + 1));
            items.collect::<Option<Vec<Value>>>().map(Value::Array)
        }
        Value::Object(members) if members.len() == 1 => {
            let (name, inner) = members.iter().next()?;
            if name == "not" || name == "any" {
                let inner = mapped(inner, mappings, depth + 1)?;
                return Some(Value::Object(Map::from_iter([(name.clone(), inner)])));
            }
            mappings.iter().find_map(|mapping| fitted(members, mapping))
        }
        Value::Object(members) => mappings.iter().find_map(|mapping| fitted(members, mapping)),
        _ => None,
    }
}

/// Returns what an item becomes by a mapping; `None` if the mapping does not fit.
fn fitted(item: &Map<String, Value>, mapping: &Mapping) -> Option<Value> {
    if item.len() != mapping.from.len() {
        return None;
    }
    let mut bound: BTreeMap<&str, &Value> = BTreeMap::new();
    for (name, pattern) in &mapping.from {
        let value = item.get(name)?;
        match variable(pattern) {
            Some(variable) => drop(bound.insert(variable, value)),
            None if pattern == value => {}
            None => return None,
        }
    }
    let filled = |value: &Value| match variable(value) {
        Some(variable) => bound.get(variable).map(|value| (*value).clone()),
        None => Some(value.clone()),
    };
    let members = mapping.to.iter().map(|(name, value)| Some((name.clone(), filled(value)?)));
    members.collect::<Option<Map<String, Value>>>().map(Value::Object)
}

/// Returns the name of a variable: `X` of `<X>`.
fn variable(pattern: &Value) -> Option<&str> {
    pattern.as_str()?.strip_prefix('<')?.strip_suffix('>')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn filters_become_the_words_of_the_tool() {
        let text = include_str!("../../../contracts/adapters/people_sql.yaml");
        let (contracts, _) =
            Contracts::load(include_str!("../../../contracts/ask.yaml"), "ask.yaml");
        let files = BTreeMap::from([("people_sql.yaml".to_owned(), text.to_owned())]);
        let adapters = ToolAdapters::load(&files, &contracts).expect("adapters");
        let payload = json!({ "filters": [
            { "is_friend": "user" }, { "not": { "city": "Seattle" } }, { "any": [{ "role": "usher" }] },
        ] });
        let input = adapters.input("ask.people_sql", payload.as_object().expect("an object"));
        assert_eq!(
            Value::Object(input.expect("an input")),
            json!({ "filters": [
                { "relation": "friend" }, { "not": { "city": "Seattle" } }, { "any": [{ "role": "usher" }] },
            ] })
        );
        let odd = json!({ "filters": [{ "age": 4 }] });
        assert_eq!(adapters.input("ask.people_sql", odd.as_object().expect("an object")), None);
        let other = json!({ "expr": "1" });
        assert!(adapters.input("ask.eval_math", other.as_object().expect("an object")).is_some());
    }

    #[test]
    fn an_adapter_for_no_tool_is_refused() {
        let files = BTreeMap::from([("a.yaml".to_owned(), "adapter_for: Fly\n".to_owned())]);
        let problem = ToolAdapters::load(&files, &Contracts::default()).expect_err("refused");
        assert_eq!(problem.code, "adapter_invalid");
    }
}
