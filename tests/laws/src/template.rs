//! Checks the laws of templates: a Handlebars source becomes a checked template, which renders messages.

use std::collections::BTreeMap;

use abide_engine::base::{Problem, Value, limits};
use abide_engine::diagnostic::Diagnostic;
use abide_engine::template::{Escape, Rendered, Template, eval_template, segments};
use abide_engine::yaml;
use serde_json::json;

use crate::places;

const FILE: &str = "message.hbs";

/// The codes of the problems that rendering a checked template may return.
const FAILURES: [&str; 5] = [
    "template_failed",
    "template_variable_missing",
    "template_variable_wrong",
    "message_empty",
    "message_too_long",
];

/// Characters that no value may bring into a message:
/// control characters, and characters that change the direction of writing.
const KEPT_OUT: [char; 4] = ['\0', '\u{1b}', '\u{202e}', '\u{feff}'];

pub(crate) fn hold(bytes: &[u8]) {
    let Ok(text) = yaml::text_of(FILE, bytes) else { return };
    let (template, findings) = Template::check(FILE, text);
    let (twin, again) = Template::check(FILE, text);
    assert_eq!(findings, again, "checked twice");
    let faulty = findings.iter().any(Diagnostic::is_error);
    assert_eq!(template.is_none(), faulty, "a template if and only if there is no error");
    places::hold(text, &findings);
    if let (Some(template), Some(twin)) = (template, twin) {
        assert_eq!(template.digest(), twin.digest());
        renders(&template);
    }
    is_rendered_for_anybody(text);
}

fn renders(template: &Template) {
    for optional in [true, false] {
        let data = template.example(optional);
        message(template, template.render(&data), "its own examples");
    }
    let hostile = hostile(template.example(true));
    if let Some(rendered) = message(template, template.render(&hostile), "hostile values") {
        for kept_out in KEPT_OUT.iter().filter(|c| !template.text().contains(**c)) {
            assert!(!rendered.body().contains(*kept_out), "{kept_out:?} in {:?}", rendered.body());
        }
    }
}

/// Checks the laws of a rendered message, or of the problem that rendering returned.
/// Returns the message if there is one.
fn message(
    template: &Template,
    rendered: Result<Rendered, Problem>,
    from: &str,
) -> Option<Rendered> {
    match rendered {
        Ok(rendered) => {
            assert_eq!(rendered.template(), template.name());
            let body = rendered.body();
            assert!(!body.is_empty() && body.trim() == body, "{from}: {body:?}");
            assert_eq!(rendered.segments(), segments(body));
            let count = rendered.segments().segments;
            assert!(count <= limits::MESSAGE_SEGMENTS_MAX, "{from}: {count} segments");
            Some(rendered)
        }
        Err(problem) => {
            assert!(FAILURES.contains(&&*problem.code), "{from}: {problem:?}");
            None
        }
    }
}

/// Replaces each string in the data with a string that contains markup,
/// control characters and line breaks.
fn hostile(data: Value) -> Value {
    match data {
        Value::String(text) => {
            // A time or a phone number must stay valid, so it is not replaced.
            let plain =
                text.starts_with('+') || text.as_bytes().first().is_some_and(u8::is_ascii_digit);
            if plain { text.into() } else { json!("{{x}}\0\u{1b}[1m\u{202e}\u{feff}\n<b>&") }
        }
        Value::Array(items) => items.into_iter().map(hostile).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, hostile(value))).collect()
        }
        other => other,
    }
}

/// Renders any source, as `abide eval templates` does, and checks two laws:
/// the result is always the same, and its size is limited.
fn is_rendered_for_anybody(text: &str) {
    let data = json!({"name": "Ana", "n": 3, "list": [1, {"name": "Ben"}], "none": null});
    let partials = BTreeMap::from([("part".to_owned(), text.to_owned())]);
    for escape in [Escape::None, Escape::Html] {
        let given = eval_template(text, &data, &partials, escape);
        assert_eq!(eval_template(text, &data, &partials, escape), given, "rendered twice");
        match given {
            Ok(given) => assert!(given.len() <= limits::RENDER_BYTES_MAX, "{} bytes", given.len()),
            Err(reason) => assert!(!reason.is_empty()),
        }
    }
}
