//! Checks template files: returns a [`Template`] if the file has no errors, and reports all findings.

use std::collections::BTreeSet;
use std::ops::Range;

use super::bounds::within_bounds;
use super::checked::{Template, TemplateName};
use super::codes;
use super::front_matter::{self, FrontMatter};
use super::helpers;
use super::keyword;
use super::language::Language;
use super::references::{Position, References, Use, uses};
use super::segments::outside_gsm7;
use super::standard::STANDARD_VARIABLES;
use crate::base::{Problem, did_you_mean};
use crate::diagnostic::codes::TOO_LARGE;
use crate::diagnostic::{Diagnostic, Severity, Source};

impl Template {
    /// Checks a template file. The name of the file ends with `.hbs`.
    ///
    /// Returns the template, or `None` if there is an error.
    /// Also returns all findings, sorted by their positions in the file.
    #[must_use]
    pub fn check(file: &str, text: &str) -> (Option<Self>, Vec<Diagnostic>) {
        let mut checker = Checker { source: Source::new(file, text), found: Vec::new() };
        let template = checker.template();
        let mut found = checker.found;
        found.sort_by(|a, b| a.order().cmp(&b.order()));
        let sound = !found.iter().any(Diagnostic::is_error);
        (template.filter(|_| sound), found)
    }
}

struct Checker<'a> {
    source: Source<'a>,
    found: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn template(&mut self) -> Option<Template> {
        let name = self.name();
        let Some((body_at, front_end)) = front_matter::cut(self.source.text()) else {
            let message = "the file does not begin with front matter";
            let remedy =
                "begin with a line `---`, then `description`, `for` and `vars`, then a line `---`";
            self.error(0..0, codes::FRONT_MATTER, message, remedy);
            return None;
        };
        let matter = front_matter::read(&self.source, front_end, &mut self.found);
        self.characters(body_at);
        self.keyword(body_at);
        let compiled = self.compile(body_at);
        let (matter, compiled) = (matter?, compiled?);
        let found = uses(&compiled, |name| helpers::names().any(|helper| helper == name));
        self.variables(&matter, &found);
        self.tags(&found);
        let reads = found.variables.into_iter().map(|used| used.name);
        let zone = found.helpers.iter().any(|used| helpers::reads_zone(&used.name));
        let reads: BTreeSet<String> = reads.chain(zone.then(|| "zone".to_owned())).collect();
        let template = Template::new(name?, self.source.text(), matter, reads, compiled);
        if !self.found.iter().any(Diagnostic::is_error) {
            self.examples(&template, body_at);
        }
        Some(template)
    }

    fn name(&mut self) -> Option<TemplateName> {
        let file = self.source.file();
        let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let name = base.strip_suffix(".hbs").unwrap_or(base);
        let translated = name.split_once('.');
        let language = translated.and_then(|(_, language)| Language::parse(language));
        let (name, language) = match (translated, language) {
            (Some((name, _)), Some(language)) => (name, language),
            _ => (name, Language::English),
        };
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain) {
            return Some(TemplateName { name: name.to_owned(), language });
        }
        let message = format!("`{name}` is not a valid template name");
        let remedy = "use lower-case letters, digits and `_`, as in `last_call.hbs`, or `last_call.es.hbs` in Spanish";
        self.error(0..0, codes::NAME, message, remedy);
        None
    }

    /// Parses the body of the template, which follows the front matter.
    ///
    /// The parser gets empty lines instead of the front matter, so that it reports positions in the file.
    fn compile(&mut self, body_at: usize) -> Option<handlebars::Template> {
        let body = self.source.slice(&(body_at..self.source.text().len()));
        if let Err(message) = within_bounds(body) {
            self.error(body_at..body_at, TOO_LARGE, message, "shorten it to a few lines");
            return None;
        }
        let lines = self.source.line(body_at) as usize - 1;
        match handlebars::Template::compile(&format!("{}{body}", "\n".repeat(lines))) {
            Ok(compiled) => Some(compiled),
            Err(error) => {
                let (line, column) = error.pos().unwrap_or((lines + 1, 1));
                let at = self.offset(Position { line, column });
                let reason = error.reason().to_string();
                let reason = reason.lines().next().unwrap_or_default();
                let remedy = "close every `{{#if}}` with `{{/if}}` and every `{{` with `}}`";
                self.error(at..at, codes::SYNTAX, reason, remedy);
                None
            }
        }
    }

    /// Warns once about each character outside GSM-7.
    /// A single such character reduces the whole message to 70 characters per segment.
    fn characters(&mut self, body_at: usize) {
        let prose = keyword::prose(self.source.slice(&(body_at..self.source.text().len())));
        let mut seen = BTreeSet::new();
        for (at, c) in prose.char_indices() {
            let mut buffer = [0; 4];
            if outside_gsm7(c.encode_utf8(&mut buffer)).is_none() || !seen.insert(c) {
                continue;
            }
            let range = body_at + at..body_at + at + c.len_utf8();
            let message = format!("`{c}` (U+{:04X}) is outside GSM-7", u32::from(c));
            let finding = self.source.finding(Severity::Warning, codes::CHARACTER, &range, message);
            self.found.push(finding.with_hint(match plain_spelling(c) {
                Some(plain) => {
                    format!("write `{plain}`: then a segment holds 160 characters instead of 70")
                }
                None => {
                    "leave it out: with it, a segment holds 70 characters instead of 160".to_owned()
                }
            }));
        }
    }

    fn keyword(&mut self, body_at: usize) {
        let prose = keyword::prose(self.source.slice(&(body_at..self.source.text().len())));
        if let Some(found) = keyword::keyword(&prose) {
            let range = body_at + found.range.start..body_at + found.range.end;
            self.asks_for(&found.word, range);
        }
    }

    fn asks_for(&mut self, word: &str, range: Range<usize>) {
        let message = format!("asks people to send `{word}`");
        let remedy = "ask as you would ask a friend: people answer in their own words";
        self.error(range, codes::KEYWORD, message, remedy);
    }

    fn variables(&mut self, matter: &FrontMatter, found: &References) {
        let mut unknown = BTreeSet::new();
        for used in &found.variables {
            let declared = matter.vars.get(&used.name);
            if declared.is_none() && !is_standard(&used.name) && unknown.insert(&used.name) {
                self.undeclared(matter, used);
            }
            let optional = declared.is_some_and(|variable| variable.optional);
            if optional && !used.guarded && !used.tested {
                let message = format!("`{}` may be missing here", used.name);
                let remedy = format!("put it inside `{{{{#if {}}}}}`", used.name);
                self.error(self.tag(used), codes::OPTIONAL_VARIABLE, message, remedy);
            }
        }
        for (name, at) in &matter.declared_at {
            if is_standard(name) {
                let message = format!("`{name}` is a standard variable");
                self.error(at.clone(), codes::VARIABLE_NAME, message, "leave it out of `vars`");
            } else if helpers::names().any(|helper| helper == name) {
                let message = format!("`{name}` is the name of a helper");
                self.error(at.clone(), codes::VARIABLE_NAME, message, "give it another name");
            } else if !found.variables.iter().any(|used| used.name == *name) {
                let message = format!("`{name}` is declared but not used");
                self.error(at.clone(), codes::UNUSED_VARIABLE, message, "use it, or leave it out");
            }
        }
    }

    fn undeclared(&mut self, matter: &FrontMatter, used: &Use) {
        let known = matter.vars.keys().map(String::as_str).chain(STANDARD_VARIABLES);
        let remedy = did_you_mean(&used.name, known).unwrap_or_else(|| {
            format!("add `{}` to `vars`, with its `type` and an `example`", used.name)
        });
        let message = format!("`{}` is not declared", used.name);
        self.error(self.tag(used), codes::UNDECLARED_VARIABLE, message, remedy);
    }

    fn tags(&mut self, found: &References) {
        for used in &found.disallowed {
            let message = format!("`{}` is not allowed in a message", used.name);
            let remedy =
                "use variables, helpers and blocks only: a message is one file, without partials";
            self.error(self.tag(used), codes::FOREIGN_TAG, message, remedy);
        }
        for used in &found.helpers {
            if helpers::names().any(|helper| helper == used.name) {
                continue;
            }
            let remedy = did_you_mean(&used.name, helpers::names()).unwrap_or_else(|| {
                format!("helpers: {}", helpers::names().collect::<Vec<_>>().join(" "))
            });
            let message = format!("no helper `{}`", used.name);
            self.error(self.tag(used), codes::UNKNOWN_HELPER, message, remedy);
        }
    }

    /// Renders the template's examples, once with and once without the optional variables,
    /// to find errors that only the rendered message shows.
    fn examples(&mut self, template: &Template, body_at: usize) {
        for optional in [true, false] {
            match template.render(&template.example(optional)) {
                Ok(rendered) => {
                    if let Some(found) = keyword::keyword(rendered.body()) {
                        return self.asks_for(&found.word, body_at..body_at);
                    }
                }
                Err(Problem { message, hint, .. }) => {
                    let message = format!("the example does not render: {message}");
                    let remedy =
                        hint.unwrap_or_else(|| "correct the text or the example".to_owned());
                    return self.error(body_at..body_at, codes::EXAMPLE, message, remedy);
                }
            }
        }
    }

    /// Returns the byte range of the `{{…}}` tag that uses a name.
    fn tag(&self, used: &Use) -> Range<usize> {
        let start = self.offset(used.at);
        let rest = self.source.slice(&(start..self.source.text().len()));
        start..start + rest.find("}}").map_or(rest.len(), |end| end + 2)
    }

    /// Converts a position to a byte offset. Line and column count from 1; the column counts characters.
    fn offset(&self, position: Position) -> usize {
        let start = self.source.line_start(u32::try_from(position.line).unwrap_or(u32::MAX));
        let rest = self.source.slice(&(start..self.source.text().len()));
        start
            + rest
                .char_indices()
                .nth(position.column.saturating_sub(1))
                .map_or(rest.len(), |(at, _)| at)
    }

    fn error(
        &mut self,
        at: Range<usize>,
        code: &'static str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        let finding = self.source.finding(Severity::Error, code, &at, message);
        self.found.push(finding.with_hint(remedy));
    }
}

fn is_standard(name: &str) -> bool {
    STANDARD_VARIABLES.contains(&name)
}

fn plain_spelling(c: char) -> Option<&'static str> {
    match c {
        '‘' | '’' | '`' => Some("'"),
        '“' | '”' => Some("\""),
        '–' | '—' => Some("-"),
        '…' => Some("..."),
        '\u{a0}' | '\t' => Some(" "),
        _ => None,
    }
}
