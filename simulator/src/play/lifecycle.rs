//! Starts and ends the processes of a simulation, and keeps what an ended process has recorded.

use std::future::Future;
use std::sync::Arc;

use abide_engine::base::{Problem, Span, Timestamp};
use abide_engine::facade::{Engine, EngineConfig};
use abide_engine::store::{CommitPoint, Store, is_infrastructure};

use super::Player;
use super::crash::{CrashSite, ScheduledCrash};
use super::crash_switch::{CrashSwitch, TurnSource};
use super::nodes::FIRST_NODE;
use super::process::{Crashed, NotStarted, Process, ProcessRole, serve};
use super::turns::TurnOrder;
use crate::report::LineKind;
use crate::scenario::{CrashPoint, CrashStep};

/// Creates the schema in a database, which must be empty.
async fn create_schema(config: &EngineConfig) -> Result<(), Problem> {
    let options = config.store_options(Arc::clone(&config.ids));
    if Store::schema(&options).await?.applied > 0 {
        return Err(Problem::caller("database_not_empty", "a simulation needs an empty database")
            .with_hint("name an empty database, or omit `--db` to use a temporary one"));
    }
    Store::migrate(&options).await.map(drop)
}

/// The state of the main process, to which the simulator sends commands.
pub(super) enum ProcessState {
    /// No process has started yet, or the last one has ended.
    Stopped,
    Up(Process<Engine>),
    /// No process runs until this instant.
    Down(Timestamp),
}

impl ProcessState {
    /// If the process is down after a crash, returns the instant at which
    /// the downtime ends; otherwise returns `None`.
    pub(super) fn down_until(&self) -> Option<Timestamp> {
        match self {
            Self::Down(until) => Some(*until),
            Self::Stopped | Self::Up(_) => None,
        }
    }

    /// Returns the crash switch of the running process; `None` if no process is running.
    pub(super) fn switch(&self) -> Option<&CrashSwitch> {
        match self {
            Self::Up(process) => Some(process.switch()),
            Self::Stopped | Self::Down(_) => None,
        }
    }
}

/// Returns the crash that the data of a `crash` step
/// schedules, or `None` if the process must crash at once.
pub(super) fn scheduled_crash(crash: &CrashStep, seed: u64) -> Option<ScheduledCrash> {
    let site = match crash.at {
        CrashPoint::Now => return None,
        CrashPoint::BeforeCommit => CrashSite::Commit(CommitPoint::Before),
        CrashPoint::AfterCommit => CrashSite::Commit(CommitPoint::After),
        CrashPoint::NextCommit if fastrand::Rng::with_seed(seed).bool() => {
            CrashSite::Commit(CommitPoint::Before)
        }
        CrashPoint::NextCommit => CrashSite::Commit(CommitPoint::After),
        CrashPoint::AfterSend => CrashSite::Send,
    };
    Some(ScheduledCrash { site, left: u64::from(crash.nth), down: crash.down })
}

/// Describes where a crash happened, for a line of the story.
fn describe_site(crash: Option<ScheduledCrash>) -> &'static str {
    match crash.map(|crash| crash.site) {
        None => "",
        Some(CrashSite::Commit(CommitPoint::Before) | CrashSite::Begun(CommitPoint::Before)) => {
            " before its last work is committed"
        }
        Some(CrashSite::Commit(CommitPoint::After) | CrashSite::Begun(CommitPoint::After)) => {
            " right after its last commit"
        }
        Some(CrashSite::Send) => " right after the provider accepted a message",
    }
}

impl Player<'_> {
    /// Whether the current process is the first one of a simulation that continues a copy of a live run.
    /// This process must do no work until the earlier messages of the run have been restored.
    fn restores_past(&self) -> bool {
        self.options.snapshot.is_some() && self.processes_started == 1
    }

    /// Makes the running process, which has only answered queries so far, begin to work on runs.
    pub(super) async fn start_serving(&mut self) {
        if self.ask_process(serve).await.is_err() {
            self.crash(Span::ZERO);
        }
    }

    /// Returns where the tasks of the current process get their permits to work on the database.
    fn turn_source(&self) -> TurnSource {
        let order = match self.options.order {
            TurnOrder::Drawn(seed) => TurnOrder::Drawn(seed.wrapping_add(self.processes_started)),
            TurnOrder::Fixed => TurnOrder::Fixed,
        };
        match &self.nodes {
            Some(nodes) => nodes.turn_source(),
            None if self.environment.address.file().is_some() => TurnSource::Alone(order),
            None => TurnSource::Served(order),
        }
    }

    /// Starts a new process, and sends it the commands that the previous process left unanswered.
    pub(super) async fn restart(&mut self) -> Result<(), Problem> {
        self.collect_answers().await?;
        if let Some(until) = self.process.down_until() {
            self.environment.clock.set(until.max(self.now()));
        }
        loop {
            match self.start_process(ProcessRole::Worker).await? {
                Some(process) => {
                    self.process = ProcessState::Up(process);
                    break;
                }
                None => {
                    self.totals.crashes += 1;
                    self.add_line(LineKind::Stage, "the process crashes during startup".to_owned());
                }
            }
        }
        if self.processes_started > 1 {
            self.add_line(
                LineKind::Stage,
                "a new process opens the database and resumes".to_owned(),
            );
        }
        for command in std::mem::take(&mut self.unanswered) {
            Box::pin(self.send_command(command)).await?;
        }
        Ok(())
    }

    /// Starts a process and returns it, or `None` if it crashes during startup.
    async fn start_process(
        &mut self,
        role: ProcessRole,
    ) -> Result<Option<Process<Engine>>, Problem> {
        let turn_source = self.turn_source();
        let (faults, domain) =
            (Arc::clone(&self.environment.faults), Arc::clone(&self.environment.domain));
        let switch = Arc::new(CrashSwitch::of(faults, domain, turn_source));
        std::mem::take(&mut self.scheduled).into_iter().for_each(|crash| switch.arm(crash));
        self.processes_started += 1;
        self.fired = 0;
        let mut config = self.environment.config(&switch, role);
        let alone = self.nodes.is_none();
        if let Some(nodes) = &self.nodes {
            nodes.configure_node(&mut config, FIRST_NODE);
        }
        if let Some(alter) = self.options.alter {
            alter(&mut config);
        }
        let needs_schema = self.processes_started == 1 && !self.environment.has_schema;
        let open = move || async move {
            if needs_schema {
                create_schema(&config).await?;
            }
            let engine = Engine::open(config).await?;
            if alone {
                // There is no other process, so the runs that the previous process left claimed can be
                // released at once.
                engine.release_crashed_claims().await?;
            }
            Ok(engine)
        };
        let (own, clock) = (Arc::clone(&switch), Arc::clone(&self.environment.clock));
        match Process::start(own, clock, open).await {
            Ok(process) if role == ProcessRole::Reader || self.restores_past() => Ok(Some(process)),
            Ok(process) => match process.ask(serve).await {
                Ok(()) => Ok(Some(process)),
                Err(Crashed) => {
                    process.kill();
                    self.collect_from(&switch);
                    Ok(None)
                }
            },
            Err(NotStarted::Refused(problem)) if is_infrastructure(&problem) => {
                // In production, a supervisor restarts a process that could not start
                // because of its infrastructure. So such a start counts as a crash.
                self.collect_from(&switch);
                Ok(None)
            }
            Err(NotStarted::Refused(problem)) => Err(problem),
            Err(NotStarted::Crashed) => {
                self.collect_from(&switch);
                Ok(None)
            }
        }
    }

    /// Ends the process, which has crashed or crashes now. If the switch of the process has recorded
    /// a crash, no process runs for the time that this crash specifies; otherwise for the time `down`.
    pub(super) fn crash(&mut self, down: Span) {
        let process = match std::mem::replace(&mut self.process, ProcessState::Stopped) {
            ProcessState::Up(process) => process,
            // No process is running, so no process can crash.
            other => return self.process = other,
        };
        let switch = process.kill();
        self.collect_from(&switch);
        self.totals.crashes += 1;
        let came = switch.occurred();
        self.process = ProcessState::Down(self.now() + came.map_or(down, |crash| crash.down));
        self.add_line(LineKind::Stage, format!("the process crashes{}", describe_site(came)));
    }

    /// Takes over what the switch of an ended process has recorded: the commits,
    /// the broken invariants, and the scheduled crashes that have not occurred yet.
    pub(super) fn collect_from(&mut self, switch: &CrashSwitch) {
        let commits = switch.commits();
        self.totals.commits += commits.len() as u64;
        self.broken.extend(switch.breaches());
        self.commits.extend(commits);
        self.scheduled = switch.disarm();
    }

    /// Schedules a crash in the running process, or in the next process if none runs.
    pub(super) fn schedule_crash(&mut self, crash: ScheduledCrash) {
        match &self.process {
            ProcessState::Up(process) => process.switch().arm(crash),
            ProcessState::Stopped | ProcessState::Down(_) => self.scheduled.push(crash),
        }
    }

    /// Sets the clock. A running process does the work that becomes due.
    pub(super) async fn set_clock(&mut self, to: Timestamp) -> Result<(), Crashed> {
        match &self.process {
            ProcessState::Up(process) => process.advance_clock(to).await,
            ProcessState::Stopped | ProcessState::Down(_) => {
                self.environment.clock.set(to);
                Ok(())
            }
        }
    }

    /// If the main process is down, starts a
    /// [reader](ProcessRole::Reader), which answers queries in its place.
    /// Returns the end of the downtime, which [`Self::stop_reader`] needs;
    /// `None` if the main process is not down.
    pub(super) async fn start_reader(&mut self) -> Result<Option<Timestamp>, Problem> {
        let Some(until) = self.process.down_until() else { return Ok(None) };
        let scheduled = std::mem::take(&mut self.scheduled);
        if let Some(process) = self.start_process(ProcessRole::Reader).await? {
            self.process = ProcessState::Up(process);
        }
        self.scheduled = scheduled;
        Ok(Some(until))
    }

    /// Ends the reader that [`Self::start_reader`] started, if any.
    /// `until` is what that function returned: the end of the main process's downtime.
    pub(super) fn stop_reader(&mut self, until: Option<Timestamp>) {
        if let Some(until) = until
            && let ProcessState::Up(process) =
                std::mem::replace(&mut self.process, ProcessState::Down(until))
        {
            process.kill();
        }
    }

    /// Ends all processes. Returns the number of scheduled crashes that have not occurred.
    pub(super) fn stop(&mut self) -> usize {
        if let ProcessState::Up(process) =
            std::mem::replace(&mut self.process, ProcessState::Stopped)
        {
            let switch = process.kill();
            self.collect_from(&switch);
        }
        self.stop_nodes();
        self.scheduled.len()
    }

    /// Runs `work` in the running process, and returns the result. Fails if no process is running,
    /// or if the process crashes.
    pub(super) async fn ask_process<T, W, F>(&self, work: W) -> Result<T, Crashed>
    where
        T: Send + 'static,
        W: FnOnce(Arc<Engine>) -> F + Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        match &self.process {
            ProcessState::Up(process) => process.ask(work).await,
            ProcessState::Stopped | ProcessState::Down(_) => Err(Crashed),
        }
    }
}
