//! The set of checked templates, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::checked::Template;
use super::codes;
use super::language::Language;
use super::rendered::Rendered;
use crate::base::{Digest, Problem, did_you_mean};
use crate::diagnostic::{Diagnostic, Severity, Source};

/// A set of checked templates by name. Cloning is cheap: the templates are shared.
#[derive(Debug, Clone, Default)]
pub struct Templates {
    by_name: BTreeMap<String, Arc<Template>>,
    /// The same templates in other languages.
    translations: BTreeMap<(Language, String), Arc<Template>>,
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
                templates.insert(template);
            }
        }
        (templates, found)
    }

    fn insert(&mut self, template: Template) {
        let (language, name) = (template.language(), template.name().to_owned());
        let template = Arc::new(template);
        match language {
            Language::English => drop(self.by_name.insert(name, template)),
            other => drop(self.translations.insert((other, name), template)),
        }
    }

    /// Returns what is wrong with a template in another language: it says the same as the English template of its
    /// name, so it has the same variables and asks the same.
    #[must_use]
    pub fn faults_of_translation(&self, file: &str, template: &Template) -> Vec<Diagnostic> {
        if template.language() == Language::English {
            return Vec::new();
        }
        let name = template.name();
        let fault = match self.get(name) {
            None => format!("there is no template `{name}.hbs` of which this is a translation"),
            Some(original) if !original.takes_as(template) => {
                format!("`vars` differs from that of `{name}.hbs`")
            }
            Some(original) if !original.asks_like(template) => {
                format!("`for`, `question`, `yes` or `no` differs from that of `{name}.hbs`")
            }
            Some(_) => return Vec::new(),
        };
        let source = Source::new(file, template.text());
        let finding = source.finding(Severity::Error, codes::TRANSLATION, &(0..0), fault);
        vec![finding.with_hint("copy the front matter, and translate only the text below it")]
    }

    /// Returns all templates in other languages than English.
    pub fn translations(&self) -> impl Iterator<Item = &Template> {
        self.translations.values().map(AsRef::as_ref)
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

    /// Renders the template named `name` in a language, if there is a translation, and otherwise as it is.
    ///
    /// # Errors
    /// Those of [`Templates::render`].
    pub fn render_in(
        &self,
        language: Language,
        name: &str,
        data: &Value,
    ) -> Result<Rendered, Problem> {
        match self.translations.get(&(language, name.to_owned())) {
            Some(translation) => translation.render(data),
            None => self.render(name, data),
        }
    }

    /// Returns the template named `name` in the language in which a message was rendered from it: the one that has most
    /// of the words of the message.
    #[must_use]
    pub fn of_message(&self, name: &str, message: &str) -> Option<&Template> {
        let translations = self.translations.iter().filter(|((_, other), _)| other == name);
        let all = translations.map(|(_, template)| template.as_ref()).chain(self.get(name));
        all.max_by_key(|template| template.words_in(message))
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
