//! Plays a scenario once for each trial, several in parallel, and compares the final states.

use std::collections::BTreeMap;

use abide_engine::base::Problem;
use abide_engine::store::CommitParts;
use serde::Serialize;

use super::difference::difference;
use super::plan::{Sampling, draw_crashes, fault_mix, plan_crashes};
use crate::own_database::with_own_database;
use crate::parallel::{is_machine_fault, run_in_parallel};
use crate::play::{
    CommitCrash, EndState, PlayOptions, StartDatabase, compile_library, play_to_end_state, simulate,
};
use crate::report::UnmetExpectation;
use crate::scenario::Scenario;

/// A disturbance that one simulation must survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trial {
    /// A crash at this point.
    Crash(CommitCrash),
    /// Faults drawn from this seed: several crashes, lost calls, and messages that are delivered again.
    Seed(u64),
}

/// The trials to run, and how to run them.
#[derive(Clone, Default)]
pub struct TortureOptions<'a> {
    /// The selection of the scenario's points to test.
    pub sampling: Sampling,
    /// Number of additional simulations with random faults.
    pub seeds: u64,
    /// The only trial to run; `None` runs all trials.
    pub only: Option<Trial>,
    /// Number of simulations that run in parallel; at least 1.
    pub threads: usize,
    /// Called with the number of trials done and the total number:
    /// once at the start, and after each trial.
    pub on_trial: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

/// The result of torturing one scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TortureReport {
    /// The scenario's name.
    pub scenario: String,
    /// The scenario's file.
    pub file: String,
    /// Number of commits in the simulation without a crash.
    pub commits: usize,
    /// Number of these commits by the parts that they held.
    pub kinds: BTreeMap<String, usize>,
    /// Number of points at which the process was killed.
    pub points: usize,
    /// Number of simulations with random faults.
    pub seeds: u64,
    /// The trials that left a state different from the baseline's.
    pub failures: Vec<TrialFailure>,
    /// Why the scenario was skipped; `None` if it was played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

/// A trial that left a state different from the baseline's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TrialFailure {
    /// The commit, counted from 1; `None` for random faults,
    /// or if the scenario fails even without a crash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<u64>,
    /// The side of the commit at which the process was killed: `before` or `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<&'static str>,
    /// The seed of the random faults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The parts that the commit held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The differing lines: `-` marks a missing line, `+` an extra line.
    pub difference: Vec<String>,
}

/// Plays a scenario without crashes, then once for each trial that the options select.
/// Reports every trial that left a different state. Blocks the calling thread;
/// the simulations have threads of their own.
///
/// # Errors
/// Returns the errors of [`simulate`]. A trial that cannot be played to its end is a [`TrialFailure`],
/// unless the machine is at fault.
pub async fn torture(
    scenario: &Scenario,
    options: &PlayOptions<'_>,
    torture_options: &TortureOptions<'_>,
) -> Result<TortureReport, Problem> {
    let mut report = TortureReport {
        scenario: scenario.name.clone(),
        file: scenario.file.clone(),
        commits: 0,
        kinds: BTreeMap::new(),
        points: 0,
        seeds: 0,
        failures: Vec::new(),
        skipped: None,
    };
    let library = compile_library(options);
    let start_database = StartDatabase::empty().await?;
    let options = &PlayOptions {
        library: Some(&library),
        start_database: Some(&start_database),
        ..options.clone()
    };
    let simulated =
        with_own_database(options.clone(), async |options| simulate(scenario, options).await)
            .await?;
    let missing = |unmet: &&UnmetExpectation| unmet.code == "not_configured";
    if let Some(unmet) = simulated.unmet.iter().find(missing) {
        report.skipped = Some(format!("not_configured: {} ({})", unmet.expected, unmet.found));
        return Ok(report);
    }
    if !simulated.met() {
        report.failures.push(unmet_failure(&simulated.unmet));
        return Ok(report);
    }
    let end_state = with_own_database(options.clone(), async |options| {
        play_to_end_state(scenario, options).await
    })
    .await?;
    report.commits = end_state.commits.len();
    for kind in &end_state.commits {
        *report.kinds.entry(kind.to_string()).or_default() += 1;
    }
    let trials = match torture_options.only {
        Some(trial) => vec![trial],
        None => trials(&end_state.commits, torture_options, simulated.seed),
    };
    report.points = trials.iter().filter(|trial| matches!(trial, Trial::Crash(_))).count();
    report.seeds = (trials.len() - report.points) as u64;
    let lines = end_state.state.lines();
    let baseline = Baseline { scenario, options, end_state, lines };
    report.failures = baseline.run_trials(&trials, torture_options)?;
    Ok(report)
}

/// Returns a trial for each chosen point of a scenario, then one for each seed after the scenario's own.
fn trials(commits: &[CommitParts], torture_options: &TortureOptions<'_>, seed: u64) -> Vec<Trial> {
    let points = plan_crashes(commits, torture_options.sampling, seed);
    points
        .into_iter()
        .map(Trial::Crash)
        .chain((1..=torture_options.seeds).map(|n| Trial::Seed(seed.wrapping_add(n))))
        .collect()
}

/// Reports a scenario whose expectations do not hold even without a crash.
fn unmet_failure(unmet: &[UnmetExpectation]) -> TrialFailure {
    let told = |unmet: &UnmetExpectation| {
        let UnmetExpectation { line, expected, found, .. } = unmet;
        [format!("- line {line}: {expected}"), format!("+ line {line}: {found}")]
    };
    TrialFailure { difference: unmet.iter().flat_map(told).collect(), ..TrialFailure::default() }
}

/// The simulation without a crash, with which each trial is compared.
struct Baseline<'a> {
    scenario: &'a Scenario,
    options: &'a PlayOptions<'a>,
    end_state: EndState,
    /// The lines of the state that the simulation left.
    lines: Vec<String>,
}

impl Baseline<'_> {
    /// Runs every trial. Returns the failures in the order of the trials.
    fn run_trials(
        &self,
        trials: &[Trial],
        torture_options: &TortureOptions<'_>,
    ) -> Result<Vec<TrialFailure>, Problem> {
        let on_done =
            |done| torture_options.on_trial.iter().for_each(|tell| tell(done, trials.len()));
        on_done(0);
        let threads = torture_options.threads;
        let failures = run_in_parallel(trials, threads, &on_done, |trial| self.run_trial(*trial))?;
        Ok(failures.into_iter().flatten().collect())
    }

    /// Runs one trial. Returns a failure if the state that the trial left differs from the baseline's.
    async fn run_trial(&self, trial: Trial) -> Result<Option<TrialFailure>, Problem> {
        let commits = &self.end_state.commits;
        let (crashes, faults) = match trial {
            Trial::Crash(crash) => (vec![crash], None),
            Trial::Seed(seed) => (draw_crashes(commits.len(), seed), Some(fault_mix(seed))),
        };
        let options = PlayOptions { crashes: &crashes, faults, ..self.options.clone() };
        let play =
            async |options: &PlayOptions<'_>| play_to_end_state(self.scenario, options).await;
        let difference = match with_own_database(options, play).await {
            Ok(found) => self.difference(&found),
            Err(problem) if is_machine_fault(&problem) => return Err(problem),
            Err(problem) => vec![format!("+ the simulation cannot continue: {problem}")],
        };
        if difference.is_empty() {
            return Ok(None);
        }
        let failure = TrialFailure { difference, ..TrialFailure::default() };
        Ok(Some(match trial {
            Trial::Seed(seed) => TrialFailure { seed: Some(seed), ..failure },
            Trial::Crash(crash) => {
                let nth = usize::try_from(crash.nth).unwrap_or(usize::MAX);
                let kind = commits.get(nth.wrapping_sub(1)).map(ToString::to_string);
                let (point, side) = (Some(crash.nth), Some(crash.side_word()));
                TrialFailure { point, side, kind, ..failure }
            }
        }))
    }

    /// Returns how the final state of a trial differs from the baseline's.
    /// A missing crash is a difference, too.
    fn difference(&self, found: &EndState) -> Vec<String> {
        let mut difference = difference(self.scenario.start, &self.lines, &found.state.lines());
        if found.crashes <= self.end_state.crashes {
            difference.push("- a crash".to_owned());
        }
        difference
    }
}
