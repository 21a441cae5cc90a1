//! Playing a story once for each point, several plays side by side, and comparing what they leave.

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

/// What one play has to stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trial {
    /// A death at this point.
    Point(Point),
    /// What this seed draws: several deaths, calls that are lost, messages that are delivered again.
    Seed(u64),
}

/// What is done to a story.
#[derive(Clone, Default)]
pub struct Rules<'a> {
    /// Every commit, however many there are.
    pub every_commit: bool,
    /// Of the points only each so-manieth, from one that the scenario's seed chooses; 0 and 1 mean all.
    pub one_in: usize,
    /// So many plays with random faults besides.
    pub seeds: u64,
    /// Only this one.
    pub only: Option<Trial>,
    /// Plays side by side; at least one.
    pub abreast: usize,
    /// Told how many points there are, then after each how many are done.
    pub on_point: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The scenario's name.
    pub scenario: String,
    /// The file that it stands in.
    pub file: String,
    /// Commits of the story in which nobody is killed.
    pub commits: usize,
    /// The same by what they held.
    pub kinds: BTreeMap<String, usize>,
    /// Points at which the process was killed.
    pub points: usize,
    /// Plays with random faults.
    pub seeds: u64,
    /// Where something else was left.
    pub failures: Vec<Failure>,
    /// Why nothing was done to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

/// A trial that left something else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The commit, counted from 1; absent of random faults, and where the story does not
    /// come true without a death.
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
    /// `-` what is missing, `+` what is too much.
    pub difference: Vec<String>,
}

/// Kills the process at each point of a story that the rules ask for, and says where that shows. The
/// calling thread waits for the plays; they have threads of their own.
///
/// # Errors
/// As [`simulate`]: the story cannot be played at all, or a process of it refused to go on.
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

/// The points of a story, then the seeds behind its own.
fn trials(whole: &Rested, rules: &Rules<'_>, seed: u64) -> Vec<Trial> {
    let points = plan(&whole.commits, (rules.every_commit, rules.one_in), seed);
    points
        .into_iter()
        .map(Trial::Point)
        .chain((1..=rules.seeds).map(|n| Trial::Seed(seed.wrapping_add(n))))
        .collect()
}

/// The story does not come true even where nobody is killed.
fn untrue(unmet: &[Unmet]) -> Failure {
    let told = |unmet: &Unmet| {
        let Unmet { line, expected, found, .. } = unmet;
        [format!("- line {line}: {expected}"), format!("+ line {line}: {found}")]
    };
    Failure { difference: unmet.iter().flat_map(told).collect(), ..Failure::default() }
}

/// Plays every trial; the failures in the order of the trials, whichever play ended first.
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

/// One play that stands a trial; what it leaves otherwise, if anything.
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
                difference.push("- a death".to_owned());
            }
            difference
        }
        Err(problem) if machine_fails(&problem) => return Err(problem),
        Err(problem) => vec![format!("+ the story cannot go on: {problem}")],
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
