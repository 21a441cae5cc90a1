//! Checked templates, and the rendering of their messages.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use handlebars::{Context, Output, RenderContext, RenderErrorReason, Renderable};
use serde_json::Value;

use super::front_matter::{self, Audience, FrontMatter};
use super::helpers::registry;
use super::language::Language;
use super::rendered::{Rendered, neutralise};
use super::standard::{STANDARD_VARIABLES, StandardValues};
use super::variable::{Variable, VariableType};
use super::white_space::{fold, tidy};
use crate::base::limits::{MESSAGE_SEGMENTS_MAX, RENDER_BYTES_MAX};
use crate::base::{Digest, Problem};

/// What the name of a file says.
pub(super) struct TemplateName {
    pub(super) name: String,
    pub(super) language: Language,
}

/// A template in which the checker found no error.
#[derive(Debug, Clone)]
pub struct Template {
    name: String,
    language: Language,
    text: String,
    matter: FrontMatter,
    reads: BTreeSet<String>,
    compiled: handlebars::Template,
}

impl Template {
    pub(super) fn new(
        name: TemplateName,
        text: &str,
        matter: FrontMatter,
        reads: BTreeSet<String>,
        mut compiled: handlebars::Template,
    ) -> Self {
        fold(&mut compiled);
        let TemplateName { name, language } = name;
        Self { name, language, text: text.to_owned(), matter, reads, compiled }
    }

    /// Whether another template has the same variables.
    pub(super) fn takes_as(&self, other: &Self) -> bool {
        let taken = |it: &Self| -> Vec<(String, VariableType, bool)> {
            let all = it.matter.vars.iter();
            all.map(|(name, it)| (name.clone(), it.value_type, it.optional)).collect()
        };
        taken(self) == taken(other)
    }

    /// Whether another template is written to the same people, and the answers to it have the same effects.
    pub(super) fn asks_like(&self, other: &Self) -> bool {
        let asked = |it: &Self| {
            (
                it.matter.audience,
                it.matter.question.clone(),
                it.matter.yes.clone(),
                it.matter.no.clone(),
            )
        };
        asked(self) == asked(other)
    }

    /// Returns the template's name: the name of its file without the extension and the language.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the language of the message.
    #[must_use]
    pub const fn language(&self) -> Language {
        self.language
    }

    /// Returns the source of the whole file, front matter included. Runs pin a template by its source.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the digest of the source of the whole file.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.text.as_bytes())
    }

    /// Returns the sentence that says when the message is sent.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.matter.description
    }

    /// Returns whom the message is written to: volunteers, customers or staff.
    #[must_use]
    pub fn audience(&self) -> Audience {
        self.matter.audience
    }

    /// Returns the question that the message asks; `None` if no answer to the message has an effect.
    #[must_use]
    pub fn question(&self) -> Option<&str> {
        self.matter.question.as_deref()
    }

    /// Returns the effect of a yes, in the form that the verb `ask` takes; `None` if a yes has none.
    #[must_use]
    pub fn yes(&self) -> Option<&Value> {
        self.matter.yes.as_ref()
    }

    /// Returns the effect of a no, in the form that the verb `ask` takes; `None` if a no has none.
    #[must_use]
    pub fn no(&self) -> Option<&Value> {
        self.matter.no.as_ref()
    }

    /// Whether a language model may reword the message.
    #[must_use]
    pub const fn may_be_reworded(&self) -> bool {
        self.matter.reword
    }

    /// Returns the source below the front matter.
    pub(super) fn body(&self) -> &str {
        let at = front_matter::cut(&self.text).map_or(0, |(body, _)| body);
        self.text.get(at..).unwrap_or_default()
    }

    /// Returns the variables that the template declares. Standard variables are not included.
    #[must_use]
    pub fn variables(&self) -> &BTreeMap<String, Variable> {
        &self.matter.vars
    }

    /// Returns the names of the declared variables that are not optional.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        let needed = self.matter.vars.iter().filter(|(_, variable)| !variable.optional);
        needed.map(|(name, _)| name.as_str())
    }

    /// Returns the names of the variables that the template reads, including standard variables.
    #[must_use]
    pub fn reads(&self) -> &BTreeSet<String> {
        &self.reads
    }

    /// Returns example values for the standard variables and the declared variables.
    ///
    /// Optional variables are included only if `with_optional` is set.
    #[must_use]
    pub fn example(&self, with_optional: bool) -> Value {
        let given = self.matter.vars.iter().filter(|(_, v)| with_optional || !v.optional);
        let given = given.map(|(name, variable)| (name.clone(), variable.example.clone()));
        StandardValues::example().with(&Value::Object(given.collect()))
    }

    /// Renders the message with the variables in `data`, an object.
    ///
    /// Ignores members of `data` that are neither declared nor standard variables. A null counts as absent.
    ///
    /// # Errors
    /// `template_variable_missing` or `template_variable_wrong`, which name the variables;
    /// also `template_failed`, `message_empty` and `message_too_long`.
    pub fn render(&self, data: &Value) -> Result<Rendered, Problem> {
        let data = self.select_variables(data)?;
        let mut out = Bounded::default();
        self.compiled
            .render(
                registry(self.language),
                &Context::from(data),
                &mut RenderContext::new(None),
                &mut out,
            )
            .map_err(|error| self.failed(error.reason()))?;
        let body = tidy(&out.text);
        if body.is_empty() {
            let message = format!("template `{}` rendered an empty message", self.name);
            return Err(Problem::author("message_empty", message));
        }
        let rendered = Rendered::new(&self.name, body);
        let count = rendered.segments().segments;
        if count > MESSAGE_SEGMENTS_MAX {
            let message = format!("the message has {count} segments");
            return Err(Problem::author("message_too_long", message)
                .with_hint(format!(
                    "shorten it: carriers accept at most {MESSAGE_SEGMENTS_MAX} segments"
                ))
                .with_detail(format!("template `{}`", self.name)));
        }
        Ok(rendered)
    }

    /// Selects the values of the declared and standard variables,
    /// and makes all strings in them safe for a message.
    ///
    /// Fails if a required variable is missing or a value has the wrong type.
    fn select_variables(&self, data: &Value) -> Result<Value, Problem> {
        let given = |name: &str| data.get(name).filter(|value| !value.is_null());
        let standard = self.reads.iter().map(String::as_str);
        let standard = standard.filter(|name| STANDARD_VARIABLES.contains(name));
        let missing: Vec<String> = self
            .required()
            .chain(standard)
            .filter(|name| given(name).is_none())
            .map(|name| format!("`{name}`"))
            .collect();
        if !missing.is_empty() {
            let message = format!("template `{}` needs {}", self.name, missing.join(", "));
            return Err(Problem::author("template_variable_missing", message)
                .with_hint("pass it in `vars`"));
        }
        for (name, variable) in &self.matter.vars {
            if given(name).is_some_and(|value| !variable.value_type.accepts(value)) {
                let kind = variable.value_type.description();
                let message = format!("`{name}` of template `{}` is not {kind}", self.name);
                return Err(Problem::author("template_variable_wrong", message));
            }
        }
        let known = self.matter.vars.keys().map(String::as_str).chain(STANDARD_VARIABLES);
        let known = known.filter_map(|name| Some((name.to_owned(), neutralise(given(name)?))));
        Ok(Value::Object(known.collect()))
    }

    fn failed(&self, reason: &RenderErrorReason) -> Problem {
        match reason {
            RenderErrorReason::MissingVariable(Some(path)) => Problem::author(
                "template_variable_missing",
                format!("template `{}` needs `{path}`", self.name),
            ),
            other => Problem::author(
                "template_failed",
                format!("template `{}` does not render", self.name),
            )
            .with_detail(other.to_string()),
        }
    }
}

/// The output buffer of a rendering, which holds at most [`RENDER_BYTES_MAX`] bytes.
#[derive(Debug, Default)]
pub(super) struct Bounded {
    pub(super) text: String,
}

impl Output for Bounded {
    fn write(&mut self, piece: &str) -> Result<(), io::Error> {
        if self.text.len() + piece.len() > RENDER_BYTES_MAX {
            return Err(io::Error::other(format!("longer than {RENDER_BYTES_MAX} bytes")));
        }
        self.text.push_str(piece);
        Ok(())
    }
}
