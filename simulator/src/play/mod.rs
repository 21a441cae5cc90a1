//! Plays a scenario: an engine in a process that can crash, the world around it (people, staff, the
//! provider) and the clock.
//!
//! One thing happens at a time: the world acts, the process answers or crashes, and what happened is added
//! to the story. Nothing depends on the machine's clock, and all randomness comes from the seed.

mod act;
mod agenda;
mod ask;
mod crowd;
mod evidence;
mod journal;
mod judge;
mod life;
mod look;
mod meanwhile;
mod measure;
mod mischief;
mod nodes;
mod observe;
mod people;
mod process;
mod processor;
mod provider;
mod remember;
mod rest;
mod state;
mod story;
mod switch;
mod template;
#[cfg(test)]
mod tests;
mod turns;

use std::collections::BTreeMap;
use std::sync::Arc;

use abide_engine::base::{Problem, RunId, Span, Timestamp};
use abide_engine::facade::EngineConfig;
use abide_engine::library::{Library, Sources};
use abide_engine::store::{Address, CommitPoint, Holding};

use crate::cast::Cast;
use crate::crowd::Model;
use crate::forecast::{Live, Outgoing};
use crate::report::{Line, LineKind, Report, Totals, Unmet};
use crate::scenario::{Place, Scenario};
use agenda::Stop;
use ask::Ask;
pub(crate) use ask::Question;
use crowd::Crowd;
pub(crate) use evidence::{Evidence, Played, Sent, evidence};
use journal::Journal;
pub(crate) use journal::{Entry, Exchange};
use life::Home;
pub(crate) use life::compiled;
use meanwhile::Meanwhile;
use measure::Tape;
pub use mischief::{Fault, Mix};
use nodes::Nodes;
use observe::Seen;
use process::Died;
use processor::OneProcessor;
pub(crate) use rest::{Rested, rest};
use story::{Happening, Teller};
use switch::{Death, Point};
pub use template::Template;
pub use turns::Order;

/// How to play a scenario.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// A seed to use instead of the scenario's.
    pub seed: Option<u64>,
    /// The database, which must be empty; by default an embedded one in a temporary folder.
    pub db: Option<Address>,
    /// What a temporary database starts with; by default it is created with an empty schema.
    pub template: Option<&'a Template>,
    /// A copy of a live run to continue from.
    pub live: Option<&'a Live>,
    /// The methods, templates and other content; by default what is compiled into the program.
    pub sources: Option<Sources>,
    /// The same content, already compiled.
    pub library: Option<&'a Library>,
    /// Additional crashes: the number of a begun commit, counted from 1, and on which side of it to crash.
    pub deaths: &'a [(u64, CommitPoint)],
    /// Random faults; none by default.
    pub mischief: Option<Mix>,
    /// The order in which the parts of the process proceed.
    pub order: Order,
    /// Whether two or three nodes take part. Applies only on a server and with `mischief`.
    pub several_nodes: bool,
    /// Changes the configuration with which each process is opened, for example to add a verb in a test.
    pub alter: Option<&'a (dyn Fn(&mut EngineConfig) + Sync)>,
    /// How people answer who are not scripted; by default they stay silent.
    pub crowd: Option<Model>,
    /// Called with each line of the story as it happens.
    pub on_line: Option<&'a (dyn Fn(&Line) + Sync)>,
}

/// Plays a scenario to its end.
///
/// # Errors
/// A problem that prevents playing at all: the database cannot be opened, or the engine refuses to start. An
/// unmet expectation is not an error but part of the report.
pub async fn simulate(scenario: &Scenario, options: &Options<'_>) -> Result<Report, Problem> {
    play(scenario, options).await.map(|(report, _)| report)
}

/// Plays a scenario to its end and also returns the texts that were sent.
pub(crate) async fn play(
    scenario: &Scenario,
    options: &Options<'_>,
) -> Result<(Report, Vec<Outgoing>), Problem> {
    let mut player = Player::new(scenario, options)?;
    let played = player.play().await;
    let to_come = player.end();
    played?;
    if to_come > 0 && options.deaths.is_empty() {
        player.never_died(to_come);
    }
    let texts = player.outgoing();
    Ok((player.report(), texts))
}

/// The start of the file, as the position of findings that concern all of it.
const HEAD: Place = Place { line: 1, col: 1, end_col: 2 };

/// The state of one simulation.
struct Player<'a> {
    scenario: &'a Scenario,
    options: &'a Options<'a>,
    seed: u64,
    cast: Cast,
    teller: Teller,
    home: Home,
    life: life::Life,
    /// Sum of all `clock` steps so far: wall clock minus start and elapsed time.
    drift: Span,
    /// Total time by which `clock` steps set the wall clock back.
    went_back: Span,
    /// Number of processes started so far.
    lives: u64,
    /// Counter for what the world does; ids and keys are derived from it.
    number: u64,
    /// Crashes that are due while no process runs; the next process takes them over.
    deaths: Vec<Death>,
    /// Texts delivered so far, from which the fault [`Fault::OlderAgain`] chooses.
    delivered: Vec<Ask>,
    /// Questions that a crashed process left unanswered; the next process is asked again.
    unanswered: Vec<Ask>,
    /// Questions to ask later, by instant and then in the order in which they were postponed.
    later: BTreeMap<(Timestamp, u64), Ask>,
    /// Questions that were asked in the middle of the process's work and are not answered yet.
    meanwhile: Vec<Meanwhile>,
    /// Log of what the world and the processes exchanged.
    journal: Arc<Journal>,
    /// Runs by the names that the scenario gave them (`as`).
    runs: BTreeMap<String, RunId>,
    seen: Seen,
    /// The current process's number of fired timers that is already in `totals`.
    fired: u64,
    crowd: Crowd,
    tape: Tape,
    story: Vec<Line>,
    unmet: Vec<Unmet>,
    totals: Totals,
    audit: Vec<String>,
    /// Breaches that inspected commits had.
    broken: Vec<String>,
    /// What each commit of all processes held, in order.
    commits: Vec<Holding>,
    /// Whether to skip the story and the expectations.
    silent: bool,
    /// The nodes besides the main process, on a server.
    nodes: Option<Nodes>,
    /// Keeps all threads of the simulation on one processor.
    _processor: OneProcessor,
}

impl<'a> Player<'a> {
    fn new(scenario: &'a Scenario, options: &'a Options<'a>) -> Result<Self, Problem> {
        let seed = options.seed.unwrap_or(scenario.seed);
        let mut cast = Cast::of(&scenario.people);
        for person in scenario.neighbours.iter().flat_map(|neighbour| &neighbour.people.own) {
            cast.learn(&person.name, &person.phone);
        }
        let home = Home::new(scenario, options)?;
        let several = options.several_nodes && home.is_on_server();
        let journal = Journal::of(&home.provider, &home.clock);
        let mix = options.mischief.as_ref().filter(|_| several);
        let nodes = mix.map(|mix| Nodes::drawn((mix, options.order), &home));
        Ok(Self {
            scenario,
            options,
            seed,
            nodes,
            teller: Teller::new(&scenario.zone, cast.clone()),
            cast,
            home,
            life: life::Life::Unborn,
            drift: Span::ZERO,
            went_back: Span::ZERO,
            lives: 0,
            number: 0,
            deaths: added(options),
            delivered: Vec::new(),
            unanswered: Vec::new(),
            later: BTreeMap::new(),
            meanwhile: Vec::new(),
            journal,
            runs: BTreeMap::new(),
            seen: Seen::default(),
            fired: 0,
            crowd: Crowd::new(options.crowd.clone(), seed, &scenario.zone),
            tape: Tape::default(),
            story: Vec::new(),
            unmet: Vec::new(),
            totals: Totals::default(),
            audit: Vec::new(),
            broken: Vec::new(),
            commits: Vec::new(),
            silent: false,
            _processor: OneProcessor::take(),
        })
    }

    async fn play(&mut self) -> Result<(), Problem> {
        self.rise().await?;
        match self.options.live {
            Some(live) => {
                self.remember(live).await?;
                self.go_on().await;
            }
            None => self.people().await?,
        }
        self.home.mischief.begin();
        self.tend_nodes().await?;
        for (at, stop) in agenda::agenda(self.scenario) {
            self.reach(self.wall(at)).await?;
            match stop {
                Stop::Step(step) => self.act(step).await?,
                Stop::Look(_) if self.silent => {}
                Stop::Look(expectation) => self.look(expectation).await?,
            }
        }
        // A copy holds only part of a database, so the audit does not apply to it.
        let looks = !self.silent && self.options.live.is_none();
        if looks { self.last_look().await } else { Ok(()) }
    }

    /// Returns the wall clock time of the last step or check.
    fn last_instant(&self) -> Timestamp {
        let last = agenda::agenda(self.scenario).last().map_or(Span::ZERO, |(at, _)| *at);
        self.wall(last)
    }

    /// Converts elapsed time to wall clock time.
    fn wall(&self, elapsed: Span) -> Timestamp {
        self.scenario.start + elapsed + self.drift
    }

    fn now(&self) -> Timestamp {
        self.home.now()
    }

    fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    /// Lets time pass until `target`. Everything due by then happens, and is reported, at its own instant.
    async fn reach(&mut self, target: Timestamp) -> Result<(), Problem> {
        loop {
            let to = target.max(self.now());
            // Stop where a person of the crowd writes or a postponed question is due.
            let next = self.crowd.next().into_iter().chain(self.next_put_off()).min();
            let stop = next.map_or(to, |at| at.clamp(self.now(), to));
            match self.life.down_until() {
                Some(until) if stop < until => self.home.clock.set(stop),
                Some(_) => {
                    self.rise().await?;
                    continue;
                }
                None => self.go_to(stop).await?,
            }
            self.collect().await?;
            self.tend_nodes().await?;
            if self.is_told().await? {
                return Ok(());
            }
            if self.life.down_until().is_some_and(|until| until <= stop) {
                // The process crashed on the way and restarts at once, so that what comes next finds one.
                continue;
            }
            if self.now() >= stop {
                let came = self.put_off_comes().await? | self.crowd_writes().await?;
                if !came && stop >= to {
                    return Ok(());
                }
            }
        }
    }

    /// Advances the running process to the next instant that something in it waits for, but not beyond `to`,
    /// and lets it do what is due then.
    async fn go_to(&mut self, to: Timestamp) -> Result<(), Problem> {
        let next = self.home.clock.awaited().into_iter().chain(self.next_node()).min();
        let next = next.filter(|at| *at < to);
        let stop = next.map_or(to, |at| at.max(self.now()));
        let stood = self.stands();
        let went = if stop > self.now() { self.set_clock(stop).await } else { Ok(()) };
        let fired = match went {
            Ok(()) if self.stands() == stood => return self.observe().await,
            Ok(()) => self.process_ask(|engine| async move { engine.fired() }).await,
            Err(died) => Err(died),
        };
        match fired {
            Ok(fired) => {
                self.totals.fired += fired - std::mem::replace(&mut self.fired, fired);
                self.observe().await
            }
            Err(Died) => {
                self.fall(Span::ZERO);
                Ok(())
            }
        }
    }

    fn say(&mut self, kind: LineKind, text: String) {
        let line = self.teller.line(self.now(), kind, text);
        self.tell(vec![line]);
    }

    fn tell(&mut self, lines: Vec<Line>) {
        if let Some(on_line) = self.options.on_line {
            lines.iter().for_each(on_line);
        }
        self.story.extend(lines);
    }

    fn note(&mut self, place: Place, code: &str, (expected, found): (String, String)) {
        self.unmet.push(Unmet::new(&self.scenario.file, place, code, expected, found));
    }

    fn tell_happening(&mut self, happening: Happening) {
        let lines = self.teller.tell(vec![happening]);
        self.tell(lines);
    }

    fn name_run(&mut self, name: Option<String>, run: Option<RunId>) {
        if let (Some(name), Some(run)) = (name, run) {
            self.runs.insert(name, run);
        }
    }

    /// Records that crashes did not happen, which is a fault of the scenario.
    fn never_died(&mut self, deaths: usize) {
        let expected = "every crash to happen".to_owned();
        let found = format!("{deaths} did not: no matching commit or send followed");
        self.note(HEAD, "unmet", (expected, found));
    }

    fn report(self) -> Report {
        Report {
            scenario: self.scenario.name.clone(),
            seed: self.seed,
            ended_at: self.now(),
            story: self.story,
            unmet: self.unmet,
            totals: self.totals,
            measure: self.tape.measure(),
            audit: self.audit,
        }
    }
}

/// Returns the crashes that the options add to those of the scenario.
fn added(options: &Options<'_>) -> Vec<Death> {
    let death = |&(nth, side): &(u64, CommitPoint)| Death {
        point: Point::Begun(side),
        left: nth.max(1),
        down: Span::ZERO,
    };
    options.deaths.iter().map(death).collect()
}
