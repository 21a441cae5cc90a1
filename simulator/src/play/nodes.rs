//! Runs further nodes on a database server. The simulator sends commands to the first node, except for those that name
//! another one.
//! Each node has a clock that deviates slightly from the simulation's clock.
//! The nodes work concurrently, stand still, crash and restart.

use std::sync::Arc;

use abide_engine::base::{Problem, Span, Timestamp};
use abide_engine::clock::{Clock, VirtualClock};
use abide_engine::facade::{Engine, EngineConfig};
use abide_engine::store::is_infrastructure;
use fastrand::Rng;
use futures_util::future::BoxFuture;

use super::Player;
use super::command::CommandFromStep;
use super::crash_switch::{CrashSwitch, TurnSource};
use super::environment::Environment;
use super::faults::FaultMix;
use super::lifecycle::ProcessState;
use super::process::{NotStarted, Process, ProcessRole, serve};
use super::turns::{TurnDispatcher, TurnOrder, TurnQueue};

/// Range from which the total number of nodes is drawn.
const NODES: std::ops::RangeInclusive<usize> = 2..=3;
/// Index of the node to which the simulator sends commands.
pub(super) const FIRST_NODE: usize = 0;
/// Maximum deviation of a node's clock from the simulation's clock.
/// The clocks of two nodes then differ by at most 8 s,
/// which is less than the skew of 10 s that the engine tolerates between a node and the database.
const DEVIATION_MAX: Span = Span::from_secs(4);
/// Maximum time by which the timestamp of an event can be earlier than the timestamp of a preceding event
/// of another node. It includes the difference between the clocks of the two nodes, and the time that
/// passes while one of them works.
pub(super) const CLOCKS_DIFFER: Span = Span::from_secs(20);
/// Minimum time in which a clock drifts from one extreme to the other.
const DRIFTS_IN: Span = Span::from_secs(6 * 3_600);
/// A node's clock is slower than the simulation's clock by less than one part in `SLOWER_BY`:
/// in the time [`DRIFTS_IN`], the node's clock loses at most twice [`DEVIATION_MAX`].
const SLOWER_BY: i64 = 2_500;
/// Lease of a node. In a simulation, days pass within seconds, and each
/// renewal takes real time. So the lease is long, and nodes renew it seldom.
pub(super) const LEASE: Span = Span::from_secs(12 * 3_600);
const POLL: Span = Span::from_secs(6 * 3_600);
/// Delay before a node that failed to start is started again.
const RESTART_DELAY: Span = Span::from_secs(60);

/// The nodes of a simulation on a database server.
pub(super) struct Nodes {
    dispatcher: TurnDispatcher,
    world: Arc<VirtualClock>,
    clocks: Vec<Arc<NodeClock>>,
    /// All nodes except the first node, to which the simulator sends commands.
    others: Vec<NodeState>,
}

enum NodeState {
    Up(Process<Engine>),
    /// The node is down until this instant.
    Down(Timestamp),
}

impl Nodes {
    /// Draws the number of nodes and their clocks from the seed of the faults.
    pub(super) fn draw(mix: &FaultMix, order: TurnOrder, environment: &Environment) -> Self {
        let mut random = Rng::with_seed(mix.seed);
        let count = random.usize(NODES);
        let clock = |_| Arc::new(NodeClock::draw(&mut random, &environment.clock));
        let clocks = (0..count).map(clock).collect();
        let others = (1..count).map(|_| NodeState::Down(Timestamp::EPOCH)).collect();
        let world = Arc::clone(&environment.clock);
        Self { dispatcher: TurnDispatcher::start(order), world, clocks, others }
    }

    /// Returns where the tasks of a node get their permits to work on the database.
    pub(super) fn turn_source(&self) -> TurnSource {
        let turns: Arc<TurnQueue> = self.dispatcher.turns();
        TurnSource::Shared(turns, Arc::clone(&self.world))
    }

    /// Configures a node that runs beside other nodes. The node gets a clock of its own, the simulation's
    /// clock as the clock of the database, and a lease that can expire during the simulation.
    pub(super) fn configure_node(&self, config: &mut EngineConfig, node: usize) {
        config.clock = Arc::clone(&self.clocks[node]) as _;
        config.database_clock = Some(Arc::clone(&self.world) as _);
        config.virtual_clock = None;
        config.settings.node_lease = LEASE;
        config.settings.poll_interval = POLL;
    }
}

impl Player<'_> {
    /// Replaces the nodes that have crashed, and starts the nodes whose downtime is over.
    pub(super) async fn maintain_nodes(&mut self) -> Result<(), Problem> {
        let Some(mut nodes) = self.nodes.take() else { return Ok(()) };
        let mut maintained = Ok(());
        let others = std::mem::take(&mut nodes.others);
        for (node, other) in (FIRST_NODE + 1..).zip(others) {
            let next = match other {
                NodeState::Up(process) if process.switch().is_dead() => {
                    self.collect_crashed_node(process)
                }
                NodeState::Down(until) if until <= self.now() && maintained.is_ok() => {
                    match self.start_node(&nodes, node).await {
                        Ok(next) => next,
                        Err(problem) => {
                            maintained = Err(problem);
                            NodeState::Down(until)
                        }
                    }
                }
                same => same,
            };
            nodes.others.push(next);
        }
        self.nodes = Some(nodes);
        maintained
    }

    fn collect_crashed_node(&mut self, process: Process<Engine>) -> NodeState {
        let switch = process.kill();
        self.collect_from(&switch);
        self.totals.crashes += 1;
        let down = switch.occurred().map_or(Span::ZERO, |crash| crash.down);
        NodeState::Down(self.now() + down)
    }

    async fn start_node(&mut self, nodes: &Nodes, node: usize) -> Result<NodeState, Problem> {
        let (faults, domain) = (Arc::clone(&self.environment.faults), self.environment.domain());
        let switch = Arc::new(CrashSwitch::of(faults, domain, nodes.turn_source()));
        let mut config = self.environment.config(&switch, ProcessRole::Worker);
        nodes.configure_node(&mut config, node);
        let (own, clock) = (Arc::clone(&switch), Arc::clone(&self.environment.clock));
        let restarts_at = self.now() + RESTART_DELAY;
        match Process::start(own, clock, move || Engine::open(config)).await {
            Ok(process) => Ok(match process.ask(serve).await {
                Ok(()) => NodeState::Up(process),
                Err(_) => self.collect_crashed_node(process),
            }),
            Err(NotStarted::Refused(problem)) if !is_infrastructure(&problem) => Err(problem),
            Err(_) => {
                self.collect_from(&switch);
                Ok(NodeState::Down(restarts_at))
            }
        }
    }

    /// Returns the process that gets a command: the node that the command names, if it is up, or else the first one;
    /// `None` if the first one is to get the command and is down.
    pub(super) fn process_for(&self, command: &CommandFromStep) -> Option<&Process<Engine>> {
        let first = || match &self.process {
            ProcessState::Up(process) => Some(process),
            ProcessState::Stopped | ProcessState::Down(_) => None,
        };
        self.other_node(command).or_else(first)
    }

    /// Returns the node that a command names, if it is not the first one and is up.
    pub(super) fn other_node(&self, command: &CommandFromStep) -> Option<&Process<Engine>> {
        // The nodes are counted from 1, and the first one is not among the others.
        let place = command.node?.checked_sub(2)?;
        match self.nodes.as_ref()?.others.get(place)? {
            NodeState::Up(process) => Some(process),
            NodeState::Down(_) => None,
        }
    }

    /// Returns the first instant at which a node restarts; `None` if no node is down.
    pub(super) fn next_node_restart(&self) -> Option<Timestamp> {
        let others = self.nodes.iter().flat_map(|nodes| &nodes.others);
        let down = others.filter_map(|node| match node {
            NodeState::Down(until) => Some(*until),
            NodeState::Up(_) => None,
        });
        down.min()
    }

    /// Ends all nodes except the first node.
    pub(super) fn stop_nodes(&mut self) {
        let Some(nodes) = &mut self.nodes else { return };
        for node in std::mem::take(&mut nodes.others) {
            if let NodeState::Up(process) = node {
                let switch = process.kill();
                self.collect_from(&switch);
            }
        }
    }
}

/// The clock of a node, which drifts back and forth around the simulation's clock.
struct NodeClock {
    world: Arc<VirtualClock>,
    /// Position in the drift cycle, in microseconds, when the simulation's clock shows zero.
    phase: i64,
    /// Time in which the clock drifts from one extreme to the other, in microseconds.
    drifts_in: i64,
    /// Deviation from the simulation's clock at the extremes, in microseconds.
    deviation: i64,
}

impl NodeClock {
    fn draw(random: &mut Rng, world: &Arc<VirtualClock>) -> Self {
        let drifts_in = DRIFTS_IN.micros() * random.i64(1..=8);
        Self {
            world: Arc::clone(world),
            phase: random.i64(0..2 * drifts_in),
            drifts_in,
            deviation: random.i64(0..=DEVIATION_MAX.micros()),
        }
    }

    /// Returns how far this clock is ahead when the simulation's clock shows `at`;
    /// negative if this clock is behind.
    fn ahead(&self, at: Timestamp) -> Span {
        let place = (at.micros() + self.phase).rem_euclid(2 * self.drifts_in);
        let way = if place < self.drifts_in { place } else { 2 * self.drifts_in - place };
        // Express `way` in units of one 100,000th of `drifts_in`, so that the product below does not
        // overflow.
        let steps = way / (self.drifts_in / 100_000).max(1);
        Span::from_micros(self.deviation * (2 * steps - 100_000) / 100_000)
    }
}

impl Clock for NodeClock {
    fn now(&self) -> Timestamp {
        let now = self.world.now();
        now + self.ahead(now)
    }

    fn until(&self, at: Timestamp) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            loop {
                let now = self.now();
                if now >= at {
                    return;
                }
                // Wait a little longer than `left`, because this clock may be slower than the
                // simulation's clock.
                let left = (at - now).micros();
                let slower = Span::from_micros(left + left / SLOWER_BY + 1);
                self.world.until(self.world.now() + slower).await;
            }
        })
    }
}
