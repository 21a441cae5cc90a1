//! The world in which files are checked: what is built in, the home, and all the files together.

use std::collections::BTreeMap;

use abide_engine::contract::Contracts;
use abide_engine::diagnostic::Diagnostic;
use abide_engine::library::Sources;
use abide_engine::method::{self, Head, World};
use abide_engine::template::Templates;

use super::files::{File, Kind};

/// The contracts, templates and methods that a file may name.
pub(super) struct Content {
    pub(super) contracts: Contracts,
    pub(super) templates: Templates,
    /// The texts of the methods by file, a later one in the place of an earlier one of its name.
    pub(super) methods: Vec<(String, String)>,
    heads: BTreeMap<String, Head>,
    /// What is wrong with the files' contracts and templates.
    pub(super) findings: Vec<Diagnostic>,
}

impl Content {
    pub(super) fn of(sources: &Sources, files: &[File]) -> Self {
        let of = |kind| files.iter().filter(move |file| file.kind == kind);
        let mut findings = Vec::new();
        let mut contracts = Contracts::default();
        for (name, text) in &sources.contracts {
            contracts.extend(Contracts::load(text, name).0);
        }
        for file in of(Kind::Contracts) {
            let (own, found) = Contracts::load(&file.text, &file.shown);
            contracts.extend(own);
            findings.extend(found);
        }
        let own = of(Kind::Template).map(|file| (file.name.clone(), file.text.clone()));
        let (templates, _) = Templates::load(sources.templates.clone().into_iter().chain(own));
        for file in of(Kind::Template) {
            let (_, found) = Templates::load([(file.name.clone(), file.text.clone())]);
            findings.extend(found.into_iter().map(|finding| shown_as(finding, file)));
        }
        let own = of(Kind::Method).map(|file| (file.shown.clone(), file.text.clone()));
        let methods: Vec<_> = sources.methods.clone().into_iter().chain(own).collect();
        let heads = methods.iter().filter_map(|(name, text)| method::head(name, text)).collect();
        Self { contracts, templates, methods, heads, findings }
    }

    /// What a method may name.
    pub(super) fn world(&self) -> World<'_> {
        World {
            contracts: &self.contracts,
            templates: &self.templates,
            methods: self.heads.clone(),
        }
    }
}

/// A template is known by its bare name; a finding names the path that was given.
fn shown_as(mut finding: Diagnostic, file: &File) -> Diagnostic {
    finding.file.clone_from(&file.shown);
    finding
}
