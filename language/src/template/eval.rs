//! Renders a template that the user supplies, for `abide eval templates`.

use std::collections::BTreeMap;

use handlebars::{Context, Handlebars, RenderContext, Renderable, Template};
use serde::Deserialize;
use serde_json::Value;

use super::bounds::within_bounds;
use super::checked::Bounded;
use super::counters;

/// How characters that are markup in HTML are rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Escape {
    /// The characters are not changed: a message is plain text.
    #[default]
    None,
    /// The characters become HTML entities, which is the default of Handlebars.
    Html,
}

/// Renders a Handlebars template with its partials. A missing variable renders as an empty string.
///
/// # Errors
/// A sentence that describes the error in the template, or in a partial or a helper that the template uses.
pub fn eval_template(
    template: &str,
    data: &Value,
    partials: &BTreeMap<String, String>,
    escape: Escape,
) -> Result<String, String> {
    let mut registry = Handlebars::new();
    match escape {
        Escape::None => registry.register_escape_fn(handlebars::no_escape),
        Escape::Html => registry.register_escape_fn(handlebars::html_escape),
    }
    registry.unregister_helper("log");
    counters::register(&mut registry);
    for (name, source) in partials {
        let mut partial = compile(source).map_err(|error| format!("partial `{name}`: {error}"))?;
        counters::bound_partial(&mut partial);
        registry.register_template(name, partial);
    }
    let compiled = compile(template)?;
    let mut out = Bounded::default();
    compiled
        .render(&registry, &Context::from(data.clone()), &mut RenderContext::new(None), &mut out)
        .map_err(|error| error.reason().to_string())?;
    Ok(out.text)
}

fn compile(source: &str) -> Result<Template, String> {
    within_bounds(source)?;
    let mut template = Template::compile(source).map_err(|error| {
        let reason = error.reason().to_string();
        let reason = reason.lines().next().unwrap_or_default().to_owned();
        match error.pos() {
            Some((line, col)) => format!("line {line}, column {col}: {reason}"),
            None => reason,
        }
    })?;
    counters::bound_blocks(&mut template);
    Ok(template)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn eval(template: &str, data: &Value) -> Result<String, String> {
        eval_template(template, data, &BTreeMap::new(), Escape::None)
    }

    #[test]
    fn templates_render_as_handlebars_does() {
        let data = json!({
            "name": "Ana", "html": "<b>\"O'Neil\" & co</b>", "zero": 0, "yes": true, "nothing": null,
            "people": [{"name": "Ben"}, {"name": "Carla"}], "tags": ["a", "b"],
            "person": {"name": {"first": "Dana"}}, "empty": [],
        });
        for (template, text) in [
            ("Hi {{name}}!", "Hi Ana!"),
            ("{{html}}", "<b>\"O'Neil\" & co</b>"),
            ("[{{missing}}] [{{person.missing.deep}}] [{{nothing}}]", "[] [] []"),
            ("{{person.name.first}} {{zero}} {{yes}}", "Dana 0 true"),
            ("{{#if name}}a{{else}}b{{/if}}{{#if zero}}c{{else if yes}}d{{/if}}", "ad"),
            ("{{#unless empty}}none{{/unless}}", "none"),
            (
                "{{#each people}}{{@index}}{{name}}{{#unless @last}}, {{/unless}}{{/each}}",
                "0Ben, 1Carla",
            ),
            ("{{#each empty}}x{{else}}nobody{{/each}}", "nobody"),
            ("{{#each tags}}{{this}}{{../name}}{{/each}}", "aAnabAna"),
            ("{{#with person}}{{name.first}}{{/with}}", "Dana"),
            ("{{lookup tags 1}}", "b"),
            ("a{{! quiet }}b{{!-- {{quiet}} --}}c", "abc"),
            ("a  {{~name~}}  b", "aAnab"),
            ("\\{{name}}", "{{name}}"),
            ("", ""),
        ] {
            assert_eq!(eval(template, &data).as_deref(), Ok(text), "{template}");
        }
    }

    #[test]
    fn escaping_is_done_only_when_asked_for() {
        let data = json!({"x": "<a href=\"'\">&`="});
        let none = BTreeMap::new();
        let html = |template| eval_template(template, &data, &none, Escape::Html);
        let escaped = "&lt;a href&#x3D;&quot;&#x27;&quot;&gt;&amp;&#x60;&#x3D;";
        assert_eq!(html("{{x}}").as_deref(), Ok(escaped));
        assert_eq!(html("{{{x}}}"), eval("{{x}}", &data));
        assert_eq!(html("{{&x}}"), eval("{{x}}", &data));
    }

    #[test]
    fn partials_include_each_other_but_not_for_ever() {
        let partials: BTreeMap<String, String> = [
            ("hello", "Hi {{name}}{{> mark}}"),
            ("mark", "!"),
            ("tree", "({{v}}{{#each kids}}{{> tree}}{{/each}})"),
            ("ping", "{{> pong}}"),
            ("pong", "{{> ping}}"),
            ("selfish", "{{> selfish}}"),
        ]
        .map(|(name, source)| (name.to_owned(), source.to_owned()))
        .into();
        let data = json!({"name": "Ana", "v": 1, "kids": [{"v": 2, "kids": [{"v": 3}]}, {"v": 4}]});
        let eval = |template: &str| eval_template(template, &data, &partials, Escape::None);
        assert_eq!(eval("{{> hello}}").as_deref(), Ok("Hi Ana!"));
        assert_eq!(eval("{{> hello name=\"Ben\"}}").as_deref(), Ok("Hi Ben!"));
        assert_eq!(eval("{{> tree}}").as_deref(), Ok("(1(2(3))(4))"));
        for endless in ["{{> ping}}", "{{> selfish}}"] {
            assert_eq!(eval(endless), Err("partials nested deeper than 32".to_owned()));
        }
        assert_eq!(eval("{{> nowhere}}"), Err("Partial not found nowhere".to_owned()));
    }

    #[test]
    fn a_bad_template_is_an_error_and_no_more() {
        for template in [
            "{{#if a}}",
            "{{/if}}",
            "{{#if a}}{{/each}}",
            "{{",
            "{{}}",
            "{{a b",
            "{{nothing.of the kind}}",
            "{{#nothing}}x{{/nothing}}",
            &"{{#if a}}".repeat(50_000),
            &"{{#each a}}".repeat(30),
            &format!("{{{{eq {} 1}}}}", "(".repeat(100_000)),
            &"{".repeat(60_000),
        ] {
            let shown: String = template.chars().take(30).collect();
            assert!(eval(template, &json!({"a": [1]})).is_err(), "{shown}");
        }
    }

    #[test]
    fn loops_in_loops_end() {
        let data = json!({"a": (0..50).collect::<Vec<_>>()});
        for (body, limit) in [("1234567890".repeat(10), "1048576 bytes"), (String::new(), "200000")]
        {
            let (open, close) = ("{{#each @root.a}}".repeat(12), "{{/each}}".repeat(12));
            let error = eval(&format!("{open}{body}{close}"), &data).expect_err("too long");
            assert!(error.contains(limit), "{error}");
        }
    }

    #[test]
    fn an_inline_partial_cannot_recurse_for_ever_either() {
        let template = "{{#*inline \"again\"}}{{> again}}{{/inline}}{{> again}}";
        assert!(eval(template, &json!({})).is_err());
    }
}
