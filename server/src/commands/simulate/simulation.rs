//! Selects what to simulate: a scenario file, or a method with the demo church.

use std::collections::BTreeSet;
use std::path::Path;

use abide_engine::library::Sources;
use abide_engine::method;
use abide_simulator::crowd::{CrowdModel, LEARNED};
use abide_simulator::scenario::{self, Scenario};

use super::super::json_option::parse_json_option;
use super::default_scenario;
use crate::cli::SimulateArgs;
use crate::files;
use crate::problem::{ProblemDocument, first_error};

/// A scenario to simulate, with the model of the people who answer at random.
pub(super) struct Simulation {
    pub(super) scenario: Scenario,
    pub(super) crowd: Option<CrowdModel>,
    /// Name of the method, if the caller named a method instead of a scenario file.
    pub(super) method: Option<String>,
}

impl Simulation {
    pub(super) fn select(args: &SimulateArgs, sources: &Sources) -> Result<Self, ProblemDocument> {
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
            let scenario = read_scenario(Path::new(name))?;
            let crowd = named.map(crowd_model).transpose()?;
            return Ok(Self { scenario, crowd, method: None });
        }
        if !method_names(sources).contains(name) {
            return Err(unknown_scenario(name, sources));
        }
        let goal = args.goal.as_deref().unwrap_or(default_scenario::GOAL);
        let goal = parse_json_option("--goal", goal)?;
        let mut scenario =
            parse_scenario(name, &default_scenario::scenario(name, &goal, args.lasts))?;
        name.clone_into(&mut scenario.file);
        let crowd = crowd_model(named.unwrap_or(CROWD_DEFAULT))?;
        Ok(Self { scenario, crowd: Some(crowd), method: Some(name.to_owned()) })
    }
}

/// The model of people that is used if a method is simulated by name without `--people`.
const CROWD_DEFAULT: &str = "typical";

/// Returns `sources` with one method replaced by the method in `file`, and the name of that method.
pub(super) fn with_method_from(
    sources: &Sources,
    file: &str,
) -> Result<(Sources, String), ProblemDocument> {
    let text = read(Path::new(file))?;
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

/// Loads a model of people: a built-in model, or a model from a file.
pub(in crate::commands) fn crowd_model(name: &str) -> Result<CrowdModel, ProblemDocument> {
    if let Some(model) = CrowdModel::shipped(name) {
        return Ok(model);
    }
    let path = Path::new(name);
    if path.is_file() {
        return Ok(CrowdModel::read(name, &read(path)?)?);
    }
    if name == LEARNED {
        let detail = "`learned` needs people who were asked before, and a simulation has none";
        return Err(ProblemDocument::new(404, "unknown_people", detail).with_hint(format!(
            "forecast a live run with it: `abide run forecast RUN --people learned`; or use one of these models: {}",
            CrowdModel::names().join(", ")
        )));
    }
    let detail = format!("`{name}` is neither a model of people nor a file");
    Err(ProblemDocument::new(404, "unknown_people", detail).with_hint(format!(
        "use one of these models: {}; or name a file",
        CrowdModel::names().join(", ")
    )))
}

fn read(path: &Path) -> Result<String, ProblemDocument> {
    files::read(path, || match path.exists() {
        true => format!("run `abide lint {}` to find the place", path.display()),
        false => "name an existing file, relative to the current folder".to_owned(),
    })
}

fn method_names(sources: &Sources) -> BTreeSet<String> {
    let heads =
        sources.methods.iter().filter_map(|(file, text)| method::read_signature(file, text));
    heads.map(|(name, _)| name).collect()
}

fn unknown_scenario(name: &str, sources: &Sources) -> ProblemDocument {
    let known: Vec<String> = method_names(sources).into_iter().collect();
    let detail = format!("`{name}` is neither a scenario file nor a method");
    ProblemDocument::new(404, "unknown_scenario", detail).with_hint(format!(
        "name a scenario file, as in `simulator/scenarios/`, or one of these methods: {}",
        known.join(", ")
    ))
}

/// Reads a scenario from a file.
pub(in crate::commands) fn read_scenario(path: &Path) -> Result<Scenario, ProblemDocument> {
    let name = path.display().to_string();
    parse_scenario(&name, &read(path)?)
}

/// Parses a scenario, or returns its first error as a problem.
pub(in crate::commands) fn parse_scenario(
    file: &str,
    text: &str,
) -> Result<Scenario, ProblemDocument> {
    let (scenario, findings) = scenario::read(file, text);
    scenario.ok_or_else(|| {
        let detail = first_error(&findings).unwrap_or_else(|| format!("{file} is not a scenario"));
        ProblemDocument::new(422, "scenario_invalid", detail)
            .with_hint(format!("run `abide lint {file}` to list every error"))
    })
}
