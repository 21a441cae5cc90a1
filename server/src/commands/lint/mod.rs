//! `abide lint PATH…`: finds all errors in methods, templates, contracts and scenarios.

mod against;
mod content;
mod files;
mod prove;

use abide_engine::diagnostic::{self, Diagnostic};
use abide_engine::method::compile;
use content::{Content, ContractFiles};
use files::{FileKind, LintFile};
use serde_json::json;

use super::context::{CommandResult, Context};
use crate::cli::LintArgs;
use crate::exit::Exit;
use crate::output::{self, counted};

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
    let count = |errors| findings.iter().filter(|finding| finding.is_error() == errors).count();
    let (errors, warnings) = (count(true), count(false));
    let is_bad = errors > 0 || (args.deny.is_some() && warnings > 0);
    let exit = if is_bad { Exit::Failure } else { Exit::Success };
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

/// Checks each file against `content`,
/// which consists of the built-in content, the home folder and all `files`.
fn check(content: Content, files: &[LintFile]) -> Vec<Diagnostic> {
    let definitions = content.definitions();
    let mut findings = Vec::new();
    for file in files {
        match file.kind {
            FileKind::Method => findings.extend(compile(&file.shown, &file.text, &definitions).1),
            FileKind::Scenario => {
                findings.extend(abide_simulator::scenario::read(&file.shown, &file.text).1);
            }
            FileKind::Contracts | FileKind::Template => {}
        }
    }
    findings.extend(content.findings);
    findings
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
