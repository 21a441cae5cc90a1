//! Generates scenarios from a seed: shipped scenarios are combined, with steps left out and moved, and with
//! further events added. Some of the scenarios happen at another tenant of the same engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use abide_engine::base::{Span, Timestamp, Value};
use fastrand::Rng;
use serde_json::json;

use super::ways;
use crate::scenario::{
    Action, Crash, CrashPoint, Demo, Neighbour, OwnPerson, People, Place, Scenario, Step, Text, Who,
};

/// How many scenarios to combine; one of these numbers is drawn. One scenario is usually deep enough and
/// costs least, so it is the most frequent.
const STORIES: [usize; 8] = [1, 1, 1, 1, 2, 2, 2, 3];
/// How far apart two combined scenarios start, and how far a step is moved, at most.
const APART_MAX: Span = Span::from_secs(12 * 3_600);
const MOVED_MAX: Span = Span::from_secs(3_600);
/// One step in this many is left out, and one in this many is moved.
const LEFT_OUT: u8 = 20;
const MOVED: u8 = 10;
/// Largest number of added events; each consists of one or more steps.
const MORE_MAX: usize = 8;
/// How long the simulation continues after its last step.
const BEHIND: Span = Span::from_secs(2 * 3_600);
/// The largest jump of a clock, the longest downtime of a process, and the longest pause.
const JUMP_MAX: Span = Span::from_secs(2 * 3_600);
const DOWN_MAX: Span = Span::from_secs(7_200);
const STOPPED_MAX: Span = Span::from_secs(10 * 3_600);
/// One pause in this many may last longer than offers and questions do.
const OUTLASTS: u8 = 4;
const OUTLASTS_MAX: Span = Span::from_secs(40 * 3_600);

/// What people write without being asked, or in answer to something else.
const SAID: [&str; 16] = [
    "yes",
    "Yes!!",
    "no",
    "can't make it after all",
    "STOP",
    "START",
    "stop",
    "maybe later",
    "what time?",
    "👍",
    "sure but after 10",
    "cancel",
    "HELP",
    "who is this",
    "I'm in for nursery",
    "Ja, gerne 🙂\u{0}",
];
/// What people write at the instant at which others are asked, and how many do. In one rush in
/// [`EVERYBODY`], everyone writes.
const RUSHED: [&str; 5] = ["STOP", "stop", "Stop.", "yes", "no"];
const RUSH_MAX: usize = 4;
const EVERYBODY: u8 = 2;
/// How soon after an order the kill switch is thrown, at most: while the texts that the order caused are
/// sent.
const HELD_WITHIN: Span = Span::from_secs(60);
/// What staff write.
const ORDERED: [&str; 5] = [
    "Fill 3 nursery spots for the 9am service",
    "Fill 2 nursery spots for the 11am service",
    "make it nursery 4 children 3",
    "cancel the nursery request for 9am",
    "thanks!",
];
/// The pool of the demo church, by its letters.
const POOL: &str = "ABCDEFGHIJKL";
/// The position of generated steps, which are in no file.
const PLACE: Place = Place { line: 1, col: 1, end_col: 2 };
const STAFF: &str = "staff";
/// Name and phone of a person who is staff and also serves.
const BOTH: (&str, &str) = ("Zoe", "+15125550177");
/// People who share the phone of someone in the pool, with their roles. Each is present in one scenario in
/// [`SHARES`].
const SHARED: [(&str, &str, &[&str]); 2] = [
    ("Yan", "+15125550102", &["nursery", "greeters"]),
    ("Xenia", "+15125550104", &["staff", "nursery"]),
];
const SHARES: u8 = 3;
/// The other tenant, with a number and a zone of its own.
const NEIGHBOUR: &str = "hope";
const NEIGHBOURS_NUMBER: &str = "+15125550200";
const ZONES: [&str; 3] = ["America/New_York", "America/Los_Angeles", "Europe/Berlin"];
/// The largest number of texts that arrive during an outage, and its longest duration: long enough that
/// waits and offers end in it.
const BACKLOG_MAX: usize = 8;
const BACKLOG_DOWN_MAX: Span = Span::from_secs(7 * 3_600);

/// Generates the scenario of a seed.
pub(super) fn blend(seed: u64, shipped: &[Scenario]) -> Scenario {
    let mut random = Rng::with_seed(seed);
    let count = STORIES[random.usize(..STORIES.len())];
    let stories = random.choose_multiple(shipped, count);
    let first = stories.first().map_or_else(|| shipped[0].clone(), |first| (*first).clone());
    let mut blend = Scenario { seed, expect: Vec::new(), steps: Vec::new(), ..first };
    let mut neighbour: Option<Neighbour> = None;
    for (nth, story) in stories.iter().enumerate() {
        let offset = if nth == 0 { Span::ZERO } else { below(&mut random, APART_MAX) };
        let steps = story.steps.iter().filter_map(|step| moved(&mut random, step, offset));
        let mut steps: Vec<Step> = steps.map(|step| renamed(step, nth)).collect();
        if nth > 0 && random.u8(..3) > 0 {
            let next_door = neighbour.get_or_insert_with(|| next_door(&mut random, &story.config));
            next_door.people.own.extend(story.people.own.iter().cloned());
            steps.iter_mut().for_each(|step| step.tenant = Some(Arc::clone(&next_door.tenant)));
        } else if nth > 0 {
            blend.people.own.extend(story.people.own.iter().cloned());
        }
        blend.steps.extend(steps);
    }
    // Added texts come from people of the demo church, so it is loaded whichever scenario is first.
    inhabited(&mut random, &mut blend.people);
    blend.config.extend(ways::settings(&mut random, blend.start, &blend.zone));
    if let Some(next_door) = &mut neighbour {
        inhabited(&mut random, &mut next_door.people);
        next_door.config.extend(ways::settings(&mut random, blend.start, &next_door.zone));
    }
    let tenants: Vec<_> = std::iter::once((None, blend.zone.clone()))
        .chain(neighbour.iter().map(|n| (Some(Arc::clone(&n.tenant)), n.zone.clone())))
        .collect();
    blend.neighbours.extend(neighbour);
    let length = blend.steps.iter().map(|step| step.at).max().unwrap_or(Span::ZERO);
    let runs: Vec<String> = blend.steps.iter().filter_map(begun).collect();
    for _ in 0..random.usize(..=MORE_MAX) {
        let (tenant, zone) = &tenants[random.usize(..tenants.len())];
        let scene = Scene { start: blend.start, zone, length, runs: &runs };
        let more = more(&mut random, &scene);
        blend.steps.extend(more.into_iter().map(|step| Step { tenant: tenant.clone(), ..step }));
    }
    let last = blend.steps.iter().map(|step| step.at).max().unwrap_or(length);
    blend.steps.push(step(last + BEHIND, Action::Advance));
    blend.steps.sort_by_key(|step| step.at);
    let names: Vec<&str> = stories.iter().map(|story| story.name.as_str()).collect();
    blend.name = format!("seed {seed}: {}", names.join(" + "));
    blend
}

/// Creates the other tenant, with the settings of a scenario that happens there.
fn next_door(random: &mut Rng, config: &BTreeMap<String, Value>) -> Neighbour {
    let zone = ZONES[random.usize(..ZONES.len())];
    let mut config = config.clone();
    config.insert("time_zone".to_owned(), json!(zone));
    config.insert("sms_from".to_owned(), json!(NEIGHBOURS_NUMBER));
    let (tenant, people) = (NEIGHBOUR.into(), People::default());
    Neighbour { tenant, zone: zone.to_owned(), people, config }
}

/// Adds the demo church, a person who is staff and also serves, and some people who share a phone.
fn inhabited(random: &mut Rng, people: &mut People) {
    people.demo = Some(Demo::Church);
    people.own.push(person(BOTH.0, BOTH.1, &["staff", "nursery", "greeters"]));
    people.own.dedup_by(|a, b| a.phone == b.phone);
    for (name, phone, roles) in SHARED {
        if random.u8(..SHARES) == 0 {
            people.own.push(person(name, phone, roles));
        }
    }
}

fn person(name: &str, phone: &str, roles: &[&str]) -> OwnPerson {
    let record = json!({ "name": name, "phone": phone, "roles": roles });
    OwnPerson { name: name.to_owned(), phone: phone.to_owned(), record, place: PLACE }
}

/// Shifts a step by `offset`; some steps are left out or moved further.
fn moved(random: &mut Rng, step: &Step, offset: Span) -> Option<Step> {
    let publishes = matches!(step.action, Action::Publish(_));
    if !publishes && random.u8(..LEFT_OUT) == 0 {
        return None;
    }
    let by = if random.u8(..MOVED) == 0 { below(random, MOVED_MAX) } else { Span::ZERO };
    Some(Step { at: step.at + offset + by, ..step.clone() })
}

/// Makes run names and message ids in a step unique, because combined scenarios may use the same ones.
fn renamed(mut step: Step, nth: usize) -> Step {
    let own = |name: &mut Option<String>| {
        if let Some(name) = name {
            *name = format!("{name} {nth}");
        }
    };
    match &mut step.action {
        Action::Text(text) => {
            own(&mut text.name);
            own(&mut text.id);
        }
        Action::Start(start) => own(&mut start.name),
        Action::Signal(signal) => own(&mut signal.run),
        Action::Cancel { run } | Action::Hold { run, .. } => own(run),
        _ => {}
    }
    step
}

/// Returns the name of the run that a step starts.
fn begun(step: &Step) -> Option<String> {
    match &step.action {
        Action::Text(text) => text.name.clone(),
        Action::Start(start) => start.name.clone(),
        _ => None,
    }
}

/// The circumstances of an added event.
struct Scene<'a> {
    start: Timestamp,
    /// The tenant's time zone.
    zone: &'a str,
    length: Span,
    /// The names of the runs that steps start.
    runs: &'a [String],
}

/// Draws an event that is in none of the scenarios.
fn more(random: &mut Rng, scene: &Scene<'_>) -> Vec<Step> {
    let runs = scene.runs;
    let at = below(random, scene.length + BEHIND);
    match random.u8(..21) {
        0 => {
            let until = at + stopped(random);
            let hold = |pause| Action::Hold { pause, run: None };
            vec![step(at, hold(true)), step(until, hold(false))]
        }
        1 => {
            let by = below(random, JUMP_MAX);
            let by = if random.bool() { by } else { Span::from_micros(-by.micros()) };
            vec![step(at, Action::Clock { by })]
        }
        2 => {
            let down = below(random, DOWN_MAX);
            vec![step(at, Action::Crash(Crash { at: CrashPoint::Now, nth: 1, down }))]
        }
        3 => vec![step(at, Action::Cancel { run: None })],
        12 => vec![step(at, Action::Config(ways::change(random)))],
        13 | 14 => {
            let down = below(random, BACKLOG_DOWN_MAX);
            let crash = Crash { at: CrashPoint::Now, nth: 1, down };
            let mut steps = vec![step(at, Action::Crash(crash))];
            for _ in 0..random.usize(1..=BACKLOG_MAX) {
                let from = random.usize(..POOL.len());
                let (when, says) = (at + below(random, down), SAID[random.usize(..2)]);
                steps.push(step(when, says_it(&POOL[from..=from], says)));
            }
            steps
        }
        9 | 17 => {
            // A reply is stored, and the process that could apply it is down until later.
            let down = below(random, BACKLOG_DOWN_MAX);
            let crash = Crash { at: CrashPoint::AfterCommit, nth: 1, down };
            let from = random.usize(..POOL.len());
            let reply = says_it(&POOL[from..=from], SAID[random.usize(..2)]);
            vec![step(at, Action::Crash(crash)), step(at, reply)]
        }
        10 => vec![step(at, says_it(BOTH.0, ORDERED[random.usize(..ORDERED.len())]))],
        11 => vec![step(at, says_it(BOTH.0, SAID[random.usize(..SAID.len())]))],
        18..=20 => rush(random, scene, at),
        15 | 16 => {
            let until = at + stopped(random);
            let run = (!runs.is_empty()).then(|| runs[random.usize(..runs.len())].clone());
            let hold = |pause| Action::Hold { pause, run: run.clone() };
            vec![step(at, hold(true)), step(until, hold(false))]
        }
        4 | 5 => vec![step(at, says_it(STAFF, ORDERED[random.usize(..ORDERED.len())]))],
        _ => {
            let from = random.usize(..POOL.len());
            vec![step(at, says_it(&POOL[from..=from], SAID[random.usize(..SAID.len())]))]
        }
    }
}

/// Draws many events at one instant: staff ask for people while others write and perhaps the kill switch is
/// thrown. What that holds back leaves all at once when it is released, unless quiet hours were set in
/// between, and others may write just then.
fn rush(random: &mut Rng, scene: &Scene<'_>, at: Span) -> Vec<Step> {
    let hold = |at, pause| step(at, Action::Hold { pause, run: None });
    let held = if random.bool() { at } else { at + below(random, HELD_WITHIN) };
    let stopped = stopped(random);
    let until = held + stopped;
    let is_held = random.bool();
    let rushed = if is_held { [at, held, until][random.usize(..3)] } else { at };
    let many = if random.u8(..EVERYBODY) == 0 { POOL.len() } else { random.usize(1..=RUSH_MAX) };
    let mut who: Vec<usize> = (0..POOL.len()).collect();
    random.shuffle(&mut who);
    let mut steps = Vec::new();
    for from in who.into_iter().take(many) {
        let says = RUSHED[random.usize(..RUSHED.len())];
        steps.push(step(rushed, says_it(&POOL[from..=from], says)));
    }
    // Questions asked in the middle of the process's work must come before the work that they interrupt.
    if is_held {
        steps.extend([hold(held, true), hold(until, false)]);
    }
    if is_held && random.bool() {
        let set = held + below(random, stopped);
        let quiet = ways::quiet_hours(random, scene.start + set, scene.zone);
        let changes = BTreeMap::from([("quiet_hours".to_owned(), quiet)]);
        steps.push(step(set, Action::Config(changes)));
    }
    steps.push(step(at, says_it(STAFF, ORDERED[random.usize(..2)])));
    steps
}

/// Draws how long sending is paused.
fn stopped(random: &mut Rng) -> Span {
    let most = if random.u8(..OUTLASTS) == 0 { OUTLASTS_MAX } else { STOPPED_MAX };
    below(random, most)
}

fn says_it(who: &str, body: &str) -> Action {
    let from = vec![Who { text: who.to_owned(), place: Place::default() }];
    let (received_at, id, name) = (None, None, None);
    Action::Text(Text { from, body: body.to_owned(), received_at, id, name, several: false })
}

fn step(at: Span, action: Action) -> Step {
    Step { at, action, tenant: None, place: PLACE }
}

fn below(random: &mut Rng, most: Span) -> Span {
    Span::from_micros(random.i64(0..most.micros().max(1)))
}
