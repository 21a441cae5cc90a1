//! Reads the sources (contents of the files) of contracts, templates, methods and intents.

use std::collections::BTreeMap;
use std::path::Path;

use super::builtin;
use super::contracts::{self, name_in_home};
use super::text_file::read_text;
use crate::base::{Problem, limits};
use crate::contract::Contracts;
use crate::diagnostic::Diagnostic;

/// Sources by file name (`fill_roles.yaml`), one map per folder.
/// A source that is added later replaces an earlier source with the same file name,
/// except that the contracts of a home are kept beside those of the program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// Sources of contracts: `contracts/*.yaml`. The names of those of a home begin with `home/`.
    pub contracts: BTreeMap<String, String>,
    /// Sources of adapters of tools: `contracts/adapters/*.yaml`. What discharges obligations reads them.
    pub adapters: BTreeMap<String, String>,
    /// Sources of templates: `templates/*.hbs`.
    pub templates: BTreeMap<String, String>,
    /// Sources of methods: `methods/*.yaml`.
    pub methods: BTreeMap<String, String>,
    /// Sources of the intents that a home adds: `intents/*.yaml`. The domain reads them.
    pub intents: BTreeMap<String, String>,
}

impl Sources {
    /// Returns the sources that are compiled into the program.
    #[must_use]
    pub fn builtin() -> Self {
        let owned = |texts: &[(&str, &str)]| {
            texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
        };
        Self {
            contracts: owned(builtin::CONTRACTS),
            adapters: owned(builtin::ADAPTERS),
            templates: owned(builtin::TEMPLATES),
            methods: owned(builtin::METHODS),
            intents: BTreeMap::new(),
        }
    }

    /// Loads the contracts: those of the program, with what the home adds and tightens.
    /// An invalid contract is left out and reported as a finding.
    #[must_use]
    pub fn contracts(&self) -> (Contracts, Vec<Diagnostic>) {
        contracts::load(&self.contracts)
    }

    /// Adds the files of the folder `home`, from its subfolders `contracts/`, `templates/`, `methods/` and
    /// `intents/`. Any of these subfolders may be missing.
    ///
    /// # Errors
    /// `home_missing` if the folder does not exist;
    /// `home_unreadable` if a file cannot be read as text or exceeds [`limits::METHOD_BYTES_MAX`].
    pub fn with_home(mut self, home: &Path) -> Result<Self, Problem> {
        if !home.is_dir() {
            let message = format!("there is no folder `{}`", home.display());
            return Err(Problem::operator("home_missing", message).with_hint(
                "give `--home` a folder that has `methods/`, `templates/`, `contracts/` or `intents/`",
            ));
        }
        let mut contracts = BTreeMap::new();
        read_folder(&home.join("contracts"), "yaml", &mut contracts)?;
        let contracts = contracts.into_iter().map(|(file, text)| (name_in_home(&file), text));
        self.contracts.extend(contracts);
        read_folder(&home.join("contracts/adapters"), "yaml", &mut self.adapters)?;
        let mut templates = BTreeMap::new();
        read_folder(&home.join("templates"), "hbs", &mut templates)?;
        templates.keys().for_each(|file| self.remove_translations(file));
        self.templates.extend(templates);
        read_folder(&home.join("methods"), "yaml", &mut self.methods)?;
        read_folder(&home.join("intents"), "yaml", &mut self.intents)?;
        Ok(self)
    }

    /// Adds a template of a home. It replaces the template of the same name in all languages, because a translation of
    /// the replaced template no longer says the same.
    pub fn add_home_template(&mut self, file: &str, text: String) {
        self.remove_translations(file);
        self.templates.insert(file.to_owned(), text);
    }

    /// Removes the translations of a template; none if the file is a translation itself.
    fn remove_translations(&mut self, file: &str) {
        let Some(name) = file.strip_suffix(".hbs") else { return };
        let of_it = |other: &String| {
            let language = other.strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
            language.is_some_and(|language| language != "hbs")
        };
        self.templates.retain(|other, _| !of_it(other));
    }

    /// Adds a file of contracts of a home. It replaces the home's file of the same name.
    pub fn add_home_contracts(&mut self, file: &str, text: String) {
        self.contracts.insert(name_in_home(file), text);
    }

    /// Removes a file of contracts of a home, if there is one.
    pub fn remove_home_contracts(&mut self, file: &str) {
        self.contracts.remove(&name_in_home(file));
    }
}

fn read_folder(
    folder: &Path,
    ending: &str,
    texts: &mut BTreeMap<String, String>,
) -> Result<(), Problem> {
    if !folder.exists() {
        return Ok(());
    }
    let entries = std::fs::read_dir(folder).map_err(|e| unreadable(folder, &e.to_string()))?;
    for entry in entries {
        let path = entry.map_err(|e| unreadable(folder, &e.to_string()))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let Some(name) = name.filter(|_| path.extension().is_some_and(|e| e == ending)) else {
            continue;
        };
        let text = read_text(&path, limits::METHOD_BYTES_MAX);
        texts.insert(name.to_owned(), text.map_err(|e| unreadable(&path, &e.to_string()))?);
    }
    Ok(())
}

fn unreadable(path: &Path, cause: &str) -> Problem {
    Problem::operator("home_unreadable", format!("cannot read `{}`: {cause}", path.display()))
        .with_hint("fix the file, or move it out of the `--home` folder")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_adds_and_replaces_by_file_name() {
        let home = tempfile::tempdir().expect("a folder");
        let methods = home.path().join("methods");
        std::fs::create_dir(&methods).expect("a folder");
        std::fs::write(methods.join("greet.yaml"), "method: greet").expect("a file");
        std::fs::write(methods.join("notes.txt"), "not a method").expect("a file");

        let builtin = Sources::builtin();
        let both = builtin.clone().with_home(home.path()).expect("reads");
        assert_eq!(both.methods["greet.yaml"], "method: greet");
        assert!(!both.methods.contains_key("notes.txt"));
        assert_eq!(both.contracts, builtin.contracts);
    }

    #[test]
    fn a_template_of_a_home_replaces_all_languages() {
        let home = tempfile::tempdir().expect("a folder");
        let templates = home.path().join("templates");
        std::fs::create_dir(&templates).expect("a folder");
        std::fs::write(templates.join("invite.hbs"), "Hi").expect("a file");
        std::fs::write(templates.join("help.hbs"), "Help").expect("a file");
        std::fs::write(templates.join("help.es.hbs"), "Ayuda").expect("a file");
        let both = Sources::builtin().with_home(home.path()).expect("reads");
        assert_eq!(both.templates["invite.hbs"], "Hi");
        assert!(!both.templates.contains_key("invite.es.hbs"));
        assert_eq!(both.templates["help.es.hbs"], "Ayuda");
        assert!(both.templates.contains_key("confirmed.es.hbs"));
    }

    #[test]
    fn a_home_or_file_that_cannot_be_read_is_named() {
        let home = tempfile::tempdir().expect("a folder");
        let missing = home.path().join("nowhere");
        assert_eq!(
            Sources::default().with_home(&missing).expect_err("refused").code,
            "home_missing"
        );

        let methods = home.path().join("methods");
        std::fs::create_dir(&methods).expect("a folder");
        std::fs::write(methods.join("bad.yaml"), b"\xff\xfe").expect("a file");
        let problem = Sources::default().with_home(home.path()).expect_err("refused");
        assert!(problem.message.contains("bad.yaml`: line 1 is not UTF-8"), "{problem}");

        let huge = "x".repeat(limits::METHOD_BYTES_MAX + 1);
        std::fs::write(methods.join("bad.yaml"), huge).expect("a file");
        let problem = Sources::default().with_home(home.path()).expect_err("refused");
        assert!(problem.message.contains("bad.yaml`: it has more than 1048576 bytes"), "{problem}");
    }
}
