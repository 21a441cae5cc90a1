//! Folds white space, so that line breaks that only wrap
//! the source of a template do not appear in messages.

use handlebars::Template;
use handlebars::template::TemplateElement;

/// Folds the literal text of a compiled template:
/// a line break becomes a space, and an empty line becomes a line break.
///
/// Folding happens before rendering, so that a block that renders as nothing leaves no empty line.
pub(super) fn fold(template: &mut Template) {
    for element in &mut template.elements {
        match element {
            TemplateElement::RawString(text) => {
                *text = squeeze(text, |breaks| if breaks > 1 { "\n" } else { " " });
            }
            TemplateElement::HelperBlock(block) => {
                for branch in [&mut block.template, &mut block.inverse].into_iter().flatten() {
                    fold(branch);
                }
            }
            _ => {}
        }
    }
}

/// Replaces each sequence of white space in a message with one space,
/// or with one line break if the sequence contains a line break.
pub(super) fn tidy(text: &str) -> String {
    squeeze(text, |breaks| if breaks > 0 { "\n" } else { " " }).trim().to_owned()
}

fn squeeze(text: &str, gap: fn(usize) -> &'static str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(char::is_whitespace) {
        out.push_str(&rest[..start]);
        let run = &rest[start..];
        let end = run.find(|c: char| !c.is_whitespace()).unwrap_or(run.len());
        out.push_str(gap(run[..end].matches('\n').count()));
        rest = &run[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn source_lines_fold_into_paragraphs_and_empty_blocks_leave_no_gap() {
        for (source, folded) in [
            ("\nHi Ana,\n  can you\nhelp?\n", "Hi Ana, can you help?"),
            ("One.\n\n\nTwo.\n", "One.\nTwo."),
            ("One.\n{{#if no}}never{{/if}}\nTwo.", "One. Two."),
            ("One.\n\n{{#if no}}never{{/if}}\n\nTwo.", "One.\nTwo."),
            ("{{#if no}}\nnever\n{{else}}\nalways\n\ntwice\n{{/if}}", "always\ntwice"),
            ("a  b\r\nc", "a b c"),
            ("   ", ""),
        ] {
            let mut template = Template::compile(source).expect("a template");
            fold(&mut template);
            let mut registry = handlebars::Handlebars::new();
            registry.register_template("probe", template);
            let text = registry.render("probe", &json!({"no": false})).expect("a message");
            assert_eq!(tidy(&text), folded, "{source:?}");
        }
    }
}
