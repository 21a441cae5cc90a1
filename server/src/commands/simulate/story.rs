//! Selecting what to simulate: a scenario file, or a method with the demo church.

use std::collections::BTreeSet;
use std::path::Path;

use abide_engine::base::limits;
use abide_engine::library::{Sources, read_text};
use abide_engine::method;
use abide_simulator::crowd::CrowdModel;
use abide_simulator::scenario::{self, Scenario};

use super::super::run::typed_json;
use super::casual;
use crate::cli::SimulateArgs;
use crate::problem::ProblemDocument;

/// A scenario with the model of the people who answer by chance.
pub(super) struct Story {
    pub(super) scenario: Scenario,
    pub(super) crowd: Option<CrowdModel>,
    /// Name of the method, if the caller named a method instead of a scenario file.
    pub(super) method: Option<String>,
}

impl Story {
    pub(super) fn of(args: &SimulateArgs, sources: &Sources) -> Result<Self, ProblemDocument> {
        let name = args.scenario.as_str();
        let named = args.people.as_deref();
        if Path::new(name).is_file() {
            if args.goal.is_some() {
                return Err(ProblemDocument::new(
                    422,
                    "scenario_goal",
                    "a scenario file sets its own goal",
                )
                .with_hint("omit `--goal`, or name a method"));
            }
            let scenario = read_story(Path::new(name))?;
            let crowd = named.map(people).transpose()?;
            return Ok(Self { scenario, crowd, method: None });
        }
        if !names(sources).contains(name) {
            return Err(unknown(name, sources));
        }
        let goal = args.goal.as_deref().unwrap_or(casual::GOAL);
        let goal = typed_json("--goal", goal)?;
        let mut scenario = sound(name, &casual::scenario(name, &goal, args.lasts))?;
        name.clone_into(&mut scenario.file);
        let crowd = people(named.unwrap_or(USUAL))?;
        Ok(Self { scenario, crowd: Some(crowd), method: Some(name.to_owned()) })
    }
}

/// Default model of people for a method.
const USUAL: &str = "typical";

/// Replaces a method in the content by the text in `file`. Returns the new content and the method's name.
pub(super) fn with(sources: &Sources, file: &str) -> Result<(Sources, String), ProblemDocument> {
    let text = read(file)?;
    let Some((name, _)) = method::read_signature(file, &text) else {
        let detail = format!("`{file}` is not a method");
        return Err(ProblemDocument::new(422, "not_a_method", detail)
            .with_hint(format!("run `abide lint {file}` to list every error")));
    };
    let mut other = sources.clone();
    other.methods.retain(|file, text| {
        method::read_signature(file, text).is_none_or(|(known, _)| known != name)
    });
    other.methods.insert(format!("{name}.yaml"), text);
    Ok((other, name))
}

/// Loads a built-in model of people, or one from a file.
pub(in crate::commands) fn people(name: &str) -> Result<CrowdModel, ProblemDocument> {
    if let Some(model) = CrowdModel::shipped(name) {
        return Ok(model);
    }
    if Path::new(name).is_file() {
        return Ok(CrowdModel::read(name, &read(name)?)?);
    }
    let detail = format!("`{name}` is neither a model of people nor a file");
    Err(ProblemDocument::new(404, "unknown_people", detail).with_hint(format!(
        "use one of these models: {}; or name a file",
        CrowdModel::names().join(", ")
    )))
}

fn read(name: &str) -> Result<String, ProblemDocument> {
    let path = Path::new(name);
    read_text(path, limits::METHOD_BYTES_MAX).map_err(|e| {
        let problem = ProblemDocument::new(422, "unreadable", format!("cannot read `{name}`: {e}"));
        problem.with_hint(match path.exists() {
            true => format!("run `abide lint {name}` to find the place"),
            false => "name an existing file, relative to the current folder".to_owned(),
        })
    })
}

fn names(sources: &Sources) -> BTreeSet<String> {
    let heads =
        sources.methods.iter().filter_map(|(file, text)| method::read_signature(file, text));
    heads.map(|(name, _)| name).collect()
}

fn unknown(name: &str, sources: &Sources) -> ProblemDocument {
    let known: Vec<String> = names(sources).into_iter().collect();
    let detail = format!("`{name}` is neither a scenario file nor a method");
    ProblemDocument::new(404, "unknown_scenario", detail).with_hint(format!(
        "name a scenario file, as in `simulator/scenarios/`, or one of these methods: {}",
        known.join(", ")
    ))
}

/// Reads a scenario from a file.
pub(in crate::commands) fn read_story(path: &Path) -> Result<Scenario, ProblemDocument> {
    let name = path.display().to_string();
    sound(&name, &read(&name)?)
}

/// Parses a scenario, or returns its first error as a problem.
pub(in crate::commands) fn sound(file: &str, text: &str) -> Result<Scenario, ProblemDocument> {
    let (scenario, findings) = scenario::read(file, text);
    scenario.ok_or_else(|| {
        let first = findings.iter().find(|finding| finding.is_error());
        let detail = first.map_or_else(
            || format!("{file} is not a scenario"),
            |f| format!("{file}:{}:{}: {}", f.line, f.col, f.message),
        );
        ProblemDocument::new(422, "scenario_invalid", detail)
            .with_hint(format!("run `abide lint {file}` to list every error"))
    })
}
