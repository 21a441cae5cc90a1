//! `abide lint PATH…`: finds all errors in methods, templates, contracts and scenarios.

mod against;
mod content;
mod files;
mod prove;

use abide_engine::diagnostic::{self, Diagnostic};
use abide_engine::method::compile;
use content::Content;
use files::{File, Kind};
use serde_json::json;

use super::{Context, Outcome};
use crate::cli::LintArgs;
use crate::exit::Exit;
use crate::output::{self, counted};

pub(super) async fn run(context: &Context, args: &LintArgs) -> Outcome {
    if args.prove {
        return prove::run(context, args);
    }
    let (files, mut findings) = files::read(&args.paths)?;
    let content = Content::of(&context.sources()?, &files);
    if let Some(against) = &args.against {
        findings.extend(against::check(context, against, (&content, &files)).await?);
    }
    findings.extend(check(content, &files));
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

/// Checks each file against the built-in content, the home folder and all the files together.
fn check(content: Content, files: &[File]) -> Vec<Diagnostic> {
    let world = content.world();
    let mut findings = Vec::new();
    for file in files {
        match file.kind {
            Kind::Method => findings.extend(compile(&file.shown, &file.text, &world).1),
            Kind::Scenario => {
                findings.extend(abide_simulator::scenario::read(&file.shown, &file.text).1);
            }
            Kind::Contracts | Kind::Template => {}
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
