//! `abide lint PATH…`: finds all errors in methods, templates, contracts and scenarios.

mod against;
mod content;
mod files;
mod prove;

use std::collections::BTreeMap;

use abide_engine::contract::Contracts;
use abide_engine::diagnostic::{self, Diagnostic, Severity, Source, codes};
use abide_engine::method::compile;
use abide_judgement::obligations::ToolAdapters;
pub(super) use content::{Content, ContractFiles};
pub(super) use files::{FileKind, LintFile, read_one, unreadable};
use serde_json::json;

use super::context::{CommandResult, Context};
use crate::cli::LintArgs;
use crate::exit::Exit;
use crate::output::{self, counted};
use crate::pack;

pub(super) async fn run(context: &Context, args: &LintArgs) -> CommandResult {
    if args.prove {
        return prove::run(context, args);
    }
    let (files, mut findings) = files::read(&args.paths)?;
    let contract_files = match args.against {
        Some(_) => ContractFiles::OfAProgram,
        None => ContractFiles::OfAHome,
    };
    let content = Content::load(&context.sources()?, &files, contract_files);
    if let Some(against) = &args.against {
        findings.extend(against::check(context, against, &content, &files).await?);
    }
    findings.extend(check(content, &files));
    findings.sort_by(|a, b| a.order().cmp(&b.order()));
    let exit = exit(&findings, args.deny.is_some());
    if !context.json(&json!(findings)) {
        print(&findings, &files);
    }
    Ok(exit)
}

/// Returns the exit code: failure if there is an error, or a warning that counts as an error.
pub(super) fn exit(findings: &[Diagnostic], denies_warnings: bool) -> Exit {
    let is_bad = |finding: &Diagnostic| finding.is_error() || denies_warnings;
    if findings.iter().any(is_bad) { Exit::Failure } else { Exit::Success }
}

/// Prints each finding with its line of the file, and a summary.
pub(super) fn print(findings: &[Diagnostic], files: &[LintFile]) {
    for finding in findings {
        let file = files.iter().find(|file| file.shown == finding.file);
        output::line(diagnostic::render(finding, file.map_or("", |file| &file.text)));
        output::line("");
    }
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    output::note(summary(files.len(), errors, findings.len() - errors));
}

/// Checks each file against `content`,
/// which consists of the built-in content, the home folder and all `files`.
pub(super) fn check(content: Content, files: &[LintFile]) -> Vec<Diagnostic> {
    let definitions = content.definitions();
    let mut findings = Vec::new();
    for file in files {
        match file.kind {
            FileKind::Method => findings.extend(compile(&file.shown, &file.text, &definitions).1),
            FileKind::Scenario => {
                findings.extend(abide_simulator::scenario::read(&file.shown, &file.text).1);
            }
            FileKind::Manifest => {
                findings.extend(pack::read_manifest(&file.shown, &file.text).1);
            }
            FileKind::InstallRecord => {
                findings.extend(pack::read_record(&file.shown, &file.text).1);
            }
            FileKind::Adapter => findings.extend(adapter(file, definitions.contracts)),
            FileKind::Contracts | FileKind::Template | FileKind::Intent => {}
        }
    }
    findings.extend(content.findings);
    findings
}

/// Checks an adapter of a tool.
fn adapter(file: &LintFile, contracts: &Contracts) -> Option<Diagnostic> {
    let files = BTreeMap::from([(file.name.clone(), file.text.clone())]);
    let problem = ToolAdapters::load(&files, contracts).err()?;
    let source = Source::new(&file.shown, &file.text);
    let finding = source.finding(Severity::Error, codes::WRONG_VALUE, &(0..0), problem.message);
    Some(finding.with_hint(problem.hint.unwrap_or_default()))
}

fn summary(files: usize, errors: usize, warnings: usize) -> String {
    match (errors, warnings) {
        (0, 0) => format!("{} checked: no problems", counted(files, "file")),
        _ => format!(
            "{} checked: {}, {}",
            counted(files, "file"),
            counted(errors, "error"),
            counted(warnings, "warning")
        ),
    }
}
