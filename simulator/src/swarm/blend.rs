//! Stories that nobody wrote: shipped ones laid over each other, with steps left out and moved, and with
//! more from outside that nobody expects.

use abide_engine::base::Span;
use fastrand::Rng;

use crate::scenario::{
    Action, Crash, CrashPoint, Demo, OwnPerson, Place, Scenario, Step, Text, Who,
};

/// How many stories are laid over each other, as often as each number stands here: one alone goes deep
/// enough most of the time, and costs least.
const STORIES: [usize; 8] = [1, 1, 1, 1, 1, 2, 2, 3];
/// How far the beginnings of two of them lie apart at most, and how far a step is moved.
const APART_MAX: Span = Span::from_secs(12 * 3_600);
const MOVED_MAX: Span = Span::from_secs(3_600);
/// One step out of so many is left out, and one moved.
const LEFT_OUT: u8 = 20;
const MOVED: u8 = 10;
/// Steps at most that stand in none of the stories.
const MORE_MAX: usize = 8;
/// How long the stories go on behind their last step.
const BEHIND: Span = Span::from_secs(2 * 3_600);
/// How far a clock jumps, how long a process stays down, and how long sending is stopped, at most.
const JUMP_MAX: Span = Span::from_secs(2 * 3_600);
const DOWN_MAX: Span = Span::from_secs(7_200);
const STOPPED_MAX: Span = Span::from_secs(5 * 3_600);

/// What people write who were not asked, or not that.
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
/// What staff write.
const ORDERED: [&str; 5] = [
    "Fill 3 nursery spots for the 9am service",
    "Fill 2 nursery spots for the 11am service",
    "make it nursery 4 children 3",
    "cancel the nursery request for 9am",
    "thanks!",
];
/// The pool of the demo church, and staff.
const POOL: &str = "ABCDEFGHIJKL";
/// Where it stands: nowhere.
const PLACE: Place = Place { line: 1, col: 1, end_col: 2 };
const STAFF: &str = "staff";
/// Somebody who may ask for work and is asked to serve, and her number.
const BOTH: (&str, &str) = ("Zoe", "+15125550177");

/// The story of a seed.
pub(super) fn blend(seed: u64, shipped: &[Scenario]) -> Scenario {
    let mut random = Rng::with_seed(seed);
    let count = STORIES[random.usize(..STORIES.len())];
    let stories = random.choose_multiple(shipped, count);
    let first = stories.first().map_or_else(|| shipped[0].clone(), |first| (*first).clone());
    let mut blend = Scenario { seed, expect: Vec::new(), steps: Vec::new(), ..first };
    for (nth, story) in stories.iter().enumerate() {
        let offset = if nth == 0 { Span::ZERO } else { below(&mut random, APART_MAX) };
        let steps = story.steps.iter().filter_map(|step| moved(&mut random, step, offset));
        blend.steps.extend(steps.map(|step| renamed(step, nth)));
        blend.people.own.extend(story.people.own.iter().filter(|_| nth > 0).cloned());
    }
    // Whoever writes unasked is of the demo church, whichever story comes first.
    blend.people.demo = Some(Demo::Church);
    blend.people.own.push(both());
    blend.people.own.dedup_by(|a, b| a.phone == b.phone);
    let length = blend.steps.iter().map(|step| step.at).max().unwrap_or(Span::ZERO);
    for _ in 0..random.usize(..=MORE_MAX) {
        blend.steps.extend(more(&mut random, length));
    }
    let last = blend.steps.iter().map(|step| step.at).max().unwrap_or(length);
    blend.steps.push(step(last + BEHIND, Action::Advance));
    blend.steps.sort_by_key(|step| step.at);
    let names: Vec<&str> = stories.iter().map(|story| story.name.as_str()).collect();
    blend.name = format!("seed {seed}: {}", names.join(" + "));
    blend
}

/// Staff who also serves.
fn both() -> OwnPerson {
    let (name, phone) = BOTH;
    let roles = ["staff", "nursery", "greeters"];
    let record = serde_json::json!({ "name": name, "phone": phone, "roles": roles });
    OwnPerson { name: name.to_owned(), phone: phone.to_owned(), record, place: PLACE }
}

/// A step of a story where it may come: not at all, or at another instant.
fn moved(random: &mut Rng, step: &Step, offset: Span) -> Option<Step> {
    let publishes = matches!(step.action, Action::Publish(_));
    if !publishes && random.u8(..LEFT_OUT) == 0 {
        return None;
    }
    let by = if random.u8(..MOVED) == 0 { below(random, MOVED_MAX) } else { Span::ZERO };
    Some(Step { at: step.at + offset + by, ..step.clone() })
}

/// The same with names of the story's own: two stories may call their runs alike.
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

/// Something that stands in no story.
fn more(random: &mut Rng, length: Span) -> Vec<Step> {
    let at = below(random, length + BEHIND);
    let who = |name: &str| Who { text: name.to_owned(), place: Place::default() };
    let text = |from: Who, body: &str| {
        let body = body.to_owned();
        Action::Text(Text {
            from: vec![from],
            body,
            received_at: None,
            id: None,
            name: None,
            several: false,
        })
    };
    match random.u8(..12) {
        0 => {
            let until = at + below(random, STOPPED_MAX);
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
        10 => vec![step(at, text(who(BOTH.0), ORDERED[random.usize(..ORDERED.len())]))],
        11 => vec![step(at, text(who(BOTH.0), SAID[random.usize(..SAID.len())]))],
        4 | 5 => vec![step(at, text(who(STAFF), ORDERED[random.usize(..ORDERED.len())]))],
        _ => {
            let from = random.usize(..POOL.len());
            vec![step(at, text(who(&POOL[from..=from]), SAID[random.usize(..SAID.len())]))]
        }
    }
}

fn step(at: Span, action: Action) -> Step {
    Step { at, action, place: PLACE }
}

fn below(random: &mut Rng, most: Span) -> Span {
    Span::from_micros(random.i64(0..most.micros().max(1)))
}
