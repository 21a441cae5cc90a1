//! Playing a scenario: the engine in a process that can die, the world around it, the clock.
//!
//! One thing happens at a time: the world acts, the process answers or dies, what happened is told.
//! Nothing depends on the machine's clock or on chance but through the seed.

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

/// How a scenario is played.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// Another seed than the scenario's.
    pub seed: Option<u64>,
    /// The database; an embedded one in a temporary folder without it. It must be empty.
    pub db: Option<Address>,
    /// What the database begins with; it is made anew without it.
    pub template: Option<&'a Template>,
    /// The story goes on from this copy.
    pub live: Option<&'a Live>,
    /// The content to play with; what is compiled into the program without it.
    pub sources: Option<Sources>,
    /// The same, compiled before.
    pub library: Option<&'a Library>,
    /// The process also dies at these commits of the story, counted from 1, each on this side of it.
    pub deaths: &'a [(u64, CommitPoint)],
    /// What chance does besides; nothing without it.
    pub mischief: Option<Mix>,
    /// In which order the parts of the process go on.
    pub order: Order,
    /// On a server two or three nodes play, where chance does something.
    pub several_nodes: bool,
    /// Changes what each process is opened with: a verb of a test's own, say.
    pub alter: Option<&'a (dyn Fn(&mut EngineConfig) + Sync)>,
    /// How the people answer whom no step has speak; they keep silent without it.
    pub crowd: Option<Model>,
    /// Told each line of the story as it unfolds.
    pub on_line: Option<&'a (dyn Fn(&Line) + Sync)>,
}

/// Plays a scenario to its end.
///
/// # Errors
/// Where it cannot be played at all: the database cannot be opened, or the engine refuses to start.
/// What merely goes otherwise than expected is in the report.
pub async fn simulate(scenario: &Scenario, options: &Options<'_>) -> Result<Report, Problem> {
    play(scenario, options).await.map(|(report, _)| report)
}

/// The same, with the texts that were sent.
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

/// The head of the file, for what concerns all of it.
const HEAD: Place = Place { line: 1, col: 1, end_col: 2 };

/// Everything that a story needs while it is played.
struct Player<'a> {
    scenario: &'a Scenario,
    options: &'a Options<'a>,
    seed: u64,
    cast: Cast,
    teller: Teller,
    home: Home,
    life: life::Life,
    /// Wall clock minus elapsed time, after `clock` steps.
    drift: Span,
    /// How far the wall clock went back, in all.
    went_back: Span,
    /// How many processes there were.
    lives: u64,
    /// Numbers what the world does: ids and keys come of it.
    number: u64,
    /// The deaths to come, while no process lives that could know of them.
    deaths: Vec<Death>,
    /// What was delivered so far, where it may be delivered again.
    delivered: Vec<Ask>,
    /// What a dead process was asked and did not answer.
    unanswered: Vec<Ask>,
    /// What is asked at a later instant, in the order in which it was put off.
    later: BTreeMap<(Timestamp, u64), Ask>,
    /// What reaches the process in the middle of its work and is not answered yet.
    meanwhile: Vec<Meanwhile>,
    /// What went between the world and the processes, in order.
    journal: Arc<Journal>,
    /// Runs by their `as`.
    runs: BTreeMap<String, RunId>,
    seen: Seen,
    /// How much fell due by itself in this life, as far as it is counted.
    fired: u64,
    crowd: Crowd,
    tape: Tape,
    story: Vec<Line>,
    unmet: Vec<Unmet>,
    totals: Totals,
    audit: Vec<String>,
    /// What must hold in each commit and did not, in those that were looked at.
    broken: Vec<String>,
    /// What each commit of all lives held.
    commits: Vec<Holding>,
    /// Nobody listens: nothing is told and nothing is looked at on the way.
    silent: bool,
    /// Nodes beside the process, on a server.
    nodes: Option<Nodes>,
    /// Where its threads work.
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
        // Of a copy there is nothing to audit: it is a part of a database.
        let looks = !self.silent && self.options.live.is_none();
        if looks { self.last_look().await } else { Ok(()) }
    }

    /// The instant at which the story's last step or look is, by the wall clock.
    fn last_instant(&self) -> Timestamp {
        let last = agenda::agenda(self.scenario).last().map_or(Span::ZERO, |(at, _)| *at);
        self.wall(last)
    }

    /// What the wall clock shows when this much time has passed.
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

    /// Lets time pass until `target`; everything due by then is done, and told, at its own instant.
    async fn reach(&mut self, target: Timestamp) -> Result<(), Problem> {
        loop {
            let to = target.max(self.now());
            // Whoever writes on the way writes at their own instant.
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
                // It died on the way and is not to stay down: whatever comes now finds a process.
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

    /// The living process goes on to the next instant that anything in it waits for, but not beyond `to`,
    /// and does what is due then.
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

    /// A crash that was asked for and did not come is a fault of the scenario.
    fn never_died(&mut self, deaths: usize) {
        let expected = "every crash to come".to_owned();
        let found = format!("{deaths} found no commit or send to come at");
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

/// The deaths that whoever plays the scenario adds to it.
fn added(options: &Options<'_>) -> Vec<Death> {
    let death = |&(nth, side): &(u64, CommitPoint)| Death {
        point: Point::Begun(side),
        left: nth.max(1),
        down: Span::ZERO,
    };
    options.deaths.iter().map(death).collect()
}
