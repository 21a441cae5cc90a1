//! Plays a scenario: runs the engine in a simulated process that can crash,
//! and simulates what is outside the process: people, staff, the provider and the clock.
//!
//! Only one action happens at a time: the simulator sends a command,
//! the process answers or crashes, and the story records what happened.
//! Nothing depends on the machine's clock, and all randomness comes from the seed.

mod agenda;
mod checks;
mod command;
mod comparable;
mod condition;
mod crash;
mod crash_switch;
mod crowd;
mod end_state;
mod environment;
mod evidence;
mod faults;
mod journal;
mod judgement;
mod lifecycle;
mod nodes;
mod observe;
mod outside;
mod pending;
mod people;
mod process;
mod processor;
mod provider;
mod recorder;
mod restore;
mod snapshot;
mod start_database;
mod steps;
mod story;
#[cfg(test)]
mod tests;
mod turns;

use futures_util::future::LocalBoxFuture;
use std::collections::BTreeMap;
use std::sync::Arc;

use abide_engine::base::{Problem, RunId, Span, Timestamp};
use abide_engine::facade::EngineConfig;
use abide_engine::library::{Library, Sources};
use abide_engine::store::{Address, CommitParts};

use crate::crowd::CrowdModel;
use crate::report::{LineKind, SimulationReport, StoryLine, Totals, UnmetExpectation};
use crate::scenario::Directory;
use crate::scenario::{Scenario, SourcePosition};
use agenda::AgendaItem;
use command::CommandFromStep;
pub(crate) use command::EngineCommand;
use condition::Mismatch;
pub use crash::CommitCrash;
use crash::ScheduledCrash;
use crowd::Crowd;
pub(crate) use end_state::{EndState, play_to_end_state};
use environment::Environment;
pub(crate) use environment::compile_library;
pub(crate) use evidence::{AcceptedMessage, SimulationEvidence, TenantEvidence, collect_evidence};
pub use faults::{FaultKind, FaultMix};
use journal::Journal;
pub(crate) use journal::{Exchange, JournalEntry};
#[cfg(test)]
pub(crate) use judgement::JudgementEvidence;
use lifecycle::ProcessState;
use nodes::Nodes;
pub use observe::ForecastText;
use observe::Observed;
use pending::PendingCommand;
use process::Crashed;
use processor::OneProcessor;
pub(crate) use provider::SendBegin;
use recorder::Recorder;
pub use snapshot::RunSnapshot;
pub use start_database::StartDatabase;
use story::{StoryEvent, StoryFormatter};
pub use turns::TurnOrder;

/// How to play a scenario.
#[derive(Clone, Default)]
pub struct PlayOptions<'a> {
    /// A seed to use instead of the scenario's own seed; with `None`, the scenario's own seed is used.
    pub seed: Option<u64>,
    /// The database, which must be empty; by default an embedded one in a temporary folder.
    pub db: Option<Address>,
    /// The content of a temporary database at the start; by default the schema without rows.
    pub start_database: Option<&'a StartDatabase>,
    /// The copy of a live run to continue, for a forecast; `None` if the simulation is not a forecast.
    pub snapshot: Option<&'a RunSnapshot>,
    /// The methods, templates and other content;
    /// by default the content that is compiled into the program.
    pub sources: Option<Sources>,
    /// The content of `sources`, if the caller has compiled it already.
    pub library: Option<&'a Library>,
    /// Crashes in addition to those of the scenario.
    pub crashes: &'a [CommitCrash],
    /// Random faults; none by default.
    pub faults: Option<FaultMix>,
    /// The order in which the concurrent tasks of the process proceed.
    pub order: TurnOrder,
    /// Whether two or three nodes run at the same time.
    /// Applies only on a database server and with `faults`.
    pub several_nodes: bool,
    /// Changes the configuration with which each process is opened, for example to add a verb in a test.
    pub alter: Option<&'a (dyn Fn(&mut EngineConfig) + Sync)>,
    /// The model of how people answer at random; without a model, people write only what the scenario says.
    pub crowd: Option<CrowdModel>,
    /// Called with each line of the story as soon as the line is written.
    pub on_line: Option<&'a (dyn Fn(&StoryLine) + Sync)>,
}

/// Plays a scenario to its end.
///
/// # Errors
/// Returns an error if the scenario cannot be played at all: the database cannot be opened,
/// or the engine refuses to start. An unmet expectation is not an error but part of the report.
pub fn simulate<'a>(
    scenario: &'a Scenario,
    options: &'a PlayOptions<'a>,
) -> LocalBoxFuture<'a, Result<SimulationReport, Problem>> {
    Box::pin(async move { play(scenario, options).await.map(|(report, _)| report) })
}

/// Plays a scenario to its end. Returns the report and the messages that were sent.
pub(crate) async fn play(
    scenario: &Scenario,
    options: &PlayOptions<'_>,
) -> Result<(SimulationReport, Vec<ForecastText>), Problem> {
    let mut player = Player::new(scenario, options)?;
    let played = player.play().await;
    let missed = player.stop();
    played?;
    if missed > 0 && options.crashes.is_empty() {
        player.note_missed_crashes(missed);
    }
    let texts = player.sent_texts();
    Ok((player.report(), texts))
}

/// The start of the file: the position of findings that concern the whole file.
const HEAD: SourcePosition = SourcePosition { line: 1, col: 1, end_col: 2 };
/// How often, in simulated time, the swarm checks that each run at rest will be woken.
const SLEEPERS_CHECKED_EVERY: Span = Span::from_secs(2 * 3_600);

/// The state of one simulation.
struct Player<'a> {
    scenario: &'a Scenario,
    options: &'a PlayOptions<'a>,
    seed: u64,
    directory: Directory,
    formatter: StoryFormatter,
    environment: Environment,
    process: ProcessState,
    /// Sum of all jumps of the clock so far. The wall clock shows
    /// the scenario's start plus the elapsed time plus this sum.
    drift: Span,
    /// Total time by which the scenario's `clock` steps have set the wall clock back.
    went_back: Span,
    /// Number of processes started so far.
    processes_started: u64,
    /// Counter of the simulator's actions, from which ids and keys are derived.
    number: u64,
    /// Crashes that were scheduled while no process was running. The next process takes them over.
    scheduled: Vec<ScheduledCrash>,
    /// Messages delivered so far, from which the fault [`FaultKind::OlderDeliveredAgain`] chooses.
    delivered: Vec<CommandFromStep>,
    /// Commands that a crashed process left unanswered. The simulator sends them again to the next process.
    unanswered: Vec<CommandFromStep>,
    /// Commands to send later, by instant and then in the order in which they were postponed.
    postponed: BTreeMap<(Timestamp, u64), CommandFromStep>,
    /// Commands that were sent while the process was working and are not answered yet.
    pending: Vec<PendingCommand>,
    journal: Arc<Journal>,
    /// The ids of runs, by name. The key `as` of a scenario step gives a run its name.
    runs: BTreeMap<String, RunId>,
    observed: Observed,
    /// The number of fired timers of the current process that are already included in `totals`.
    fired: u64,
    crowd: Crowd,
    recorder: Recorder,
    story: Vec<StoryLine>,
    unmet: Vec<UnmetExpectation>,
    totals: Totals,
    audit: Vec<String>,
    /// Broken invariants that were found in inspected commits.
    broken: Vec<String>,
    /// When the runs at rest were last checked.
    sleepers_checked: Timestamp,
    /// The kinds of rows in each commit of all processes, in the order of the commits.
    commits: Vec<CommitParts>,
    /// Whether to skip the story and the expectations.
    silent: bool,
    /// The nodes that run beside the main process if a database server is used; `None` if only one
    /// process runs.
    nodes: Option<Nodes>,
    /// Keeps all threads of the simulation on one processor.
    _processor: OneProcessor,
}

impl<'a> Player<'a> {
    fn new(scenario: &'a Scenario, options: &'a PlayOptions<'a>) -> Result<Self, Problem> {
        let seed = options.seed.unwrap_or(scenario.seed);
        let mut directory = Directory::of(&scenario.people);
        for person in
            scenario.other_tenants.iter().flat_map(|other_tenant| &other_tenant.people.own)
        {
            directory.learn(&person.name, &person.phone);
        }
        let environment = Environment::new(scenario, options)?;
        let several = options.several_nodes && environment.is_on_server();
        let journal = Journal::of(&environment.provider, &environment.clock);
        let mix = options.faults.as_ref().filter(|_| several);
        let nodes = mix.map(|mix| Nodes::draw(mix, options.order, &environment));
        Ok(Self {
            scenario,
            options,
            seed,
            nodes,
            formatter: StoryFormatter::new(&scenario.zone, directory.clone()),
            directory,
            environment,
            process: ProcessState::Stopped,
            drift: Span::ZERO,
            went_back: Span::ZERO,
            processes_started: 0,
            number: 0,
            scheduled: options.crashes.iter().copied().map(ScheduledCrash::from).collect(),
            delivered: Vec::new(),
            unanswered: Vec::new(),
            postponed: BTreeMap::new(),
            pending: Vec::new(),
            journal,
            runs: BTreeMap::new(),
            observed: Observed::default(),
            fired: 0,
            crowd: Crowd::new(options.crowd.clone(), seed, &scenario.zone),
            recorder: Recorder::default(),
            story: Vec::new(),
            unmet: Vec::new(),
            totals: Totals::default(),
            audit: Vec::new(),
            broken: Vec::new(),
            sleepers_checked: scenario.start,
            commits: Vec::new(),
            silent: false,
            _processor: OneProcessor::take(),
        })
    }

    async fn play(&mut self) -> Result<(), Problem> {
        self.restart().await?;
        match self.options.snapshot {
            Some(snapshot) => {
                self.restore_past(snapshot).await?;
                self.start_serving().await;
            }
            None => self.load_people().await?,
        }
        self.environment.faults.enable();
        self.maintain_nodes().await?;
        for (at, item) in agenda::agenda(self.scenario) {
            self.advance_to(self.wall(at)).await?;
            match item {
                AgendaItem::Step(step) => self.carry_out(step).await?,
                AgendaItem::Check(_) if self.silent => {}
                AgendaItem::Check(expectation) => self.check(expectation).await?,
            }
        }
        // A forecast plays a copy of one run without the rest of the database.
        // The audit would report the missing rows, so a forecast is not audited.
        let checks = !self.silent && self.options.snapshot.is_none();
        if checks { self.check_at_end().await } else { Ok(()) }
    }

    /// Returns the wall clock time of the last scenario step or check.
    fn last_instant(&self) -> Timestamp {
        let last = agenda::agenda(self.scenario).last().map_or(Span::ZERO, |(at, _)| *at);
        self.wall(last)
    }

    /// Converts elapsed time to wall clock time.
    fn wall(&self, elapsed: Span) -> Timestamp {
        self.scenario.start + elapsed + self.drift
    }

    fn now(&self) -> Timestamp {
        self.environment.now()
    }

    fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    /// Lets time pass until `target`. If something falls due in that time,
    /// it happens, and is reported, at the instant at which it falls due.
    async fn advance_to(&mut self, target: Timestamp) -> Result<(), Problem> {
        loop {
            let to = target.max(self.now());
            // Stop at the instant at which a simulated person writes or a postponed command is due.
            let next = self.crowd.next().into_iter().chain(self.next_postponed()).min();
            let stop = next.map_or(to, |at| at.clamp(self.now(), to));
            match self.process.down_until() {
                Some(until) if stop < until => self.environment.clock.set(stop),
                Some(_) => {
                    self.restart().await?;
                    continue;
                }
                None => self.advance_process(stop).await?,
            }
            self.collect_answers().await?;
            self.maintain_nodes().await?;
            if self.forecast_is_over().await? {
                return Ok(());
            }
            if self.process.down_until().is_some_and(|until| until <= stop) {
                // The process crashed while time passed.
                // A new process starts at once, so that the next
                // scenario step or check finds a running process.
                continue;
            }
            if self.now() >= stop {
                let acted = self.send_postponed().await? | self.deliver_crowd_texts().await?;
                if !acted && stop >= to {
                    return Ok(());
                }
            }
        }
    }

    /// Advances the clock to the next instant for which a task of the running process waits
    /// or at which a node restarts, but not beyond `to`.
    /// Lets the process do the work that is due at that instant.
    async fn advance_process(&mut self, to: Timestamp) -> Result<(), Problem> {
        let next =
            self.environment.clock.next_awaited().into_iter().chain(self.next_node_restart()).min();
        let next = next.filter(|at| *at < to);
        let stop = next.map_or(to, |at| at.max(self.now()));
        if self.silent && self.now() >= self.sleepers_checked + SLEEPERS_CHECKED_EVERY {
            self.sleepers_checked = self.now();
            self.check_sleepers().await?;
        }
        let mark_before = self.activity_mark();
        let went = if stop > self.now() { self.set_clock(stop).await } else { Ok(()) };
        let fired = match went {
            Ok(()) if self.activity_mark() == mark_before => return self.observe().await,
            Ok(()) => self.ask_process(|engine| async move { engine.fired() }).await,
            Err(crashed) => Err(crashed),
        };
        match fired {
            Ok(fired) => {
                self.totals.fired += fired - std::mem::replace(&mut self.fired, fired);
                self.observe().await
            }
            Err(Crashed) => {
                self.crash(Span::ZERO);
                Ok(())
            }
        }
    }

    fn add_line(&mut self, kind: LineKind, text: String) {
        let line = self.formatter.line(self.now(), kind, text);
        self.add_lines(vec![line]);
    }

    fn add_lines(&mut self, lines: Vec<StoryLine>) {
        if let Some(on_line) = self.options.on_line {
            lines.iter().for_each(on_line);
        }
        self.story.extend(lines);
    }

    fn note_unmet(&mut self, place: SourcePosition, code: &str, mismatch: Mismatch) {
        let Mismatch { expected, found } = mismatch;
        self.unmet.push(UnmetExpectation::new(&self.scenario.file, place, code, expected, found));
    }

    fn add_event(&mut self, event: StoryEvent) {
        let lines = self.formatter.format(vec![event]);
        self.add_lines(lines);
    }

    fn name_run(&mut self, name: Option<String>, run: Option<RunId>) {
        if let (Some(name), Some(run)) = (name, run) {
            self.runs.insert(name, run);
        }
    }

    /// Adds an unmet expectation to the report, because `missed` scheduled crashes did not happen. The
    /// scenario is wrong: it schedules these crashes at points that the simulation does not reach.
    fn note_missed_crashes(&mut self, missed: usize) {
        let expected = "every crash to happen".to_owned();
        let found = format!("{missed} did not: no matching commit or send followed");
        self.note_unmet(HEAD, "unmet", Mismatch { expected, found });
    }

    fn report(self) -> SimulationReport {
        SimulationReport {
            scenario: self.scenario.name.clone(),
            seed: self.seed,
            ended_at: self.now(),
            story: self.story,
            unmet: self.unmet,
            totals: self.totals,
            measure: self.recorder.measure(),
            audit: self.audit,
        }
    }
}
