//! Nodes besides the one that the world talks to, on a server. Each has a clock of its own that is slightly
//! off. They share their turns, work in parallel, stand still, crash and come back.

use std::sync::Arc;

use abide_engine::base::{Problem, Span, Timestamp};
use abide_engine::clock::{Clock, VirtualClock};
use abide_engine::facade::{Engine, EngineConfig};
use abide_engine::store::is_infrastructure;
use fastrand::Rng;
use futures_util::future::BoxFuture;

use super::Player;
use super::life::{Home, serve};
use super::mischief::Mix;
use super::process::{NotStarted, Process};
use super::switch::{Seat, Switch};
use super::turns::{Conductor, Order, Turns};

/// Total number of nodes.
const NODES: std::ops::RangeInclusive<usize> = 2..=3;
/// Index of the node that the world talks to.
pub(super) const FIRST_NODE: usize = 0;
/// Largest deviation of a node's clock. Two clocks then differ by at most 8 s, less than the skew of 10 s
/// that the engine tolerates between a node and the database.
const OFF_MAX: Span = Span::from_secs(4);
/// How far the timestamps of two nodes may be out of order, including the time that passes while one works.
pub(super) const CLOCKS_DIFFER: Span = Span::from_secs(20);
/// Shortest time that a clock takes to drift from one extreme to the other.
const DRIFTS_IN: Span = Span::from_secs(6 * 3_600);
/// A clock is slower than the world's by less than one part in this many: twice [`OFF_MAX`] in [`DRIFTS_IN`].
const SLOWER_BY: i64 = 2_500;
/// Lease and poll interval of a node, in a simulation where days pass in seconds.
pub(super) const LEASE: Span = Span::from_secs(12 * 3_600);
const POLL: Span = Span::from_secs(6 * 3_600);
/// Delay before a node that failed to start is started again.
const AWAY: Span = Span::from_secs(60);

/// The nodes of a simulation on a server.
pub(super) struct Nodes {
    conductor: Conductor,
    world: Arc<VirtualClock>,
    clocks: Vec<Arc<NodeClock>>,
    /// All nodes but the one that the world talks to.
    others: Vec<Node>,
}

enum Node {
    Up(Process<Engine>),
    /// The node is down until this instant.
    Down(Timestamp),
}

impl Nodes {
    /// Draws the number of nodes and their clocks from the seed of the faults.
    pub(super) fn drawn((mix, order): (&Mix, Order), home: &Home) -> Self {
        let mut random = Rng::with_seed(mix.seed);
        let count = random.usize(NODES);
        let clock = |_| Arc::new(NodeClock::drawn(&mut random, &home.clock));
        let clocks = (0..count).map(clock).collect();
        let others = (1..count).map(|_| Node::Down(Timestamp::EPOCH)).collect();
        let world = Arc::clone(&home.clock);
        Self { conductor: Conductor::begin(order), world, clocks, others }
    }

    /// Returns how a node takes its turns.
    pub(super) fn seat(&self) -> Seat {
        let turns: Arc<Turns> = self.conductor.turns();
        Seat::Shared(turns, Arc::clone(&self.world))
    }

    /// Configures a node to run among others: its own clock, the world's clock as the database's, short
    /// leases.
    pub(super) fn set_up(&self, config: &mut EngineConfig, node: usize) {
        config.clock = Arc::clone(&self.clocks[node]) as _;
        config.database_clock = Some(Arc::clone(&self.world) as _);
        config.virtual_clock = None;
        config.settings.node_lease = LEASE;
        config.settings.poll_interval = POLL;
    }
}

impl Player<'_> {
    /// Replaces the nodes that have crashed and starts those whose downtime is over.
    pub(super) async fn tend_nodes(&mut self) -> Result<(), Problem> {
        let Some(mut nodes) = self.nodes.take() else { return Ok(()) };
        let mut tended = Ok(());
        let others = std::mem::take(&mut nodes.others);
        for (node, other) in (FIRST_NODE + 1..).zip(others) {
            let next = match other {
                Node::Up(process) if process.switch().is_dead() => self.bury_node(process),
                Node::Down(until) if until <= self.now() && tended.is_ok() => {
                    match self.begin_node(&nodes, node).await {
                        Ok(next) => next,
                        Err(problem) => {
                            tended = Err(problem);
                            Node::Down(until)
                        }
                    }
                }
                same => same,
            };
            nodes.others.push(next);
        }
        self.nodes = Some(nodes);
        tended
    }

    fn bury_node(&mut self, process: Process<Engine>) -> Node {
        let switch = process.kill();
        self.buried(&switch);
        self.totals.crashes += 1;
        let down = switch.came().map_or(Span::ZERO, |death| death.down);
        Node::Down(self.now() + down)
    }

    async fn begin_node(&mut self, nodes: &Nodes, node: usize) -> Result<Node, Problem> {
        let (mischief, domain) = (Arc::clone(&self.home.mischief), self.home.domain());
        let switch = Arc::new(Switch::of(mischief, domain, nodes.seat()));
        let mut config = self.home.config(&switch, false);
        nodes.set_up(&mut config, node);
        let ends = (Arc::clone(&switch), Arc::clone(&self.home.clock));
        let away = self.now() + AWAY;
        match Process::start(ends, move || Engine::open(config)).await {
            Ok(process) => Ok(match process.ask(serve).await {
                Ok(()) => Node::Up(process),
                Err(_) => self.bury_node(process),
            }),
            Err(NotStarted::Refused(problem)) if !is_infrastructure(&problem) => Err(problem),
            Err(_) => {
                self.buried(&switch);
                Ok(Node::Down(away))
            }
        }
    }

    /// Returns when the next node comes back.
    pub(super) fn next_node(&self) -> Option<Timestamp> {
        let others = self.nodes.iter().flat_map(|nodes| &nodes.others);
        let down = others.filter_map(|node| match node {
            Node::Down(until) => Some(*until),
            Node::Up(_) => None,
        });
        down.min()
    }

    /// Ends all nodes but the one that the world talks to.
    pub(super) fn end_nodes(&mut self) {
        let Some(nodes) = &mut self.nodes else { return };
        for node in std::mem::take(&mut nodes.others) {
            if let Node::Up(process) = node {
                let switch = process.kill();
                self.buried(&switch);
            }
        }
    }
}

/// A clock that drifts back and forth around the world's clock.
struct NodeClock {
    world: Arc<VirtualClock>,
    /// Offset in its drift cycle, in microseconds, when the world's clock shows zero.
    phase: i64,
    /// Time from one extreme to the other, in microseconds.
    drifts_in: i64,
    /// Deviation at the extremes, in microseconds.
    off: i64,
}

impl NodeClock {
    fn drawn(random: &mut Rng, world: &Arc<VirtualClock>) -> Self {
        let drifts_in = DRIFTS_IN.micros() * random.i64(1..=8);
        Self {
            world: Arc::clone(world),
            phase: random.i64(0..2 * drifts_in),
            drifts_in,
            off: random.i64(0..=OFF_MAX.micros()),
        }
    }

    /// Returns how far it is ahead of the world's clock (behind it if negative) when that shows `at`.
    fn ahead(&self, at: Timestamp) -> Span {
        let place = (at.micros() + self.phase).rem_euclid(2 * self.drifts_in);
        let way = if place < self.drifts_in { place } else { 2 * self.drifts_in - place };
        // Count in steps of a hundred thousandth of the way, so that the product does not overflow.
        let steps = way / (self.drifts_in / 100_000).max(1);
        Span::from_micros(self.off * (2 * steps - 100_000) / 100_000)
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
                // Wait a little longer than the difference, because this clock may be slower than the
                // world's.
                let left = (at - now).micros();
                let slower = Span::from_micros(left + left / SLOWER_BY + 1);
                self.world.until(self.world.now() + slower).await;
            }
        })
    }
}
