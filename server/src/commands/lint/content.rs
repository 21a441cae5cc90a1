//! The content that files are checked against: the built-in content, the home folder and the checked files.

use std::collections::BTreeMap;

use abide_agent::operator::OperatorIntents;
use abide_agent::staff::Intents;
use abide_engine::contract::Contracts;
use abide_engine::diagnostic::Diagnostic;
use abide_engine::library::Sources;
use abide_engine::method::{self, Definitions, Signature};
use abide_engine::template::{Template, Templates};

use super::files::{FileKind, LintFile};

/// The contracts, templates and methods that a file can refer to.
pub(in crate::commands) struct Content {
    pub(super) contracts: Contracts,
    pub(super) templates: Templates,
    /// File and YAML source of each method. A later method replaces an earlier method of the same name.
    pub(super) methods: Vec<(String, String)>,
    /// Signatures of the methods, by name.
    signatures: BTreeMap<String, Signature>,
    /// Findings in the contracts, templates and intents that are checked.
    pub(super) findings: Vec<Diagnostic>,
}

/// How the checked files of contracts would be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum ContractFiles {
    /// As a home's, which add tools and may tighten the built-in contracts.
    OfAHome,
    /// As those of another version of the program, which replace the contracts of this one.
    OfAProgram,
}

impl Content {
    pub(in crate::commands) fn load(
        sources: &Sources,
        files: &[LintFile],
        contract_files: ContractFiles,
    ) -> Self {
        let files_of = |kind| files.iter().filter(move |file| file.kind == kind);
        let mut findings = Vec::new();
        let (mut contracts, _) = sources.contracts();
        for file in files_of(FileKind::Contracts) {
            let (own, found) = match contract_files {
                ContractFiles::OfAHome => Contracts::load_over(&contracts, &file.text, &file.shown),
                ContractFiles::OfAProgram => Contracts::load(&file.text, &file.shown),
            };
            contracts.extend(own);
            findings.extend(found);
        }
        let mut texts = sources.clone();
        // English first: it replaces all languages.
        let mut own: Vec<&LintFile> = files_of(FileKind::Template).collect();
        own.sort_by_key(|file| file.name.matches('.').count());
        for file in &own {
            texts.add_home_template(&file.name, file.text.clone());
        }
        let (templates, _) = Templates::load(texts.templates);
        for file in own {
            let (template, found) = Template::check(&file.name, &file.text);
            let faults = template.map(|it| templates.faults_of_translation(&file.name, &it));
            let found = found.into_iter().chain(faults.into_iter().flatten());
            findings.extend(found.map(|finding| shown_as(finding, file)));
        }
        let own = files_of(FileKind::Method).map(|file| (file.shown.clone(), file.text.clone()));
        let methods: Vec<_> = sources.methods.clone().into_iter().chain(own).collect();
        let signatures: BTreeMap<_, _> =
            methods.iter().filter_map(|(name, text)| method::read_signature(name, text)).collect();
        let own: Vec<&LintFile> = files_of(FileKind::Intent).collect();
        let mut intents = sources.intents.clone();
        // A file that is checked is read instead of the file of the same name in the home.
        intents.retain(|name, _| own.iter().all(|file| file.name != *name));
        let checked = own.iter().map(|file| (file.shown.clone(), file.text.clone()));
        intents.extend(checked);
        let exists = |method: &str| signatures.contains_key(method);
        let (_, found) = Intents::load(&intents, &exists);
        let is_checked = |finding: &Diagnostic| own.iter().any(|file| file.shown == finding.file);
        findings.extend(found.into_iter().filter(is_checked));
        let (_, found) = OperatorIntents::load(&intents, &contracts);
        findings.extend(found.into_iter().filter(is_checked));
        Self { contracts, templates, methods, signatures, findings }
    }

    /// Returns the contracts, templates and signatures of methods that a method can refer to.
    pub(in crate::commands) fn definitions(&self) -> Definitions<'_> {
        Definitions {
            contracts: &self.contracts,
            templates: &self.templates,
            methods: self.signatures.clone(),
        }
    }
}

/// Replaces the file name in a finding by the path that the user gave on the command line.
fn shown_as(mut finding: Diagnostic, file: &LintFile) -> Diagnostic {
    finding.file.clone_from(&file.shown);
    finding
}
