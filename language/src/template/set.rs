//! The set of checked templates, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::checked::Template;
use super::rendered::Rendered;
use crate::base::{Digest, Problem, did_you_mean};
use crate::diagnostic::Diagnostic;

/// A set of checked templates by name. Cloning is cheap: the templates are shared.
#[derive(Debug, Clone, Default)]
pub struct Templates {
    by_name: BTreeMap<String, Arc<Template>>,
}

impl Templates {
    /// Checks template files. Each file is a pair of its name (`invite.hbs`) and its content.
    ///
    /// Returns the templates without errors, and the findings of all files. A later file replaces
    /// an earlier file of the same name, so an operator's own files can override built-in templates.
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

    /// Returns the template named `name`; `None` if there is no such template.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Template> {
        self.by_name.get(name).map(AsRef::as_ref)
    }

    /// Returns the names of all templates, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Returns all templates, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Template> {
        self.by_name.values().map(AsRef::as_ref)
    }

    /// Returns the digest of the file of the template named `name`.
    #[must_use]
    pub fn digest(&self, name: &str) -> Option<Digest> {
        self.get(name).map(Template::digest)
    }

    /// Renders the template named `name`. `data` has the
    /// template's variables, including the standard variables.
    ///
    /// # Errors
    /// `template_unknown` if there is no such template, and the errors of [`Template::render`].
    pub fn render(&self, name: &str, data: &Value) -> Result<Rendered, Problem> {
        let Some(template) = self.get(name) else {
            let problem = Problem::author("template_unknown", format!("no template `{name}`"));
            let hint = did_you_mean(name, self.names());
            let files = || "templates are the `.hbs` files in `templates/`".to_owned();
            return Err(problem.with_hint(hint.unwrap_or_else(files)));
        };
        template.render(data)
    }
}
