//! Checks a pack as the files of a home, together with the content that it is laid over.

use std::collections::BTreeSet;
use std::path::Component;

use abide_engine::contract::Contract;
use abide_engine::diagnostic::{Diagnostic, Severity, Source};
use abide_engine::library::Sources;
use abide_engine::method;
use abide_simulator::scenario::{self, Action, MethodSource};

use super::read::ReadPack;
use crate::commands::lint::{Content, ContractFiles, FileKind, check};
use crate::pack::{self, MANIFEST};

/// A pack with what its check found.
pub(super) struct LintedPack {
    pub(super) pack: ReadPack,
    /// The findings, in reading order.
    pub(super) findings: Vec<Diagnostic>,
    /// The content with the files of the pack laid over it.
    pub(super) sources: Sources,
}

impl LintedPack {
    pub(super) fn has_errors(&self) -> bool {
        self.findings.iter().any(Diagnostic::is_error)
    }
}

/// Checks a pack. `below` is the content that it is laid over: that of the program and of the home.
pub(super) fn lint(mut pack: ReadPack, mut below: Sources) -> LintedPack {
    // A home's contracts that the pack replaces would count as a second definition of the same tools.
    for file in pack.files.iter().filter(|file| file.kind == FileKind::Contracts) {
        below.remove_home_contracts(&file.name);
    }
    let content = Content::load(&below, &pack.files, ContractFiles::OfAHome);
    let mut findings = std::mem::take(&mut pack.findings);
    findings.extend(calls_of_other_domains(&pack, &content));
    findings.extend(files_outside(&pack));
    findings.extend(check(content, &pack.files));
    findings.extend(untested_methods(&pack));
    findings.sort_by(|a, b| a.order().cmp(&b.order()));
    let sources = laid_over(&pack, below);
    LintedPack { pack, findings, sources }
}

fn laid_over(pack: &ReadPack, mut sources: Sources) -> Sources {
    for file in &pack.files {
        let (name, text) = (file.name.clone(), file.text.clone());
        match file.kind {
            FileKind::Contracts => sources.add_home_contracts(&name, text),
            FileKind::Intent => drop(sources.intents.insert(name, text)),
            FileKind::Method => drop(sources.methods.insert(name, text)),
            FileKind::Template => sources.add_home_template(&name, text),
            FileKind::Adapter => drop(sources.adapters.insert(name, text)),
            FileKind::Scenario | FileKind::Manifest | FileKind::InstallRecord => {}
        }
    }
    sources
}

/// Returns an error for each call of a tool of a domain that the manifest does not list.
fn calls_of_other_domains(pack: &ReadPack, content: &Content) -> Vec<Diagnostic> {
    let Some(manifest) = &pack.manifest else { return Vec::new() };
    let definitions = content.definitions();
    let mut found = Vec::new();
    for file in pack.files.iter().filter(|file| file.kind == FileKind::Method) {
        // Findings of the compilation are reported elsewhere.
        let (Some(method), _) = method::compile(&file.shown, &file.text, &definitions) else {
            continue;
        };
        let source = Source::new(&file.shown, &file.text);
        for step in &method.graph().nodes {
            let Some(call) = step.call() else { continue };
            let contract = definitions.contracts.get(&call.verb);
            let Some(domain) = contract.and_then(Contract::belongs_to) else { continue };
            if manifest.domains.iter().any(|listed| listed.as_str() == domain) {
                continue;
            }
            let at = source.line_range(step.line);
            let message = format!("`{}` is a tool of the domain `{domain}`", call.verb);
            let hint = format!("add `{domain}` to `domains` in `{MANIFEST}`, or remove the call");
            let code = pack::codes::OTHER_DOMAIN;
            found.push(source.finding(Severity::Error, code, &at, message).with_hint(hint));
        }
    }
    found
}

/// Returns an error for each file outside the pack that a scenario would publish. A pack that somebody else wrote
/// could otherwise show files of the reader's.
fn files_outside(pack: &ReadPack) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for file in pack.files.iter().filter(|file| file.kind == FileKind::Scenario) {
        let steps = scenario::read(&file.shown, &file.text).0.map(|scenario| scenario.steps);
        for step in steps.into_iter().flatten() {
            let Action::Publish(publish) = &step.action else { continue };
            let MethodSource::File(path) = &publish.source else { continue };
            // The path starts in the folder `scenarios`, so one `..` leads to the folder of the pack.
            let inside = path.strip_prefix("..").unwrap_or(path);
            if inside.components().all(|part| matches!(part, Component::Normal(_))) {
                continue;
            }
            let source = Source::new(&file.shown, &file.text);
            let at = source.line_range(step.place.line);
            let message = format!("`{}` is not a file of the pack", path.display());
            let finding = source.finding(Severity::Error, pack::codes::PACK_FILE, &at, message);
            found.push(
                finding.with_hint("copy the file into `methods`, and publish `../methods/…`"),
            );
        }
    }
    found
}

/// Returns a warning for each method that no scenario of the pack starts.
fn untested_methods(pack: &ReadPack) -> Vec<Diagnostic> {
    let of_kind = |kind| pack.files.iter().filter(move |file| file.kind == kind);
    let scenarios = of_kind(FileKind::Scenario);
    let scenarios = scenarios.filter_map(|file| scenario::read(&file.shown, &file.text).0);
    let steps = scenarios.flat_map(|scenario| scenario.steps);
    let started: BTreeSet<String> = steps
        .filter_map(|step| match step.action {
            Action::Start(start) => Some(start.method),
            _ => None,
        })
        .collect();
    let untested = of_kind(FileKind::Method).filter_map(|file| {
        let (name, _) = method::read_signature(&file.shown, &file.text)?;
        let message = format!("no scenario of the pack starts the method `{name}`");
        let at = file.text.find("method:").map_or(0..0, |at| at..at + "method".len());
        let finding = Source::new(&file.shown, &file.text).finding(
            Severity::Warning,
            pack::codes::UNTESTED_METHOD,
            &at,
            message,
        );
        let hint = "add a scenario with a step `start: { method: …, goal: … }`";
        (!started.contains(&name)).then(|| finding.with_hint(hint))
    });
    untested.collect()
}
