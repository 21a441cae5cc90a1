//! Plays a scenario once for each trial, several trials in parallel.
//! Compares the final state of each trial with the state after a simulation without a crash, the baseline.

use futures_util::future::LocalBoxFuture;
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
    /// Faults drawn from this seed:
    /// crashes, lost requests to the provider, and messages that are delivered again.
    Seed(u64),
}

/// The trials to run, and how to run them.
#[derive(Clone, Default)]
pub struct TortureOptions<'a> {
    /// Selects the points of the scenario at which the process is killed.
    pub sampling: Sampling,
    /// Number of additional trials with random faults, each with another seed.
    pub seeds: u64,
    /// The only trial to run; with `None`, all trials are run.
    pub only: Option<Trial>,
    /// Maximum number of simulations that run in parallel; 0 counts as 1.
    pub threads: usize,
    /// Called with the number of trials done and the number of all trials:
    /// once before the first trial, and after each trial.
    pub on_trial: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

/// The result of torturing one scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TortureReport {
    /// The scenario's name.
    pub scenario: String,
    /// The name of the scenario file.
    pub file: String,
    /// Number of commits in the simulation without a crash.
    pub commits: usize,
    /// For each combination of kinds of rows: the number of commits that wrote exactly these kinds
    /// in the simulation without a crash.
    pub kinds: BTreeMap<String, usize>,
    /// Number of points at which the process was killed.
    pub points: usize,
    /// Number of simulations with random faults.
    pub seeds: u64,
    /// The trials whose final state differs from the final state of the simulation without a crash.
    pub failures: Vec<TrialFailure>,
}

/// A trial whose final state differs from the state after the simulation without a crash.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TrialFailure {
    /// The number of the commit at which the process was killed, counted from 1.
    /// `None` for random faults, or if the scenario fails even without a crash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<u64>,
    /// Whether the process was killed `before` or `after` the commit; `None` if `point` is `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<&'static str>,
    /// The seed of the random faults; `None` if the trial was a crash at a chosen commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The kinds of rows that the commit wrote; `None` if the commit is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The lines in which the two states differ:
    /// `-` marks a line that is missing after the trial, `+` a line that only the trial left.
    pub difference: Vec<String>,
}

/// Plays a scenario without crashes, then once for each trial that the options select.
/// Reports every trial whose final state differs from the state after the simulation without crashes.
/// The simulations run on threads of their own. The returned future blocks the thread that polls it until
/// they have ended.
///
/// # Errors
/// Returns the errors of [`simulate`]. If a trial cannot be played to its end because the machine
/// lacks a resource, returns the problem that says so. Any other trial that cannot be played to its end
/// is reported as a [`TrialFailure`].
pub fn torture<'a>(
    scenario: &'a Scenario,
    options: &'a PlayOptions<'a>,
    torture_options: &'a TortureOptions<'a>,
) -> LocalBoxFuture<'a, Result<TortureReport, Problem>> {
    Box::pin(async move {
        let mut report = TortureReport {
            scenario: scenario.name.clone(),
            file: scenario.file.clone(),
            commits: 0,
            kinds: BTreeMap::new(),
            points: 0,
            seeds: 0,
            failures: Vec::new(),
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
    })
}

/// Returns a trial for each chosen point of a scenario, then a trial for each seed of random faults.
/// These seeds are the numbers that follow `seed`, the scenario's own seed.
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

    /// Runs one trial.
    /// Returns a failure if the final state of the trial differs from that of the baseline.
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

    /// Returns the lines in which the final state of a trial differs from that of the baseline.
    /// A trial must have more crashes than the baseline, which has only the crashes of the scenario.
    /// If it does not, the crash of the trial did not happen, and a line that says so is added.
    fn difference(&self, found: &EndState) -> Vec<String> {
        let mut difference = difference(self.scenario.start, &self.lines, &found.state.lines());
        if found.crashes <= self.end_state.crashes {
            difference.push("- a crash".to_owned());
        }
        difference
    }
}
