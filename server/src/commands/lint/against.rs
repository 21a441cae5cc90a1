//! `abide lint --against DIR|DB`: checks whether files are compatible with existing methods or live runs.
//!
//! With a folder, it checks the contracts against the methods in that folder. With a database,
//! it checks the contracts against the live runs, and the methods against the waiting runs.

use std::path::Path;

use abide_engine::diagnostic::{Diagnostic, Severity, Source};
use abide_engine::library::{Library, Sources};
use serde_json::{Value, json};

use super::content::Content;
use super::files::{FileKind, LintFile};
use crate::api_request::ApiRequest;
use crate::commands::context::Context;
use crate::output::counted;
use crate::output::members::{items, text};
use crate::problem::ProblemDocument;

/// Code of the finding for a contract that accepts or returns less than a method or a run relies on.
const BREAKS_CALLERS: &str = "breaks-callers";
/// Code of the finding for waiting runs that could not be moved to the checked method.
const RUNS_STAY: &str = "runs-stay";

/// A method or a group of runs that calls `verb`, and that the changed contract of `verb` would break.
struct BrokenCaller {
    verb: String,
    /// Description of the method or the group of runs, for the message.
    caller: String,
    why: String,
}

pub(super) async fn check(
    context: &Context,
    against: &str,
    content: &Content,
    files: &[LintFile],
) -> Result<Vec<Diagnostic>, ProblemDocument> {
    if Path::new(against).is_dir() {
        return Ok(findings(&broken_in_home(Path::new(against), content)?, files));
    }
    let global =
        crate::cli::GlobalOptions { db: Some(against.to_owned()), ..context.global.clone() };
    let other = Context { global, settings: context.settings.clone(), model: None };
    let link = other.link().await?;
    let contracts = files.iter().filter(|file| file.kind == FileKind::Contracts);
    let contracts: Vec<Value> =
        contracts.map(|file| json!({"file": file.shown, "text": file.text})).collect();
    let answer =
        link.send(ApiRequest::post("/v1/contracts/check", json!({"contracts": contracts}))).await?;
    let broken = items(&answer).iter().map(|run| {
        let runs = usize::try_from(run["runs"].as_u64().unwrap_or(0)).unwrap_or(0);
        let caller = format!(
            "{} of `{}` at `{}`",
            counted(runs, "live run"),
            text(run, "method"),
            text(run, "step")
        );
        BrokenCaller {
            verb: text(run, "verb").to_owned(),
            caller,
            why: text(run, "why").to_owned(),
        }
    });
    let mut found = findings(&broken.collect::<Vec<_>>(), files);
    for file in files.iter().filter(|file| file.kind == FileKind::Method) {
        let body = json!({"file": file.shown, "text": file.text});
        let upgrade = link.send(ApiRequest::post("/v1/methods/check", body)).await?;
        found.extend(runs_left_behind(&upgrade, file));
    }
    Ok(found)
}

/// Finds the methods of a home folder whose calls would no longer match the contracts.
fn broken_in_home(home: &Path, content: &Content) -> Result<Vec<BrokenCaller>, ProblemDocument> {
    let library = Library::compile(Sources::builtin().with_home(home)?);
    let mut broken = Vec::new();
    for (name, bundle) in &library.methods {
        let found = bundle.incompatibilities(&|_| true, &content.contracts).into_iter();
        broken.extend(found.map(|unfit| BrokenCaller {
            verb: unfit.verb,
            caller: format!("the method `{name}` at `{}`", unfit.step),
            why: unfit.why,
        }));
    }
    Ok(broken)
}

/// Creates a finding for each method or group of runs that would break.
/// The finding points to the verb's contract if one of `files` contains that contract.
fn findings(broken: &[BrokenCaller], files: &[LintFile]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for BrokenCaller { verb, caller, why } in broken {
        let contracts = files.iter().filter(|file| file.kind == FileKind::Contracts);
        let at = contracts.filter_map(|file| Some((file, range_of_verb(&file.text, verb)?))).next();
        let message = format!("`{verb}`: {why}: {caller} would break");
        let (shown, text, at) =
            at.map_or(("contracts", "", 0..0), |(file, at)| (&file.shown, &file.text, at));
        let finding =
            Source::new(shown, text).finding(Severity::Error, BREAKS_CALLERS, &at, message);
        found.push(finding.with_hint(
            "keep what the contract accepts and returns, or wait until nothing relies on it",
        ));
    }
    found
}

/// Returns the byte range of a verb's name in a contract file.
fn range_of_verb(text: &str, verb: &str) -> Option<std::ops::Range<usize>> {
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let name =
            line.trim_end().strip_suffix(':').map(|name| name.trim().trim_matches(['"', '\'']));
        if name == Some(verb) {
            let indent = line.len() - line.trim_start().len();
            return Some(from + indent..from + indent + verb.len());
        }
        from += line.len();
    }
    None
}

/// Creates a warning for each group of waiting runs that could not be moved to the checked method.
fn runs_left_behind(upgrade: &Value, file: &LintFile) -> Vec<Diagnostic> {
    let groups = upgrade["groups"].as_array().into_iter().flatten();
    let groups = groups.filter(|group| text(group, "judgement") != "safe");
    groups
        .map(|group| {
            let count = usize::try_from(group["count"].as_u64().unwrap_or(0)).unwrap_or(0);
            let message = format!(
                "{} of version {} could not be moved to this text: `{}`: {}",
                counted(count, "live run"),
                group["from_version"],
                text(group, "step"),
                text(group, "why")
            );
            Source::new(&file.shown, &file.text)
                .finding(Severity::Warning, RUNS_STAY, &(0..0), message)
                .with_hint(
                    "see `docs/how-to/change-a-method.md`; the runs continue with the text they have",
                )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_is_found_where_its_contract_begins() {
        let text = "verbs:\n  tell:\n    version: 1\n  ask:\n    version: 1\n";
        assert_eq!(range_of_verb(text, "ask").map(|at| &text[at]), Some("ask"));
        assert_eq!(range_of_verb(text, "wave"), None);
    }
}
