//! Template helpers. They format instants (in local time), lists, plurals and first names.
//!
//! The helpers are pure functions. They are registered once for all templates.

use std::sync::LazyLock;

use handlebars::{
    Context, Handlebars, Helper, HelperDef, RenderContext, RenderError, RenderErrorReason,
    ScopedJson,
};
use jiff::Zoned;
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::language::Language;
use super::spanish;

/// Built-in helpers of Handlebars that templates may use.
const BUILT_IN: [&str; 15] = [
    "if", "unless", "each", "with", "lookup", "eq", "ne", "gt", "gte", "lt", "lte", "and", "or",
    "not", "len",
];

/// Helpers defined in this module, each with its usage.
const OWN: [MessageHelper; 6] = [
    MessageHelper { name: "when", usage: "{{when time}}", call: when },
    MessageHelper { name: "day", usage: "{{day time}}", call: day },
    MessageHelper { name: "clock", usage: "{{clock time}}", call: clock },
    MessageHelper { name: "list", usage: "{{list names}}", call: list },
    MessageHelper { name: "plural", usage: "{{plural n \"place\" \"places\"}}", call: plural },
    MessageHelper { name: "first_name", usage: "{{first_name person}}", call: first_name },
];

/// The helpers that a Spanish template has instead of those of the same name.
const SPANISH: [MessageHelper; 4] = [
    MessageHelper { name: "when", usage: "{{when time}}", call: spanish::when },
    MessageHelper { name: "day", usage: "{{day time}}", call: spanish::day },
    MessageHelper { name: "clock", usage: "{{clock time}}", call: spanish::clock },
    MessageHelper { name: "list", usage: "{{list names}}", call: spanish::list },
];

/// Returns the registry that renders messages in a language.
pub(super) fn registry(language: Language) -> &'static Handlebars<'static> {
    static ENGLISH: LazyLock<Handlebars<'static>> = LazyLock::new(|| with_helpers(&[]));
    static IN_SPANISH: LazyLock<Handlebars<'static>> = LazyLock::new(|| with_helpers(&SPANISH));
    match language {
        Language::English => &ENGLISH,
        Language::Spanish => &IN_SPANISH,
    }
}

/// Returns a registry in strict mode and without HTML escaping. It has only the helpers in `BUILT_IN` and `OWN`,
/// some of them in the form of a language.
fn with_helpers(of_language: &[MessageHelper]) -> Handlebars<'static> {
    let mut registry = Handlebars::new();
    registry.set_strict_mode(true);
    registry.register_escape_fn(handlebars::no_escape);
    for unused in ["log", "raw"] {
        registry.unregister_helper(unused);
    }
    for helper in OWN.iter().chain(of_language) {
        registry.register_helper(helper.name, Box::new(*helper));
    }
    registry
}

/// Returns the names of all helpers that a template may use.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.into_iter().chain(OWN.into_iter().map(|helper| helper.name))
}

/// Whether a helper formats instants and therefore reads the variable `zone`.
pub(super) fn reads_zone(helper: &str) -> bool {
    matches!(helper, "when" | "day" | "clock")
}

#[derive(Clone, Copy)]
struct MessageHelper {
    name: &'static str,
    usage: &'static str,
    call: fn(&[&Value], Option<&str>) -> Option<String>,
}

impl HelperDef for MessageHelper {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        context: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        if let Some(missing) = helper.params().iter().find(|value| value.is_value_missing()) {
            return Err(RenderError::strict_error(missing.relative_path()));
        }
        let values: Vec<&Value> = helper.params().iter().map(|value| value.value()).collect();
        let zone = context.data().get("zone").and_then(Value::as_str);
        match (self.call)(&values, zone) {
            Some(text) => Ok(ScopedJson::Derived(Value::String(text))),
            None => {
                let given = values.first().map(ToString::to_string).unwrap_or_default();
                let given: String = given.chars().take(60).collect();
                let message = format!("`{}` cannot format `{given}`", self.usage);
                Err(RenderErrorReason::Other(message).into())
            }
        }
    }
}

/// Formats an instant as `Sunday 5 October at 9:00 am`.
fn when(values: &[&Value], zone: Option<&str>) -> Option<String> {
    formatted(values, zone, "%A %-d %B at %-I:%M %P")
}

/// Formats an instant as `Sunday 5 October`.
fn day(values: &[&Value], zone: Option<&str>) -> Option<String> {
    formatted(values, zone, "%A %-d %B")
}

/// Formats an instant as `9:00 am`.
fn clock(values: &[&Value], zone: Option<&str>) -> Option<String> {
    formatted(values, zone, "%-I:%M %P")
}

fn formatted(values: &[&Value], zone: Option<&str>, format: &str) -> Option<String> {
    Some(local(values, zone)?.strftime(format).to_string())
}

/// Returns an instant in the recipient's time zone. Without a zone, uses the instant's own offset from UTC.
pub(super) fn local(values: &[&Value], zone: Option<&str>) -> Option<Zoned> {
    let [instant] = values else { return None };
    let text = instant.as_str()?;
    let instant: jiff::Timestamp = text.parse().ok()?;
    let zone = match zone {
        Some(zone) => TimeZone::get(zone).ok()?,
        None => TimeZone::fixed(Pieces::parse(text).ok()?.to_numeric_offset()?),
    };
    Some(instant.to_zoned(zone))
}

/// Joins names as `Ana`, `Ana and Ben`, or `Ana, Ben and Carla`.
fn list(values: &[&Value], _: Option<&str>) -> Option<String> {
    listed(values, |_| "and")
}

/// Joins names with commas, and the last one with the word that `joint` gives for it.
pub(super) fn listed(values: &[&Value], joint: impl Fn(&str) -> &'static str) -> Option<String> {
    let [items] = values else { return None };
    let words: Option<Vec<&str>> = items.as_array()?.iter().map(Value::as_str).collect();
    let words = words?;
    match words.as_slice() {
        [] => None,
        [only] => Some((*only).to_owned()),
        [first @ .., last] => Some(format!("{} {} {last}", first.join(", "), joint(last))),
    }
}

/// Returns the singular or plural word for a number, or for the number of items of a list.
fn plural(values: &[&Value], _: Option<&str>) -> Option<String> {
    let [count, one, many] = values else { return None };
    let single = match count {
        Value::Array(items) => items.len() == 1,
        Value::Number(number) => number.as_f64() == Some(1.0),
        Value::String(text) => text.parse::<f64>().ok()? == 1.0,
        _ => return None,
    };
    if single { one } else { many }.as_str().map(str::to_owned)
}

/// Returns the first word of a name.
fn first_name(values: &[&Value], _: Option<&str>) -> Option<String> {
    let [name] = values else { return None };
    name.as_str()?.split_whitespace().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn show(source: &str, data: &Value) -> String {
        let registry = registry(Language::English);
        registry.render_template(source, data).unwrap_or_else(|error| format!("error: {error}"))
    }

    #[test]
    fn instants_are_shown_in_the_zone_of_the_data() {
        for (source, time, zone, shown) in [
            (
                "{{when t}}",
                "2025-10-05T09:00:00-05:00",
                json!("America/Chicago"),
                "Sunday 5 October at 9:00 am",
            ),
            (
                "{{when t}}",
                "2025-10-05T14:00:00Z",
                json!("America/Chicago"),
                "Sunday 5 October at 9:00 am",
            ),
            // Some hours after the clocks in Chicago were set back.
            (
                "{{when t}}",
                "2025-11-02T15:00:00Z",
                json!("America/Chicago"),
                "Sunday 2 November at 9:00 am",
            ),
            ("{{clock t}}", "2025-10-05T05:00:00Z", json!("America/Chicago"), "12:00 am"),
            ("{{clock t}}", "2025-10-05T17:30:00Z", json!("America/Chicago"), "12:30 pm"),
            (
                "{{day t}}",
                "2026-01-01T00:30:00Z",
                json!("Australia/Melbourne"),
                "Thursday 1 January",
            ),
        ] {
            assert_eq!(show(source, &json!({"t": time, "zone": zone})), shown, "{time}");
        }
        assert_eq!(show("{{clock t}}", &json!({"t": "2025-10-05T09:00:00-05:00"})), "9:00 am");
    }

    #[test]
    fn lists_plurals_and_first_names_read_like_speech() {
        for (source, data, shown) in [
            ("{{list x}}", json!({"x": ["Ana"]}), "Ana"),
            ("{{list x}}", json!({"x": ["Ana", "Ben"]}), "Ana and Ben"),
            ("{{list x}}", json!({"x": ["Ana", "Ben", "Carla"]}), "Ana, Ben and Carla"),
            ("{{plural x 'place' 'places'}}", json!({"x": 1}), "place"),
            ("{{plural x 'place' 'places'}}", json!({"x": 0}), "places"),
            ("{{plural x 'place' 'places'}}", json!({"x": "5"}), "places"),
            ("{{plural x 'place' 'places'}}", json!({"x": ["Ana"]}), "place"),
            ("{{first_name x}}", json!({"x": "Ana Maria Diaz"}), "Ana"),
            ("{{#if (eq (first_name x) 'Ana')}}yes{{/if}}", json!({"x": "Ana Diaz"}), "yes"),
        ] {
            assert_eq!(show(source, &data), shown, "{source} {data}");
        }
    }

    #[test]
    fn a_value_that_cannot_be_shown_is_an_error_that_says_so() {
        for (source, data) in [
            ("{{when t}}", json!({"t": "Sunday at nine", "zone": "America/Chicago"})),
            ("{{when t}}", json!({"t": "2025-10-05T09:00:00Z", "zone": "Mars/Olympus"})),
            ("{{when t}}", json!({"zone": "America/Chicago"})),
            ("{{list t}}", json!({"t": []})),
            ("{{list t}}", json!({"t": "Ana"})),
            ("{{plural t 'a' 'b'}}", json!({"t": {}})),
            ("{{plural t 'a'}}", json!({"t": 1})),
            ("{{first_name t}}", json!({"t": " "})),
        ] {
            assert!(show(source, &data).starts_with("error: "), "{source} {data}");
        }
    }
}
