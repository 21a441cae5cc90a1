//! `abide lint PATH…`: everything that is wrong with methods, templates, contracts and scenarios.

mod files;

use abide_engine::contract::Contracts;
use abide_engine::diagnostic::{self, Diagnostic};
use abide_engine::method::{self, World, compile};
use abide_engine::template::Templates;
use files::{File, Kind};
use serde_json::json;

use super::{Context, Outcome};
use crate::cli::LintArgs;
use crate::exit::Exit;
use crate::output::{self, counted};
use crate::problem::ProblemDocument;

pub(super) fn run(context: &Context, args: &LintArgs) -> Outcome {
    let (files, mut findings) = files::read(&args.paths)?;
    findings.extend(check(context, &files)?);
    findings.sort_by(|a, b| a.order().cmp(&b.order()));
    let count = |errors| findings.iter().filter(|finding| finding.is_error() == errors).count();
    let (errors, warnings) = (count(true), count(false));
    let unwell = errors > 0 || (args.deny.is_some() && warnings > 0);
    let exit = if unwell { Exit::Unwell } else { Exit::Done };
    if context.json(&json!(findings)) {
        return Ok(exit);
    }
    for finding in &findings {
        let file = files.iter().find(|file| file.shown == finding.file);
        output::line(diagnostic::render(finding, file.map_or("", |file| &file.text)));
        output::line("");
    }
    output::note(summary(files.len(), errors, warnings));
    Ok(exit)
}

/// Checks each file in the world of what is built in, of the home, and of all the files together.
fn check(context: &Context, files: &[File]) -> Result<Vec<Diagnostic>, ProblemDocument> {
    let sources = context.sources()?;
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
    let written = sources.methods.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let written =
        written.chain(of(Kind::Method).map(|file| (file.shown.as_str(), file.text.as_str())));
    let methods = written.filter_map(|(name, text)| method::head(name, text)).collect();
    let world = World { contracts: &contracts, templates: &templates, methods };
    for file in of(Kind::Method) {
        findings.extend(compile(&file.shown, &file.text, &world).1);
    }
    for file in of(Kind::Scenario) {
        findings.extend(abide_simulator::scenario::read(&file.shown, &file.text).1);
    }
    Ok(findings)
}

/// A template is known by its bare name; a finding names the path that was given.
fn shown_as(mut finding: Diagnostic, file: &File) -> Diagnostic {
    finding.file.clone_from(&file.shown);
    finding
}

fn summary(files: usize, errors: usize, warnings: usize) -> String {
    match (errors, warnings) {
        (0, 0) => format!("{} checked, all sound", counted(files, "file")),
        _ => format!(
            "{} checked: {}, {}",
            counted(files, "file"),
            counted(errors, "error"),
            counted(warnings, "warning")
        ),
    }
}
