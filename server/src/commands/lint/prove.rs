//! `abide lint --prove PATH…`: proves the worst case of each method.

use std::collections::BTreeMap;

use abide_engine::base::Timestamp;
use abide_engine::diagnostic::{self, Diagnostic};
use abide_engine::method::{CheckedMethod, compile};
use abide_engine::proof::{Given, Proof, ProofDefinitions, ProofStart, prove};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::content::{Content, ContractFiles};
use super::files::{self, FileKind, LintFile};
use crate::cli::LintArgs;
use crate::commands::context::{CommandResult, Context};
use crate::exit::Exit;
use crate::output::{self, counted};
use crate::problem::ProblemDocument;

/// A method to prove, with the result of its proof.
struct ProofResult {
    /// Path of the method's file, as printed.
    file: String,
    text: String,
    /// The proof, or the errors if the method does not compile.
    result: Result<Box<Proof>, Vec<Diagnostic>>,
}

pub(in crate::commands) fn run(context: &Context, args: &LintArgs) -> CommandResult {
    let given = assumptions(context, args)?;
    let sources = context.sources()?;
    let (names, paths): (Vec<_>, Vec<_>) = args.paths.iter().cloned().partition(|path| {
        let name = path.to_string_lossy();
        !path.exists() && sources.methods.contains_key(&format!("{name}.yaml"))
    });
    let (mut files, unread) = files::read(&paths)?;
    for name in names.iter().map(|name| format!("{}.yaml", name.to_string_lossy())) {
        let text = sources.methods.get(&name).cloned().unwrap_or_default();
        files.push(LintFile { shown: name.clone(), name, text, kind: FileKind::Method });
    }
    let content = Content::load(&sources, &files, ContractFiles::OfAHome);
    let results = prove_all(&content, &files, &given);
    let unproved = results.iter().filter(|one| !one.holds()).count();
    let exit = if unproved + unread.len() > 0 { Exit::Failure } else { Exit::Success };
    if context.json(&results.iter().map(ProofResult::object).collect()) {
        return Ok(exit);
    }
    for finding in &unread {
        output::line(diagnostic::render(finding, ""));
    }
    results.iter().for_each(|one| one.print(given.start.as_ref()));
    output::note(match (results.len(), unproved) {
        (all, 0) => format!("{} proved", counted(all, "method")),
        (all, n) => format!("{} of {} not proved", n, counted(all, "method")),
    });
    Ok(exit)
}

/// Compiles all methods once, and proves the methods in `files`.
fn prove_all(content: &Content, files: &[LintFile], given: &Given) -> Vec<ProofResult> {
    let definitions = content.definitions();
    let texts = content.methods.iter().map(|(file, text)| compile(file, text, &definitions).0);
    let compiled: BTreeMap<String, CheckedMethod> =
        texts.flatten().map(|method| (method.name().to_owned(), method)).collect();
    let methods = compiled.iter().map(|(name, method)| (name.as_str(), method.graph())).collect();
    let known =
        ProofDefinitions { contracts: &content.contracts, templates: &content.templates, methods };
    let methods = files.iter().filter(|file| file.kind == FileKind::Method);
    methods
        .map(|file| {
            let (method, findings) = compile(&file.shown, &file.text, &definitions);
            let proof = method.map(|method| Box::new(prove(method.graph(), &known, given)));
            let errors = || findings.into_iter().filter(Diagnostic::is_error).collect();
            let result = proof.ok_or_else(errors);
            ProofResult { file: file.shown.clone(), text: file.text.clone(), result }
        })
        .collect()
}

/// Collects the assumptions that the command line gives: numbers of people, price and start time.
fn assumptions(context: &Context, args: &LintArgs) -> Result<Given, ProblemDocument> {
    let settings = &context.settings;
    let start = args.start.as_deref().map(|text| {
        let at: Timestamp = text.parse().map_err(|e| {
            ProblemDocument::new(422, "invalid_time", format!("`--start`: {e}"))
                .with_hint("write a time such as 2025-09-30T14:20:00-05:00")
        })?;
        let zone = TimeZone::get(&settings.time_zone).unwrap_or(TimeZone::UTC);
        Ok::<_, ProblemDocument>(ProofStart { at, zone, quiet_hours: settings.quiet_hours })
    });
    Ok(Given {
        people: args.people,
        staff: args.staff,
        price: args.price,
        start: start.transpose()?,
        ..Given::of(settings)
    })
}

impl ProofResult {
    fn holds(&self) -> bool {
        self.result.as_ref().is_ok_and(|proof| proof.holds())
    }

    fn object(&self) -> Value {
        match &self.result {
            Ok(proof) => output::proof::object(proof, &self.file),
            Err(findings) => json!({ "file": self.file, "holds": false, "findings": findings }),
        }
    }

    fn print(&self, start: Option<&ProofStart>) {
        match &self.result {
            Ok(proof) => {
                let lines = output::proof::lines(proof, &self.file, start);
                lines.into_iter().for_each(output::line);
            }
            Err(findings) => {
                output::line(format_args!("{}: NOT PROVED: it does not compile", self.file));
                for finding in findings {
                    output::line(diagnostic::render(finding, &self.text));
                }
            }
        }
        output::line("");
    }
}
