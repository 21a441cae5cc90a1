//! Tests the checker with invalid files, rendering with awkward data, and all shipped templates.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::diagnostic::Severity;

const HEAD: &str = "---\ndescription: d\nfor: volunteer\n---\n";

/// Formats the checker's findings, one per line: position, severity, code and message.
fn findings(text: &str) -> String {
    let (_, found) = Template::check("probe.hbs", text);
    let mut out = String::new();
    for d in found {
        let severity = if d.severity == Severity::Error { "error" } else { "warning" };
        let at = format!("{}:{}-{}", d.line, d.col, d.end_col);
        writeln!(out, "{at} {severity} {}: {}", d.code, d.message)
            .expect("writing to a string succeeds");
    }
    out
}

fn template(vars: &str, body: &str) -> Template {
    let text = format!("---\ndescription: d\nfor: staff\nvars: {vars}\n---\n{body}");
    let (template, found) = Template::check("probe.hbs", &text);
    template.unwrap_or_else(|| panic!("{found:#?}"))
}

fn shipped() -> Templates {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates");
    let mut files: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the folder of templates")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a text"))
        })
        .collect();
    files.sort();
    let (templates, found) = Templates::load(files);
    assert_eq!(found, [], "shipped templates have no findings at all");
    templates
}

#[test]
fn every_shipped_template_renders_its_examples() {
    let templates = shipped();
    let mut shown = String::new();
    for template in templates.iter().chain(templates.translations()) {
        assert_eq!(templates.faults_of_translation("", template), [], "{}", template.name());
        let language = template.language();
        let has_optional = template.variables().values().any(|variable| variable.optional);
        for optional in [true, false] {
            if !optional && !has_optional {
                continue;
            }
            let rendered = template.render(&template.example(optional)).expect("a message");
            let Segments { encoding, segments, units } = rendered.segments();
            let with = if optional { "" } else { ", required variables only" };
            let name = match language {
                Language::English => template.name().to_owned(),
                other => format!("{}.{other}", template.name()),
            };
            writeln!(shown, "== {name}{with}, segments: {segments}, units: {units}")
                .expect("writing to a string succeeds");
            writeln!(shown, "{}\n", rendered.body()).expect("writing to a string succeeds");
            assert_eq!(encoding, Encoding::Gsm7, "{}", template.name());
            assert!(segments <= 2, "{} has {segments} segments", template.name());
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn what_volunteers_get_most_fits_one_segment_even_with_long_names() {
    let templates = shipped();
    let standard =
        StandardValues { church: "Grace Church", name: "Christopher", zone: "America/Chicago" };
    let vars = json!({"role": "communion", "time": "2025-09-24T18:30:00-05:00"});
    let times =
        ["Wednesday 24 September at 6:30 pm", "miércoles 24 de septiembre a las 6:30 p. m."];
    for (language, time) in Language::ALL.iter().copied().zip(times) {
        for name in ["invite", "confirmed", "last_call", "withdrawn", "waitlisted", "cancelled"] {
            let rendered = templates.render_in(language, name, &standard.with(&vars));
            let rendered = rendered.expect("a message");
            assert_eq!(rendered.segments().segments, 1, "{name}: {}", rendered.body());
            assert!(rendered.body().contains("Grace Church"), "{name} does not say who writes");
            assert!(rendered.body().contains("communion"), "{name} does not name the role");
            assert!(rendered.body().contains(time), "{name}: {}", rendered.body());
        }
    }
}

#[test]
fn the_shipped_templates_say_what_happened_in_every_case() {
    let templates = shipped();
    let standard = StandardValues { church: "Grace Church", name: "Pat", zone: "America/Chicago" };
    let service = json!({"role": "nursery", "time": "2025-10-05T09:00:00-05:00"});
    let service = service.as_object().expect("an object");
    for (name, vars, said) in [
        ("filled_n_of_m", json!({"n": 1, "m": 1}), "1 of 1 place is filled"),
        ("filled_n_of_m", json!({"n": 0, "m": 5, "asking": true}), "asking people already: 0 of 5"),
        ("filled_n_of_m", json!({"n": 3, "m": 5, "role": "nursery"}), "3 of 5 nursery places are"),
        ("summary", json!({"m": 2, "accepted": ["Ana", "Ben"]}), "That's everyone we need"),
        ("summary", json!({"m": 2, "accepted": ["Ana"], "silent": ["Eli"]}), "No answer yet: Eli."),
        ("summary", json!({"m": 2, "accepted": []}), "Nobody could make it so far."),
        ("summary", json!({"m": "2", "accepted": ["Ana"]}), "Shall I wait longer"),
        ("clarify", json!({"missing": ["role", "time"]}), "Which team is it for? Which day"),
        ("clarify", json!({"missing": ["count"]}), "How many people do you need? Grace"),
        ("staff_ack", json!({"count": 1}), "I'll ask around for 1 nursery place on Sunday"),
        ("staff_ack", json!({"count": 5, "asking": 1}), "I'll ask 1 person for 5"),
        (
            "staff_ack",
            json!({"count": 5, "starts_at": "2025-10-01T13:00:00Z"}),
            "I'll text people from 8:00 am.",
        ),
    ] {
        let mut vars = vars.as_object().expect("an object").clone();
        if name != "filled_n_of_m" {
            vars.extend(service.clone());
        }
        let rendered = templates.render(name, &standard.with(&Value::Object(vars)));
        let body = rendered.expect("a message").body().to_owned();
        assert!(body.contains(said), "{name}: `{body}` does not say `{said}`");
    }
}

#[test]
fn the_checker_names_every_fault_of_a_file_at_its_place() {
    for (text, expected) in [
        ("Hi", "1:1-2 error template-front-matter: the file does not begin with front matter\n"),
        (
            "---\ndescription: d\n",
            "1:1-2 error template-front-matter: the file does not begin with front matter\n",
        ),
        (
            &format!("{HEAD}Hi {{{{nmae}}}}"),
            "5:4-12 error template-undeclared-variable: `nmae` is not declared\n",
        ),
        (&format!("{HEAD}Hi {{{{#if name}}}}"), "5:16-17 error template-syntax"),
        (
            &format!("{HEAD}Hi {{{{> footer}}}}"),
            "5:4-16 error template-foreign-tag: `footer` is not allowed in a message\n",
        ),
        (
            &format!("{HEAD}{{{{upper name}}}}"),
            "5:1-15 error template-unknown-helper: no helper `upper`\n",
        ),
        (
            &format!("{HEAD}Please reply YES"),
            "5:14-17 error template-keyword: asks people to send `YES`\n",
        ),
        (
            &format!("{HEAD}Can’t wait"),
            "5:4-5 warning template-character: `’` (U+2019) is outside GSM-7\n",
        ),
        (
            &format!("{HEAD}{{{{#if (eq name 'x')}}}}hello{{{{/if}}}}"),
            "5:1-2 error template-example: the example does not render: template `probe` rendered an empty message\n",
        ),
        (
            "---\ndescription: d\nfor: volunteer\nvars:\n  n: { type: number, example: 3 }\n---\nHi",
            "5:3-4 error template-unused-variable: `n` is declared but not used\n",
        ),
        (
            "---\ndescription: d\nfor: staff\nvars:\n  n: { type: number, example: three }\n---\n{{n}}",
            "5:31-36 error template-example: the example of `n` is not a number\n",
        ),
        (
            "---\ndescription: d\nfor: staff\nvars:\n  n: { type: number, example: 3, optional: true }\n---\n{{n}} of {{n}}",
            "7:1-6 error template-optional-variable: `n` may be missing here\n7:10-15 error template-optional-variable: `n` may be missing here\n",
        ),
        (
            "---\ndescription: d\nfor: staff\nvars:\n  church: { type: text, example: x }\n  list: { type: text, example: x }\n---\n{{church}} {{list}}",
            "5:3-9 error template-variable-name: `church` is a standard variable\n6:3-7 error template-variable-name: `list` is the name of a helper\n",
        ),
        (
            "---\ndescription: d\nfor: staff\nquestion: Will you?\nyes: { assign: children }\n---\nHi",
            "4:1-9 error template-question: there is `question` but no `no`\n",
        ),
        (
            "---\nfor: staff\nvars: { n: { type: nmber, example: 1 } }\n---\n{{n}} {{m}} STOP",
            "1:1-4 error missing-key: `description` is missing\n3:20-25 error wrong-value: no type `nmber`\n",
        ),
        (
            "---\ndescription: d\nfor: staff\nfro: x\n---\nHi",
            "4:1-4 error unknown-key: no key `fro`\n",
        ),
    ] {
        let found = findings(text);
        assert!(found.starts_with(expected), "{text}\n--- found\n{found}--- expected\n{expected}");
    }
}

#[test]
fn several_faults_are_reported_together_and_nothing_unchecked_is_rendered() {
    let text = "---\ndescription: d\nfor: staff\nvars:\n  n: { type: number, example: 1 }\n---\n\
                Text STOP, {{nmae}} — {{> x}} {{upper name}}";
    let codes: Vec<&str> = Template::check("probe.hbs", text).1.iter().map(|d| d.code).collect();
    assert_eq!(
        codes,
        [
            "template-unused-variable",
            "template-keyword",
            "template-undeclared-variable",
            "template-character",
            "template-foreign-tag",
            "template-unknown-helper",
        ]
    );
    let files = [("probe.hbs".to_owned(), text.to_owned())];
    assert!(Templates::load(files).0.get("probe").is_none());
}

#[test]
fn names_of_files_are_names_of_messages() {
    for (file, name) in [
        ("invite.hbs", Some("invite")),
        ("home/templates/last_call.hbs", Some("last_call")),
        ("Last-Call.hbs", None),
        ("2nd.hbs", None),
        (".hbs", None),
    ] {
        let (template, _) = Template::check(file, &format!("{HEAD}Hi"));
        assert_eq!(template.as_ref().map(Template::name), name, "{file}");
    }
}

#[test]
fn a_message_names_what_it_lacks() {
    let wanting = template(
        "{ n: { type: number, example: 1 }, t: { type: instant, example: \"2025-10-05T09:00:00Z\" } }",
        "{{n}} {{when t}}",
    );
    for (data, code, message) in [
        (json!({"zone": "UTC"}), "template_variable_missing", "template `probe` needs `n`, `t`"),
        (
            json!({"n": 1, "t": null, "zone": "UTC"}),
            "template_variable_missing",
            "template `probe` needs `t`",
        ),
        (
            json!({"n": 1, "t": "2025-10-05T09:00:00Z"}),
            "template_variable_missing",
            "template `probe` needs `zone`",
        ),
        (
            json!({"n": 1, "t": "noon", "zone": "UTC"}),
            "template_variable_wrong",
            "`t` of template `probe` is not an instant such as `2025-10-05T09:00:00-05:00`",
        ),
        (
            json!({"n": 1, "t": "2025-10-05T09:00:00Z", "zone": "Mars"}),
            "template_failed",
            "template `probe` does not render",
        ),
    ] {
        let problem = wanting.render(&data).expect_err("a problem");
        assert_eq!((problem.code.as_ref(), problem.message.as_str()), (code, message), "{data}");
    }
    let problem = shipped().render("invit", &json!({})).expect_err("a problem");
    assert_eq!(problem.hint.as_deref(), Some("did you mean `invite`?"));
}

#[test]
fn values_are_never_a_template_and_never_unbounded() {
    let echo = template("{ x: { type: text, example: y } }", "[{{x}}]");
    for (value, body) in [
        ("{{church}} {{#if}}", "[{{church}} {{#if}}]"),
        ("a\u{0}\r\nb", "[a b]"),
        ("<b>&amp;", "[<b>&amp;]"),
    ] {
        assert_eq!(echo.render(&json!({"x": value})).expect("a message").body(), body);
    }
    let problem = echo.render(&json!({"x": "a".repeat(1600)})).expect_err("too long");
    assert_eq!(problem.code, "message_too_long");
    let problem = echo.render(&json!({"x": "a".repeat(2 << 20)})).expect_err("far too long");
    assert_eq!(problem.code, "template_failed");
}

#[test]
fn a_later_file_overrides_an_earlier_one_of_its_name() {
    let file = |body: &str| ("hello.hbs".to_owned(), format!("{HEAD}{body}"));
    let (templates, _) = Templates::load([file("one"), file("two")]);
    assert_eq!(templates.render("hello", &json!({})).expect("a message").body(), "two");
    assert_eq!(templates.digest("hello"), templates.get("hello").map(Template::digest));
    assert_eq!(templates.names().collect::<Vec<_>>(), ["hello"]);
}

#[test]
fn the_example_of_the_how_to_is_sound() {
    let page = include_str!("../../../docs/how-to/write-a-template.md");
    let (_, rest) = page.split_once("```handlebars\n").expect("an example");
    let (example, _) = rest.split_once("```").expect("the end of the example");
    let (template, found) = Template::check("reminder.hbs", example);
    assert_eq!(found, []);
    let template = template.expect("a template");
    let body = template.render(&template.example(false)).expect("a message").body().to_owned();
    assert_eq!(
        body,
        "Hi Ana, see you with the nursery team on Sunday 5 October at 9:00 am. \
         If anything has changed, just tell us. Grace Church"
    );
}

#[test]
fn a_translation_has_the_variables_of_what_it_translates() {
    let file = |vars: &str, to: &str| {
        format!("---\ndescription: d\nfor: {to}\nvars: {vars}\n---\nHola {{{{n}}}}.\n")
    };
    let number = "{ n: { type: number, example: 2 } }";
    let files = |name: &str, vars: &str, to: &str| {
        [("a.hbs".to_owned(), file(number, "staff")), (name.to_owned(), file(vars, to))]
    };
    let cases = [
        (files("a.es.hbs", number, "staff"), None),
        (files("a.es.hbs", "{ n: { type: text, example: dos } }", "staff"), Some("`vars` differs")),
        (files("a.es.hbs", number, "volunteer"), Some("`for`")),
        (files("b.es.hbs", number, "staff"), Some("there is no template `b.hbs`")),
    ];
    for (files, expected) in cases {
        let name = files[1].0.clone();
        let (templates, found) = Templates::load(files);
        assert_eq!(found, []);
        let translation = templates.translations().next().expect("a translation");
        let faults = templates.faults_of_translation(&name, translation);
        let fault = faults.first().map(|fault| fault.message.as_str());
        assert!(fault.unwrap_or_default().contains(expected.unwrap_or_default()), "{fault:?}");
        assert_eq!(fault.is_some(), expected.is_some(), "{name}");
    }
    let unknown = Template::check("a.xx.hbs", &file(number, "staff")).1;
    assert_eq!(unknown[0].code, "template-name");
}
