//! Finds the variables, the helpers and the other tags in the syntax tree of a compiled template.

use std::collections::BTreeSet;

use handlebars::template::{
    BlockParam, DecoratorTemplate, HelperTemplate, Parameter, TemplateElement,
};
use handlebars::{Path, PathSeg, Template};

/// A position in a source: line and column in characters, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub line: usize,
    pub column: usize,
}

/// A use of a name in a tag of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Use {
    pub name: String,
    /// Position of the tag in the compiled source.
    pub at: Position,
    /// Whether an enclosing block such as `{{#if name}}` guarantees that the variable is present.
    pub guarded: bool,
    /// Whether the name is only tested, as in `{{#if name}}`.
    pub tested: bool,
}

/// All names that a template uses.
#[derive(Debug, Default)]
pub(super) struct References {
    pub variables: Vec<Use>,
    pub helpers: Vec<Use>,
    /// Tags that messages may not contain: partials, decorators, and tags for all variables at once.
    pub disallowed: Vec<Use>,
}

/// Collects the names that a template uses.
/// `is_helper` decides whether a name without arguments is a helper.
pub(super) fn uses(template: &Template, is_helper: fn(&str) -> bool) -> References {
    let mut walk = Walk {
        found: References::default(),
        scopes: Vec::new(),
        guards: Vec::new(),
        at: Position { line: 1, column: 1 },
        is_helper,
    };
    walk.template(template);
    walk.found
}

/// The rules for resolving names inside an `each` or `with` block.
struct Scope {
    /// Whether plain names are members of an item rather than variables.
    item: bool,
    params: BTreeSet<String>,
}

struct Walk {
    found: References,
    scopes: Vec<Scope>,
    guards: Vec<String>,
    at: Position,
    is_helper: fn(&str) -> bool,
}

impl Walk {
    fn template(&mut self, template: &Template) {
        for (index, element) in template.elements.iter().enumerate() {
            if let Some(place) = template.mapping.get(index) {
                self.at = Position { line: place.0, column: place.1 };
            }
            self.element(element);
        }
    }

    fn element(&mut self, element: &TemplateElement) {
        match element {
            TemplateElement::Expression(tag) | TemplateElement::HtmlExpression(tag) => {
                self.expression(tag);
            }
            TemplateElement::HelperBlock(tag) => self.block(tag),
            TemplateElement::DecoratorExpression(tag)
            | TemplateElement::DecoratorBlock(tag)
            | TemplateElement::PartialExpression(tag)
            | TemplateElement::PartialBlock(tag) => self.disallowed(&decorator_name(tag)),
            // Plain text and comments use no names.
            _ => {}
        }
    }

    fn expression(&mut self, tag: &HelperTemplate) {
        let name = tag.name.as_name().unwrap_or_default();
        let alone = tag.params.is_empty() && tag.hash.is_empty();
        if alone && !(self.is_helper)(name) {
            self.parameter(&tag.name, false);
        } else {
            self.helper(name);
            self.arguments(tag, false);
        }
    }

    fn block(&mut self, tag: &HelperTemplate) {
        let name = tag.name.as_name().unwrap_or_default();
        self.helper(name);
        let asks = matches!(name, "if" | "unless");
        self.arguments(tag, asks);
        let certain: Vec<String> =
            tag.params.iter().flat_map(|parameter| self.certain(parameter)).collect();
        let (then, otherwise) = (tag.template.as_ref(), tag.inverse.as_ref());
        let (holds, fails) = if name == "unless" { (otherwise, then) } else { (then, otherwise) };
        if let Some(branch) = holds {
            let before = self.guards.len();
            if asks {
                self.guards.extend(certain);
            }
            if matches!(name, "each" | "with") {
                self.scopes.push(Scope { item: true, params: block_params(tag) });
                self.template(branch);
                self.scopes.pop();
            } else {
                self.template(branch);
            }
            self.guards.truncate(before);
        }
        if let Some(branch) = fails {
            self.template(branch);
        }
    }

    fn arguments(&mut self, tag: &HelperTemplate, tested: bool) {
        for parameter in &tag.params {
            self.parameter(parameter, tested);
        }
        for parameter in tag.hash.values() {
            self.parameter(parameter, tested);
        }
    }

    fn parameter(&mut self, parameter: &Parameter, tested: bool) {
        match parameter {
            Parameter::Name(name) => self.variable(name.clone(), tested),
            Parameter::Path(path) => {
                if let Some(name) = self.root(path) {
                    self.variable(name, tested);
                }
            }
            Parameter::Subexpression(inner) => {
                if let TemplateElement::Expression(tag) = inner.as_element() {
                    let name = tag.name.as_name().unwrap_or_default();
                    self.helper(name);
                    self.arguments(tag, tested && matches!(name, "and" | "or" | "not"));
                }
            }
            // Literals use no names.
            _ => {}
        }
    }

    /// Returns the variable that a path begins with.
    /// Returns `None` for members of an item, block parameters, and names such as `@index`.
    fn root(&mut self, path: &Path) -> Option<String> {
        let Path::Relative((segments, raw)) = path else { return None };
        let first = segments.iter().find_map(|segment| match segment {
            PathSeg::Named(name) => Some(name.clone()),
            _ => None,
        });
        let from_root = raw.starts_with("@root");
        let ups = raw.matches("../").count();
        let depth = if from_root { 0 } else { self.scopes.len().saturating_sub(ups) };
        let Some(name) = first else {
            if depth == 0 {
                self.disallowed(raw);
            }
            return None;
        };
        let scopes = self.scopes.get(..depth).unwrap_or_default();
        let item = scopes.last().is_some_and(|scope| scope.item);
        let bound = scopes.iter().any(|scope| scope.params.contains(&name));
        (!bound && !item).then_some(name)
    }

    /// Returns the variables that are certainly present if the condition `parameter` of an `if` holds.
    fn certain(&mut self, parameter: &Parameter) -> Vec<String> {
        match parameter {
            Parameter::Path(path) => self.root(path).into_iter().collect(),
            Parameter::Subexpression(inner) if inner.name() == "and" => inner
                .params()
                .into_iter()
                .flatten()
                .flat_map(|parameter| self.certain(parameter))
                .collect(),
            _ => Vec::new(),
        }
    }

    fn variable(&mut self, name: String, tested: bool) {
        let guarded = self.guards.contains(&name);
        self.found.variables.push(Use { name, at: self.at, guarded, tested });
    }

    fn helper(&mut self, name: &str) {
        let name = name.to_owned();
        self.found.helpers.push(Use { name, at: self.at, guarded: false, tested: false });
    }

    fn disallowed(&mut self, name: &str) {
        let name = name.to_owned();
        self.found.disallowed.push(Use { name, at: self.at, guarded: false, tested: false });
    }
}

fn block_params(tag: &HelperTemplate) -> BTreeSet<String> {
    let params = match &tag.block_param {
        Some(BlockParam::Single(one)) => vec![one],
        Some(BlockParam::Pair((one, two))) => vec![one, two],
        _ => Vec::new(),
    };
    params.into_iter().filter_map(Parameter::as_name).map(str::to_owned).collect()
}

fn decorator_name(tag: &DecoratorTemplate) -> String {
    tag.name.as_name().unwrap_or("partial").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::helpers;

    fn names(source: &str) -> String {
        let template = Template::compile(source).expect("a template");
        let found = uses(&template, |name| helpers::names().any(|helper| helper == name));
        let names: BTreeSet<String> = found.variables.into_iter().map(|used| used.name).collect();
        names.into_iter().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn variables_are_found_wherever_a_template_can_hide_them() {
        for (source, variables) in [
            ("Hi {{name}}", "name"),
            ("{{{name}}} {{&other}} {{! comment }}", "name other"),
            ("{{person.name.first}} {{this.n}} {{./m}}", "m n person"),
            ("{{when time}}", "time"),
            ("{{plural n one many=x}}", "n one x"),
            ("{{#if a}}{{b}}{{else if c}}{{d}}{{else}}{{e}}{{/if}}", "a b c d e"),
            ("{{#unless a}}{{b}}{{/unless}}", "a b"),
            (
                "{{#each people}}{{name}} {{@index}} {{../church}} {{@root.zone}} {{this}}{{/each}}",
                "church people zone",
            ),
            ("{{#each people as |p i|}}{{p.name}} {{i}} {{../n}}{{/each}}", "n people"),
            ("{{#with person}}{{name}}{{else}}{{nobody}}{{/with}}", "nobody person"),
            ("{{#each a}}{{#each b}}{{x}}{{../y}}{{../../z}}{{/each}}{{/each}}", "a z"),
            ("{{#if (and a (eq b 'x'))}}{{/if}}", "a b"),
            ("{{lookup people n}}", "n people"),
        ] {
            assert_eq!(names(source), variables, "{source}");
        }
    }

    #[test]
    fn places_and_guards_are_kept() {
        let template = Template::compile("Hi\n you {{#if role}}as {{role}}{{/if}} {{role}}")
            .expect("a template");
        let found = uses(&template, |name| name == "if");
        let seen: Vec<_> =
            found.variables.iter().map(|used| (used.at.line, used.tested, used.guarded)).collect();
        assert_eq!(seen, [(2, true, false), (2, false, true), (2, false, false)]);
    }
}
