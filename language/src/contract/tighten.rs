//! What a home may change in a built-in contract: it may tighten the contract, and never loosen, widen or
//! replace it. So what a method or a person relies on holds in every home.

use std::collections::BTreeSet;

use serde_json::Map;

use super::Contract;
use super::fault::{Fault, fault};
use super::terms::{Approvers, Risk};
use crate::base::{Span, Value};

const HINT: &str = "a home may lower `timeout`, raise `risk`, add `approvers` and narrow `input_schema` of a \
    built-in tool; give a tool of your own another name";

/// The keywords of a schema whose value may only fall.
const UPPER_LIMITS: [&str; 5] =
    ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
/// The keywords of a schema whose value may only grow.
const LOWER_LIMITS: [&str; 5] =
    ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
/// The keywords that explain a schema and restrict nothing.
const REMARKS: [&str; 3] = ["description", "title", "examples"];
/// The keywords that restrict a schema wherever they are added.
const RESTRICTIONS: [&str; 7] =
    ["const", "pattern", "format", "uniqueItems", "multipleOf", "not", "dependentRequired"];

/// Returns the contract `base` with the changes that a home wrote, in written form.
/// Members that the home left out stay as they are.
pub(super) fn merged(base: &Contract, home: Value) -> Result<Value, Fault> {
    let (Value::Object(mut all), Value::Object(home)) = (base.written.as_ref().clone(), home)
    else {
        return Err(refused("", "must be a mapping"));
    };
    for (key, value) in home {
        let before = all.get(&key).cloned().unwrap_or(Value::Null);
        if before == value {
            continue;
        }
        let tighter = match key.as_str() {
            "timeout" => shorter(base, value)?,
            "risk" => higher(base, value)?,
            "approvers" => more(base, value)?,
            "input_schema" => narrower("input_schema", &before, value)
                .map_err(|what| Fault { hint: Some(HINT), ..fault("input_schema", what) })?,
            _ => {
                return Err(refused(
                    &key,
                    &format!("`{key}` of a built-in tool cannot be changed"),
                ));
            }
        };
        all.insert(key, tighter);
    }
    Ok(Value::Object(all))
}

fn refused(key: &str, what: &str) -> Fault {
    Fault { hint: Some(HINT), ..fault(key, what) }
}

fn shorter(base: &Contract, value: Value) -> Result<Value, Fault> {
    let span: Option<Span> = value.as_str().and_then(|text| text.parse().ok());
    match span {
        Some(span) if span <= base.timeout => Ok(value),
        Some(_) => Err(refused("timeout", &format!("`timeout` can be at most {}", base.timeout))),
        None => Ok(value), // the loader reports what is no duration
    }
}

fn higher(base: &Contract, value: Value) -> Result<Value, Fault> {
    match serde_json::from_value::<Risk>(value.clone()) {
        Ok(risk) if risk >= base.risk => Ok(value),
        Ok(_) => Err(refused("risk", &format!("`risk` must be at least {}", base.risk))),
        Err(_) => Ok(value), // the loader reports what is no tier
    }
}

/// A home may add approvers, and must keep those of the built-in contract.
fn more(base: &Contract, value: Value) -> Result<Value, Fault> {
    let Ok(home) = serde_json::from_value::<Vec<Approvers>>(value.clone()) else {
        return Ok(value); // the loader reports what is no chain
    };
    let kept = |link: &Approvers| home.iter().any(|own| own.role == link.role && own.n >= link.n);
    if base.approver_chain().iter().all(kept) {
        return Ok(value);
    }
    Err(refused("approvers", "`approvers` must keep those of the built-in contract"))
}

/// Returns the schema `base` with the changes of `home`, each of which must reject more than before.
/// The error names the keyword that would accept more. `place` is the path of the schema.
fn narrower(place: &str, base: &Value, home: Value) -> Result<Value, String> {
    if *base == home {
        return Ok(home);
    }
    let (base, home) = match (base, home) {
        (Value::Object(base), Value::Object(home)) => (base, home),
        (Value::Null, home @ Value::Object(_)) => return Ok(home), // nothing was restricted before
        _ => return Err(format!("`{place}` would accept more than the built-in contract")),
    };
    let mut all = base.clone();
    for (keyword, value) in home {
        let before = base.get(&keyword);
        if before == Some(&value) {
            continue;
        }
        let place = format!("{place}.{keyword}");
        let narrowed = match keyword.as_str() {
            "properties" => properties(&place, base, value)?,
            "items" => narrower(&place, before.unwrap_or(&Value::Null), value)?,
            "additionalProperties" => additional(&place, before, value)?,
            word if is_narrower(word, before, &value) => value,
            _ => return Err(format!("`{place}` would accept more than the built-in contract")),
        };
        all.insert(keyword, narrowed);
    }
    Ok(Value::Object(all))
}

/// Whether a schema accepts less once `keyword` has this value instead of the one before.
fn is_narrower(keyword: &str, before: Option<&Value>, value: &Value) -> bool {
    let numbers = || Some((before?.as_f64()?, value.as_f64()?));
    let lists = || Some((words(before?)?, words(value)?));
    match keyword {
        word if REMARKS.contains(&word) => true,
        word if UPPER_LIMITS.contains(&word) => {
            value.is_number() && numbers().is_none_or(|(before, now)| now <= before)
        }
        word if LOWER_LIMITS.contains(&word) => {
            value.is_number() && numbers().is_none_or(|(before, now)| now >= before)
        }
        "required" => {
            before.is_none() || lists().is_some_and(|(before, now)| now.is_superset(&before))
        }
        "type" | "enum" => {
            before.is_none() || lists().is_some_and(|(before, now)| now.is_subset(&before))
        }
        word => RESTRICTIONS.contains(&word) && before.is_none(),
    }
}

/// Returns a list of JSON values as a set; a single value counts as a list of one.
fn words(value: &Value) -> Option<BTreeSet<String>> {
    match value {
        Value::Array(items) => Some(items.iter().map(Value::to_string).collect()),
        Value::String(_) => Some(BTreeSet::from([value.to_string()])),
        _ => None,
    }
}

fn properties(place: &str, base: &Map<String, Value>, home: Value) -> Result<Value, String> {
    let Value::Object(home) = home else { return Err(format!("`{place}` must be a mapping")) };
    let closed = base.get("additionalProperties") == Some(&Value::Bool(false));
    let before = base.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut all = before.clone();
    for (name, schema) in home {
        let place = format!("{place}.{name}");
        let own = match before.get(&name) {
            Some(own) => own,
            None if closed => {
                return Err(format!("`{place}` is no member of the built-in contract"));
            }
            None => &Value::Null,
        };
        all.insert(name, narrower(&place, own, schema)?);
    }
    Ok(Value::Object(all))
}

fn additional(place: &str, before: Option<&Value>, value: Value) -> Result<Value, String> {
    match (before, value) {
        (_, Value::Bool(false)) => Ok(false.into()),
        (None | Some(Value::Bool(true)), schema @ Value::Object(_)) => Ok(schema),
        (Some(before @ Value::Object(_)), schema) => narrower(place, before, schema),
        _ => Err(format!("`{place}` would accept more than the built-in contract")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Contracts, Risk};
    use crate::base::Span;
    use crate::diagnostic::Diagnostic;

    const BUILT_IN: &str = "tools:
  parcels.send:
    description: Sends a parcel.
    effect: write
    idempotency: { mode: keyed, key_field: label }
    risk: T1
    timeout: 10s
    input_schema:
      type: object
      required: [label]
      additionalProperties: false
      properties:
        label: { type: string, minLength: 2, maxLength: 40 }
        size: { enum: [small, large] }
        weight: { type: [integer, string], maximum: 90 }
        notes: { type: array, items: { type: string, maxLength: 9 } }
        data: { type: object, properties: { a: { type: string } } }
    output_schema: { type: object, properties: { id: { type: string } } }
";

    fn home(entry: &str) -> (Contracts, Vec<Diagnostic>) {
        let (builtin, findings) = Contracts::load(BUILT_IN, "parcels.yaml");
        assert_eq!(findings, []);
        let text = format!("tools:\n  parcels.send:\n    {entry}\n");
        Contracts::load_over(&builtin, &text, "home.yaml")
    }

    fn input(changes: &str) -> String {
        format!("input_schema: {{ {changes} }}")
    }

    #[test]
    fn a_home_tightens_what_it_names_and_nothing_else() {
        let (contracts, findings) = home(
            "{ timeout: 5s, risk: T3, input_schema: { required: [size, label], properties: { label: { maxLength: 20 } } } }",
        );
        assert_eq!(findings, []);
        let tool = contracts.get("parcels.send").expect("it is there");
        assert_eq!((tool.timeout, tool.risk), (Span::from_secs(5), Risk::T3));
        let accepts = |args: serde_json::Value| tool.check_args(&args).is_ok();
        assert!(accepts(serde_json::json!({"label": "ab", "size": "small"})));
        assert!(!accepts(serde_json::json!({"label": "ab"})), "`size` is required now");
        assert!(
            !accepts(serde_json::json!({"label": "a", "size": "small"})),
            "the old minimum holds"
        );
        assert!(!accepts(serde_json::json!({"label": "a".repeat(21), "size": "small"})));
        assert_eq!(tool.files(), ["parcels.yaml", "home.yaml"]);
    }

    #[test]
    fn a_home_may_repeat_a_contract_as_it_is() {
        let (builtin, _) = Contracts::load(BUILT_IN, "parcels.yaml");
        let (contracts, findings) = Contracts::load_over(&builtin, BUILT_IN, "home.yaml");
        assert_eq!(findings, []);
        let digest = |contracts: &Contracts| contracts.get("parcels.send").map(|it| it.digest());
        assert_eq!(digest(&contracts), digest(&builtin));
    }

    #[test]
    fn each_way_to_narrow_the_input_is_accepted() {
        for changes in [
            "required: [label, size]",
            "properties: { size: { enum: [small] } }",
            "properties: { weight: { type: integer, maximum: 50, minimum: 1 } }",
            "properties: { notes: { maxItems: 3, items: { maxLength: 5, pattern: '^x' } } }",
            "properties: { data: { additionalProperties: false } }",
            "properties: { data: { properties: { b: { type: string } } } }",
            "properties: { label: { description: The label on the box. } }",
        ] {
            let (contracts, findings) = home(&input(changes));
            assert_eq!(findings, [], "{changes}");
            assert!(contracts.get("parcels.send").is_some(), "{changes}");
        }
    }

    #[test]
    fn each_way_to_loosen_widen_or_replace_is_refused_at_its_key() {
        let cases = [
            ("timeout: 11s".to_owned(), "at most 10s"),
            ("risk: T0".to_owned(), "at least T1"),
            ("description: Does something else.".to_owned(), "cannot be changed"),
            ("effect: read".to_owned(), "cannot be changed"),
            ("idempotency: none".to_owned(), "cannot be changed"),
            ("handler: not_configured".to_owned(), "cannot be changed"),
            ("data: { table: parcels, action: create }".to_owned(), "cannot be changed"),
            ("version: 2".to_owned(), "cannot be changed"),
            ("output_schema: { type: object }".to_owned(), "cannot be changed"),
            (input("required: []"), "input_schema.required"),
            (input("additionalProperties: true"), "input_schema.additionalProperties"),
            (input("properties: { more: { type: string } }"), "properties.more"),
            (input("properties: { label: { maxLength: 41 } }"), "label.maxLength"),
            (input("properties: { label: { minLength: 1 } }"), "label.minLength"),
            (input("properties: { label: { type: [string, integer] } }"), "label.type"),
            (input("properties: { label: { anyOf: [ {} ] } }"), "label.anyOf"),
            (input("properties: { size: { enum: [small, huge] } }"), "size.enum"),
            (input("properties: { size: true }"), "properties.size"),
            (input("properties: { weight: { maximum: many } }"), "weight.maximum"),
            (input("properties: { notes: { items: { maxLength: 10 } } }"), "items.maxLength"),
            (input("type: array"), "input_schema.type"),
        ];
        for (entry, words) in cases {
            let (contracts, findings) = home(&entry);
            assert_eq!(contracts.names().count(), 0, "{entry}");
            let [found] = findings.as_slice() else { panic!("{entry}: {findings:?}") };
            assert_eq!((found.line, found.code), (3, "bad-contract"), "{entry}");
            assert!(found.message.contains(words), "{entry}: {}", found.message);
            assert!(found.hint.as_deref().is_some_and(|hint| hint.contains("another name")));
        }
    }
}
