//! Plays a scenario once for each trial, several in parallel, and compares the states that they leave.

use std::collections::BTreeMap;

use abide_engine::base::Problem;
use serde::Serialize;

use super::difference::difference;
use super::plan::{Point, drawn, mix, plan};
use crate::abreast::{abreast, machine_fails};
use crate::apart::apart;
use crate::play::{Options, Rested, Template, compiled, rest, simulate};
use crate::report::Unmet;
use crate::scenario::Scenario;

/// What one simulation has to survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trial {
    /// A crash at this point.
    Point(Point),
    /// Faults drawn from this seed: several crashes, lost calls, messages that are delivered again.
    Seed(u64),
}

/// Which trials to run, and how.
#[derive(Clone, Default)]
pub struct Rules<'a> {
    /// Whether to test every commit of a scenario with more than [`super::plan::COMMITS_MAX`] commits.
    pub every_commit: bool,
    /// Test only every n-th point, starting at one that the scenario's seed chooses; 0 and 1 mean all points.
    pub one_in: usize,
    /// Number of additional simulations with random faults.
    pub seeds: u64,
    /// Runs only this trial.
    pub only: Option<Trial>,
    /// Number of simulations that run in parallel; at least 1.
    pub abreast: usize,
    /// Called with the number of trials done and their total: once at the start, then after each.
    pub on_point: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

/// The result of torturing one scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The scenario's name.
    pub scenario: String,
    /// The scenario's file.
    pub file: String,
    /// Number of commits in the simulation without a crash.
    pub commits: usize,
    /// Number of these commits by what they held.
    pub kinds: BTreeMap<String, usize>,
    /// Number of points at which the process was killed.
    pub points: usize,
    /// Number of simulations with random faults.
    pub seeds: u64,
    /// The trials that left a different state.
    pub failures: Vec<Failure>,
    /// Why the scenario was skipped; `None` if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

/// A trial that left a different state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The commit, counted from 1; `None` for random faults, and if the scenario fails even without a crash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<u64>,
    /// `before` or `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<&'static str>,
    /// The seed of random faults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// What the commit held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The differing lines: `-` marks a missing one, `+` an extra one.
    pub difference: Vec<String>,
}

/// Plays a scenario without crashes, then once for each trial of the rules, and reports every trial that
/// left a different state. Blocks the calling thread; the simulations have threads of their own.
///
/// # Errors
/// As [`simulate`]. A trial that cannot be played to its end is a [`Failure`], unless the machine is at
/// fault.
pub async fn torture(
    scenario: &Scenario,
    options: &Options<'_>,
    rules: &Rules<'_>,
) -> Result<Report, Problem> {
    let mut report = Report {
        scenario: scenario.name.clone(),
        file: scenario.file.clone(),
        commits: 0,
        kinds: BTreeMap::new(),
        points: 0,
        seeds: 0,
        failures: Vec::new(),
        skipped: None,
    };
    let library = compiled(options);
    let template = Template::empty().await?;
    let options =
        &Options { library: Some(&library), template: Some(&template), ..options.clone() };
    let told = apart(options.clone(), async |options| simulate(scenario, options).await).await?;
    let missing = |unmet: &&Unmet| unmet.code == "not_configured";
    if let Some(unmet) = told.unmet.iter().find(missing) {
        report.skipped = Some(format!("not_configured: {} ({})", unmet.expected, unmet.found));
        return Ok(report);
    }
    if !told.met() {
        report.failures.push(untrue(&told.unmet));
        return Ok(report);
    }
    let whole = apart(options.clone(), async |options| rest(scenario, options).await).await?;
    report.commits = whole.commits.len();
    for kind in &whole.commits {
        *report.kinds.entry(kind.to_string()).or_default() += 1;
    }
    let trials = match rules.only {
        Some(trial) => vec![trial],
        None => trials(&whole, rules, told.seed),
    };
    report.points = trials.iter().filter(|trial| matches!(trial, Trial::Point(_))).count();
    report.seeds = (trials.len() - report.points) as u64;
    report.failures = ordeal((scenario, options), (&whole, &trials), rules)?;
    Ok(report)
}

/// Returns the points of a scenario, then the seeds that follow the scenario's own.
fn trials(whole: &Rested, rules: &Rules<'_>, seed: u64) -> Vec<Trial> {
    let points = plan(&whole.commits, (rules.every_commit, rules.one_in), seed);
    points
        .into_iter()
        .map(Trial::Point)
        .chain((1..=rules.seeds).map(|n| Trial::Seed(seed.wrapping_add(n))))
        .collect()
}

/// Reports a scenario whose expectations do not hold even without a crash.
fn untrue(unmet: &[Unmet]) -> Failure {
    let told = |unmet: &Unmet| {
        let Unmet { line, expected, found, .. } = unmet;
        [format!("- line {line}: {expected}"), format!("+ line {line}: {found}")]
    };
    Failure { difference: unmet.iter().flat_map(told).collect(), ..Failure::default() }
}

/// Runs every trial and returns the failures in the order of the trials.
fn ordeal(
    (scenario, options): (&Scenario, &Options<'_>),
    (whole, trials): (&Rested, &[Trial]),
    rules: &Rules<'_>,
) -> Result<Vec<Failure>, Problem> {
    let expected = &whole.state.lines();
    let tell = |done| rules.on_point.iter().for_each(|tell| tell(done, trials.len()));
    tell(0);
    let one = |trial: &Trial| suffer((scenario, options), *trial, (whole, expected));
    let failures = abreast(trials, rules.abreast, &tell, one)?;
    Ok(failures.into_iter().flatten().collect())
}

/// Runs one trial and returns how the state that it leaves differs, if it does.
async fn suffer(
    (scenario, options): (&Scenario, &Options<'_>),
    trial: Trial,
    (whole, expected): (&Rested, &[String]),
) -> Result<Option<Failure>, Problem> {
    let (points, mischief) = match trial {
        Trial::Point(point) => (vec![point], None),
        Trial::Seed(seed) => (drawn(whole.commits.len(), seed), Some(mix(seed))),
    };
    let deaths: Vec<_> = points.iter().map(|point| (point.nth, point.side)).collect();
    let options = Options { deaths: &deaths, mischief, ..options.clone() };
    let difference = match apart(options, async |options| rest(scenario, options).await).await {
        Ok(played) => {
            let mut difference = difference(scenario.start, expected, &played.state.lines());
            if played.crashes <= whole.crashes {
                difference.push("- a crash".to_owned());
            }
            difference
        }
        Err(problem) if machine_fails(&problem) => return Err(problem),
        Err(problem) => vec![format!("+ the simulation cannot continue: {problem}")],
    };
    if difference.is_empty() {
        return Ok(None);
    }
    let failure = Failure { difference, ..Failure::default() };
    Ok(Some(match trial {
        Trial::Seed(seed) => Failure { seed: Some(seed), ..failure },
        Trial::Point(point) => {
            let nth = usize::try_from(point.nth).unwrap_or(usize::MAX);
            let kind = whole.commits.get(nth.wrapping_sub(1)).map(ToString::to_string);
            let (nth, side) = (Some(point.nth), Some(point.side_word()));
            Failure { point: nth, side, kind, ..failure }
        }
    }))
}
