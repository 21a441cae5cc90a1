//! All templates of a home, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::checked::Template;
use super::rendered::Rendered;
use crate::base::{Digest, Problem, did_you_mean};
use crate::diagnostic::Diagnostic;

/// The checked templates, by name. Cloning is cheap.
#[derive(Debug, Clone, Default)]
pub struct Templates {
    by_name: BTreeMap<String, Arc<Template>>,
}

impl Templates {
    /// Checks files given as name (`invite.hbs`) and text; a later file replaces an earlier one of
    /// the same name, which is how a home overrides what is built in. A file with an error is left
    /// out and described.
    #[must_use]
    pub fn load(files: impl IntoIterator<Item = (String, String)>) -> (Self, Vec<Diagnostic>) {
        let mut templates = Self::default();
        let mut found = Vec::new();
        for (file, text) in files {
            let (template, diagnostics) = Template::check(&file, &text);
            found.extend(diagnostics);
            if let Some(template) = template {
                templates.by_name.insert(template.name().to_owned(), Arc::new(template));
            }
        }
        (templates, found)
    }

    /// The template of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Template> {
        self.by_name.get(name).map(AsRef::as_ref)
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// All templates, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Template> {
        self.by_name.values().map(AsRef::as_ref)
    }

    /// The digest of this template's text.
    #[must_use]
    pub fn digest(&self, name: &str) -> Option<Digest> {
        self.get(name).map(Template::digest)
    }

    /// Renders a template with its variables, the standard ones among them.
    ///
    /// # Errors
    /// `template_unknown`, and those of [`Template::render`].
    pub fn render(&self, name: &str, data: &Value) -> Result<Rendered, Problem> {
        let Some(template) = self.get(name) else {
            let problem = Problem::author("template_unknown", format!("no template `{name}`"));
            let hint = did_you_mean(name, self.names());
            let files = || "templates are the `.hbs` files of `templates/`".to_owned();
            return Err(problem.with_hint(hint.unwrap_or_else(files)));
        };
        template.render(data)
    }
}
