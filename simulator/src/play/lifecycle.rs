//! The lives of the process: how each starts, how it ends, and what the next one takes over.

use std::future::Future;
use std::sync::Arc;

use abide_engine::base::id::IdSource;
use abide_engine::base::{Problem, Span, Timestamp, Value};
use abide_engine::clock::{Clock as _, VirtualClock};
use abide_engine::domain::Domain;
use abide_engine::driver::Pace;
use abide_engine::facade::{Engine, EngineConfig, Misfits};
use abide_engine::library::{Library, Sources};
use abide_engine::policy::Settings;
use abide_engine::store::{Address, CommitPoint, Durability, Store, is_infrastructure};
use abide_verbs::{ChurchDomain, migrations};
use tempfile::TempDir;
use tokio::sync::watch;

use super::ask::TENANT;
use super::mischief::{Mischief, Mix};
use super::nodes::FIRST_NODE;
use super::process::{Died, NotStarted, Process};
use super::provider::{Line, Provider};
use super::switch::{Death, Point, Seat, Switch};
use super::turns::Order;
use super::{Options, Player};
use crate::report::LineKind;
use crate::scenario::{Crash, CrashPoint, Scenario};

/// Lease and poll interval of a process without other nodes: long enough not to matter.
const ALONE: Span = Span::from_secs(90 * 86_400);
/// Number of runs that a process works on at the same time.
const WORKERS: usize = 8;

/// What outlives a process: the database, the content, the settings, the clock and the provider.
pub(super) struct Home {
    pub(super) clock: Arc<VirtualClock>,
    pub(super) provider: Arc<Provider>,
    /// The compiled content; compiling it again for each process would give the same.
    library: Library,
    pub(super) settings: Settings,
    domain: Arc<dyn Domain>,
    pub(super) mischief: Arc<Mischief>,
    /// The source of the ids of all processes, so that later processes mint later ids.
    ids: Arc<IdSource>,
    address: Address,
    pub(super) tenant: Arc<str>,
    /// All tenants, the scenario's own first.
    pub(super) tenants: Vec<Arc<str>>,
    /// Whether the database already has its schema when the first process starts.
    made: bool,
    /// Keeps the temporary folder until the simulation has ended.
    _folder: Option<TempDir>,
}

impl Home {
    pub(super) fn new(scenario: &Scenario, options: &Options<'_>) -> Result<Self, Problem> {
        let template = options.live.map(|live| &live.template).or(options.template);
        let (address, folder) = match &options.db {
            Some(address) => (address.clone(), None),
            None => {
                let folder = tempfile::tempdir().map_err(|error| no_folder(&error))?;
                let file = folder.path().join("story.db");
                template.map_or(Ok(()), |template| template.give(&file))?;
                (Address::Sqlite(file), Some(folder))
            }
        };
        let settings = match options.live {
            Some(live) => live.settings.clone(),
            None => Settings {
                time_zone: scenario.zone.clone(),
                node_lease: ALONE,
                poll_interval: ALONE,
                ..Settings::default()
            },
        };
        let seed = options.seed.unwrap_or(scenario.seed);
        let clock = Arc::new(VirtualClock::starting_at(scenario.start));
        let mix = options.mischief.clone().unwrap_or_else(|| Mix::calm(seed));
        let tenant: Arc<str> = options.live.map_or(TENANT, |live| &live.tenant).into();
        let neighbours = scenario.neighbours.iter().map(|neighbour| &neighbour.tenant);
        let mut home = Self {
            mischief: Arc::new(Mischief::of(&mix, &clock)),
            clock,
            provider: Arc::default(),
            ids: Arc::new(IdSource::seeded(seed)),
            library: options.library.map_or_else(|| compiled(options), Library::clone),
            domain: Arc::new(ChurchDomain::default()),
            settings,
            address,
            tenants: std::iter::once(&tenant).chain(neighbours).cloned().collect(),
            tenant,
            made: options.db.is_none() && template.is_some(),
            _folder: folder,
        };
        home.configure(&scenario.config)?;
        Ok(home)
    }

    /// Changes the named settings and keeps the others.
    pub(super) fn configure<'v>(
        &mut self,
        changes: impl IntoIterator<Item = (&'v String, &'v Value)>,
    ) -> Result<(), Problem> {
        let unfit = |error: serde_json::Error| {
            Problem::caller("settings_invalid", format!("the settings are invalid: {error}"))
        };
        let mut all = serde_json::to_value(&self.settings).map_err(unfit)?;
        if let Value::Object(members) = &mut all {
            members.extend(changes.into_iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        self.settings = serde_json::from_value(all).map_err(unfit)?;
        Ok(())
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(super) fn is_on_server(&self) -> bool {
        self.address.file().is_none()
    }

    pub(super) fn domain(&self) -> Arc<dyn Domain> {
        Arc::clone(&self.domain)
    }

    pub(super) fn config(&self, switch: &Arc<Switch>, deaf: bool) -> EngineConfig {
        EngineConfig {
            address: self.address.clone(),
            migrations: migrations(),
            durability: Durability::SimulatorOnly,
            library: self.library.clone(),
            settings: self.settings.clone(),
            clock: Arc::clone(&self.clock) as _,
            database_clock: None,
            virtual_clock: Some(Arc::clone(&self.clock)),
            ids: Arc::clone(&self.ids),
            gateway: Arc::new(Line {
                provider: Arc::clone(&self.provider),
                switch: Arc::clone(switch),
                mischief: Arc::clone(&self.mischief),
                clock: Arc::clone(&self.clock),
                deaf,
            }),
            domain: Arc::clone(&self.domain),
            verbs: abide_verbs::verb::all(),
            pace: Pace::Tasks(WORKERS),
            faults: Arc::clone(switch) as _,
            tenants: self.tenants.iter().map(|tenant| tenant.to_string()).collect(),
            misfits: Misfits::LeaveAlone,
        }
    }
}

/// Compiles the content of a simulation.
pub(crate) fn compiled(options: &Options<'_>) -> Library {
    Library::compile(options.sources.clone().unwrap_or_else(Sources::builtin))
}

/// Creates the schema in a database, which must be empty.
async fn make_ready(config: &EngineConfig) -> Result<(), Problem> {
    let options = config.store_options(Arc::clone(&config.ids));
    if Store::schema(&options).await?.applied > 0 {
        return Err(Problem::caller("database_not_empty", "a simulation needs an empty database")
            .with_hint("name an empty database, or omit `--db` to use a temporary one"));
    }
    Store::migrate(&options).await.map(drop)
}

pub(super) fn no_folder(error: &std::io::Error) -> Problem {
    Problem::operator("simulator_unavailable", "a temporary database cannot be created")
        .with_detail(error.to_string())
        .with_hint("free space in the temporary folder, or name another in `TMPDIR`")
}

/// Whether a process runs.
pub(super) enum Life {
    /// No process has started yet, or the last one has ended.
    Unborn,
    Up(Process<Engine>),
    /// No process runs until this instant.
    Down(Timestamp),
}

impl Life {
    /// Returns until when no process runs, if the process has crashed.
    pub(super) fn down_until(&self) -> Option<Timestamp> {
        match self {
            Self::Down(until) => Some(*until),
            Self::Unborn | Self::Up(_) => None,
        }
    }

    /// Returns the switch of the running process.
    pub(super) fn switch(&self) -> Option<&Switch> {
        match self {
            Self::Up(process) => Some(process.switch()),
            Self::Unborn | Self::Down(_) => None,
        }
    }
}

/// Returns the crash that a `crash` step asks for, or `None` if the process is to crash at once.
pub(super) fn death_of(crash: &Crash, seed: u64) -> Option<Death> {
    let point = match crash.at {
        CrashPoint::Now => return None,
        CrashPoint::BeforeCommit => Point::Commit(CommitPoint::Before),
        CrashPoint::AfterCommit => Point::Commit(CommitPoint::After),
        CrashPoint::NextCommit if fastrand::Rng::with_seed(seed).bool() => {
            Point::Commit(CommitPoint::Before)
        }
        CrashPoint::NextCommit => Point::Commit(CommitPoint::After),
        CrashPoint::AfterSend => Point::Send,
    };
    Some(Death { point, left: u64::from(crash.nth), down: crash.down })
}

/// Describes where a crash happened, for the story.
fn where_of(death: Option<Death>) -> &'static str {
    match death.map(|death| death.point) {
        None => "",
        Some(Point::Commit(CommitPoint::Before) | Point::Begun(CommitPoint::Before)) => {
            " before its last work is committed"
        }
        Some(Point::Commit(CommitPoint::After) | Point::Begun(CommitPoint::After)) => {
            " right after its last commit"
        }
        Some(Point::Send) => " right after the provider accepted a message",
    }
}

/// Starts the engine's work in the background, until the process ends.
pub(super) async fn serve(engine: Arc<Engine>) {
    let (stays, stops) = watch::channel(false);
    tokio::spawn(async move {
        engine.serve(stops).await;
        drop(stays);
    });
}

impl Player<'_> {
    /// Whether the current process is the first of a simulation that continues a copy. It must do no work
    /// until the world has been restored.
    fn remembers(&self) -> bool {
        self.options.live.is_some() && self.lives == 1
    }

    /// Starts the work of a process that has only answered queries so far.
    pub(super) async fn go_on(&mut self) {
        if self.process_ask(serve).await.is_err() {
            self.fall(Span::ZERO);
        }
    }

    /// Returns how the current process takes its turns.
    fn seat(&self) -> Seat {
        let order = match self.options.order {
            Order::Drawn(seed) => Order::Drawn(seed.wrapping_add(self.lives)),
            Order::Fixed => Order::Fixed,
        };
        match &self.nodes {
            Some(nodes) => nodes.seat(),
            None if self.home.address.file().is_some() => Seat::Alone(order),
            None => Seat::Served(order),
        }
    }

    /// Starts a new process and asks it what the last one left unanswered.
    pub(super) async fn rise(&mut self) -> Result<(), Problem> {
        self.collect().await?;
        if let Some(until) = self.life.down_until() {
            self.home.clock.set(until.max(self.now()));
        }
        loop {
            match self.begin(false).await? {
                Some(process) => {
                    self.life = Life::Up(process);
                    break;
                }
                None => {
                    self.totals.crashes += 1;
                    self.say(LineKind::Stage, "the process crashes during startup".to_owned());
                }
            }
        }
        if self.lives > 1 {
            self.say(LineKind::Stage, "a new process opens the database and resumes".to_owned());
        }
        for ask in std::mem::take(&mut self.unanswered) {
            Box::pin(self.put(ask)).await?;
        }
        Ok(())
    }

    /// Starts a process and returns it, or `None` if it crashes during startup. A deaf process only answers
    /// queries: it does no work, and does not fetch the messages that wait at the provider.
    async fn begin(&mut self, deaf: bool) -> Result<Option<Process<Engine>>, Problem> {
        let seat = self.seat();
        let (mischief, domain) = (Arc::clone(&self.home.mischief), Arc::clone(&self.home.domain));
        let switch = Arc::new(Switch::of(mischief, domain, seat));
        std::mem::take(&mut self.deaths).into_iter().for_each(|death| switch.arm(death));
        self.lives += 1;
        self.fired = 0;
        let mut config = self.home.config(&switch, deaf);
        let alone = self.nodes.is_none();
        if let Some(nodes) = &self.nodes {
            nodes.set_up(&mut config, FIRST_NODE);
        }
        if let Some(alter) = self.options.alter {
            alter(&mut config);
        }
        let unmade = self.lives == 1 && !self.home.made;
        let open = move || async move {
            if unmade {
                make_ready(&config).await?;
            }
            let engine = Engine::open(config).await?;
            if alone {
                // There is no other process, so what the last one left claimed can be taken over at once.
                engine.take_over().await?;
            }
            Ok(engine)
        };
        let ends = (Arc::clone(&switch), Arc::clone(&self.home.clock));
        match Process::start(ends, open).await {
            Ok(process) if deaf || self.remembers() => Ok(Some(process)),
            Ok(process) => match process.ask(serve).await {
                Ok(()) => Ok(Some(process)),
                Err(Died) => {
                    process.kill();
                    self.buried(&switch);
                    Ok(None)
                }
            },
            Err(NotStarted::Refused(problem)) if is_infrastructure(&problem) => {
                // A supervisor would restart the process.
                self.buried(&switch);
                Ok(None)
            }
            Err(NotStarted::Refused(problem)) => Err(problem),
            Err(NotStarted::Died) => {
                self.buried(&switch);
                Ok(None)
            }
        }
    }

    /// Ends the process, which has crashed or crashes now, and keeps it down for as long as the crash that
    /// occurred says, or else for `down`.
    pub(super) fn fall(&mut self, down: Span) {
        let process = match std::mem::replace(&mut self.life, Life::Unborn) {
            Life::Up(process) => process,
            // No process runs that could crash.
            other => return self.life = other,
        };
        let switch = process.kill();
        self.buried(&switch);
        self.totals.crashes += 1;
        let came = switch.came();
        self.life = Life::Down(self.now() + came.map_or(down, |death| death.down));
        self.say(LineKind::Stage, format!("the process crashes{}", where_of(came)));
    }

    /// Takes over the commits, breaches and remaining crashes that an ended process's switch recorded.
    pub(super) fn buried(&mut self, switch: &Switch) {
        let commits = switch.commits();
        self.totals.commits += commits.len() as u64;
        self.broken.extend(switch.breaches());
        self.commits.extend(commits);
        self.deaths = switch.disarm();
    }

    /// Schedules a crash in this process, or in the next one if none runs.
    pub(super) fn doom(&mut self, death: Death) {
        match &self.life {
            Life::Up(process) => process.switch().arm(death),
            Life::Unborn | Life::Down(_) => self.deaths.push(death),
        }
    }

    /// Sets the clock; the process does what falls due.
    pub(super) async fn set_clock(&mut self, to: Timestamp) -> Result<(), Died> {
        match &self.life {
            Life::Up(process) => process.pass(to).await,
            Life::Unborn | Life::Down(_) => {
                self.home.clock.set(to);
                Ok(())
            }
        }
    }

    /// Starts a deaf process for reading while the real one is down. Returns until when that is, for
    /// [`Self::give_back`].
    pub(super) async fn lend(&mut self) -> Result<Option<Timestamp>, Problem> {
        let Some(until) = self.life.down_until() else { return Ok(None) };
        let deaths = std::mem::take(&mut self.deaths);
        if let Some(process) = self.begin(true).await? {
            self.life = Life::Up(process);
        }
        self.deaths = deaths;
        Ok(Some(until))
    }

    /// Ends the process that [`Self::lend`] started.
    pub(super) fn give_back(&mut self, until: Option<Timestamp>) {
        if let Some(until) = until
            && let Life::Up(process) = std::mem::replace(&mut self.life, Life::Down(until))
        {
            process.kill();
        }
    }

    /// Ends the last process and returns the number of crashes that did not happen.
    pub(super) fn end(&mut self) -> usize {
        if let Life::Up(process) = std::mem::replace(&mut self.life, Life::Unborn) {
            let switch = process.kill();
            self.buried(&switch);
        }
        self.end_nodes();
        self.deaths.len()
    }

    /// Asks the running process to do something.
    pub(super) async fn process_ask<T, W, F>(&self, work: W) -> Result<T, Died>
    where
        T: Send + 'static,
        W: FnOnce(Arc<Engine>) -> F + Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        match &self.life {
            Life::Up(process) => process.ask(work).await,
            Life::Unborn | Life::Down(_) => Err(Died),
        }
    }
}
