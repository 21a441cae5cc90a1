//! Generates scenarios from a seed. Combines shipped scenarios, leaves out and moves some of their steps,
//! and adds further events. Some of the combined scenarios happen at another tenant of the same engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use abide_engine::base::{Span, Timestamp, Value};
use fastrand::Rng;
use serde_json::json;

use super::settings;
use crate::scenario::{
    Action, CrashPoint, CrashStep, DemoDirectory, OtherTenant, OwnPerson, People, PersonRef,
    Scenario, ScenarioStep, SourcePosition, TextStep,
};

/// Numbers of scenarios to combine, from which one is drawn.
/// One scenario is usually complex enough and costs least, so 1 is the most frequent number.
const STORIES: [usize; 8] = [1, 1, 1, 1, 2, 2, 2, 3];
/// Maximum time between the starts of two combined scenarios, and maximum time by which a step is moved.
const START_GAP_MAX: Span = Span::from_secs(12 * 3_600);
const MOVED_MAX: Span = Span::from_secs(3_600);
/// Of this many steps, one is left out on average; and of this many, one is moved.
const LEFT_OUT: u8 = 20;
const MOVED: u8 = 10;
/// Maximum number of added events. Each event consists of one or more steps.
const MORE_MAX: usize = 8;
/// Time for which the simulation continues after its last step.
const RUN_ON: Span = Span::from_secs(2 * 3_600);
/// Largest jump of a clock, longest downtime of a process, and longest ordinary pause.
const JUMP_MAX: Span = Span::from_secs(2 * 3_600);
const DOWN_MAX: Span = Span::from_secs(7_200);
const STOPPED_MAX: Span = Span::from_secs(10 * 3_600);
/// Of this many pauses, one is drawn from a longer range and may outlast offers and questions.
const OUTLASTS: u8 = 4;
const OUTLASTS_MAX: Span = Span::from_secs(40 * 3_600);

/// Messages that people write at random times.
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
/// Messages that people write at the instant at which others are asked,
/// and the usual maximum number of writers. In one of [`EVERYBODY`] such rushes, everyone writes.
const RUSHED: [&str; 5] = ["STOP", "stop", "Stop.", "yes", "no"];
const RUSH_MAX: usize = 4;
const EVERYBODY: u8 = 2;
/// Maximum time from an order by staff to turning on the kill switch,
/// so that this happens while the messages of the order are sent.
const HELD_WITHIN: Span = Span::from_secs(60);
/// Orders that staff write.
const ORDERED: [&str; 5] = [
    "Fill 3 nursery spots for the 9am service",
    "Fill 2 nursery spots for the 11am service",
    "make it nursery 4 children 3",
    "cancel the nursery request for 9am",
    "thanks!",
];
/// The people of the demo church's pool, by their letters.
const POOL: &str = "ABCDEFGHIJKL";
/// The position of generated steps, which do not come from a file.
const PLACE: SourcePosition = SourcePosition { line: 1, col: 1, end_col: 2 };
const STAFF: &str = "staff";
/// Name and phone number of a person who is staff and also serves.
const BOTH: (&str, &str) = ("Zoe", "+15125550177");
/// People who share the phone number of someone in the pool, with their roles.
/// Each of them is present in one of [`SHARES`] scenarios.
const SHARED: [(&str, &str, &[&str]); 2] = [
    ("Yan", "+15125550102", &["nursery", "greeters"]),
    ("Xenia", "+15125550104", &["staff", "nursery"]),
];
const SHARES: u8 = 3;
/// The id of the other tenant, its phone number, and the time zones from which its own is drawn.
const OTHER_TENANT: &str = "hope";
const OTHER_TENANTS_NUMBER: &str = "+15125550200";
const ZONES: [&str; 3] = ["America/New_York", "America/Los_Angeles", "Europe/Berlin"];
/// Maximum number of messages that arrive while the process is down, and its longest downtime:
/// long enough that waits and offers end during it.
const BACKLOG_MAX: usize = 8;
const BACKLOG_DOWN_MAX: Span = Span::from_secs(7 * 3_600);

/// Generates the scenario that belongs to a seed.
pub(super) fn combine(seed: u64, shipped: &[Scenario]) -> Scenario {
    let mut random = Rng::with_seed(seed);
    let count = STORIES[random.usize(..STORIES.len())];
    let stories = random.choose_multiple(shipped, count);
    let first = stories.first().map_or_else(|| shipped[0].clone(), |first| (*first).clone());
    let mut combined = Scenario { seed, expect: Vec::new(), steps: Vec::new(), ..first };
    let mut other_tenant: Option<OtherTenant> = None;
    for (nth, story) in stories.iter().enumerate() {
        let offset = if nth == 0 { Span::ZERO } else { random_span(&mut random, START_GAP_MAX) };
        let steps = story.steps.iter().filter_map(|step| shifted(&mut random, step, offset));
        let mut steps: Vec<ScenarioStep> = steps.map(|step| with_unique_names(step, nth)).collect();
        if nth > 0 && random.u8(..3) > 0 {
            let other =
                other_tenant.get_or_insert_with(|| create_other_tenant(&mut random, &story.config));
            other.people.own.extend(story.people.own.iter().cloned());
            steps.iter_mut().for_each(|step| step.tenant = Some(Arc::clone(&other.tenant)));
        } else if nth > 0 {
            combined.people.own.extend(story.people.own.iter().cloned());
        }
        combined.steps.extend(steps);
    }
    // Added messages come from people of the demo church,
    // so the church is loaded whichever scenario is first.
    add_people(&mut random, &mut combined.people);
    combined.config.extend(settings::initial(&mut random, combined.start, &combined.zone));
    if let Some(other) = &mut other_tenant {
        add_people(&mut random, &mut other.people);
        other.config.extend(settings::initial(&mut random, combined.start, &other.zone));
    }
    let tenants: Vec<_> = std::iter::once((None, combined.zone.clone()))
        .chain(other_tenant.iter().map(|n| (Some(Arc::clone(&n.tenant)), n.zone.clone())))
        .collect();
    combined.other_tenants.extend(other_tenant);
    let length = combined.steps.iter().map(|step| step.at).max().unwrap_or(Span::ZERO);
    let runs: Vec<String> = combined.steps.iter().filter_map(run_name).collect();
    for _ in 0..random.usize(..=MORE_MAX) {
        let (tenant, zone) = &tenants[random.usize(..tenants.len())];
        let scene = Scene { start: combined.start, zone, length, runs: &runs };
        let steps = added_event(&mut random, &scene);
        combined
            .steps
            .extend(steps.into_iter().map(|step| ScenarioStep { tenant: tenant.clone(), ..step }));
    }
    let last = combined.steps.iter().map(|step| step.at).max().unwrap_or(length);
    combined.steps.push(step(last + RUN_ON, Action::Advance));
    combined.steps.sort_by_key(|step| step.at);
    let names: Vec<&str> = stories.iter().map(|story| story.name.as_str()).collect();
    combined.name = format!("seed {seed}: {}", names.join(" + "));
    combined
}

/// Creates the other tenant, with the settings of the scenario that happens there.
fn create_other_tenant(random: &mut Rng, config: &BTreeMap<String, Value>) -> OtherTenant {
    let zone = ZONES[random.usize(..ZONES.len())];
    let mut config = config.clone();
    config.insert("time_zone".to_owned(), json!(zone));
    config.insert("sms_from".to_owned(), json!(OTHER_TENANTS_NUMBER));
    let (tenant, people) = (OTHER_TENANT.into(), People::default());
    OtherTenant { tenant, zone: zone.to_owned(), people, config }
}

/// Adds the demo church, a person who is staff and also serves, and some people who share a phone number.
fn add_people(random: &mut Rng, people: &mut People) {
    people.demo = Some(DemoDirectory::Church);
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

/// Shifts a step by `offset`. Leaves some steps out, and moves some further.
fn shifted(random: &mut Rng, step: &ScenarioStep, offset: Span) -> Option<ScenarioStep> {
    let publishes = matches!(step.action, Action::Publish(_));
    if !publishes && random.u8(..LEFT_OUT) == 0 {
        return None;
    }
    let by = if random.u8(..MOVED) == 0 { random_span(random, MOVED_MAX) } else { Span::ZERO };
    Some(ScenarioStep { at: step.at + offset + by, ..step.clone() })
}

/// Makes run names and message ids in a step unique,
/// because several of the combined scenarios may use the same.
fn with_unique_names(mut step: ScenarioStep, nth: usize) -> ScenarioStep {
    for name in step.action.own_names().into_iter().flatten() {
        *name = format!("{name} {nth}");
    }
    step
}

/// Returns the name that a step gives to the run it starts.
fn run_name(step: &ScenarioStep) -> Option<String> {
    step.action.names_run().map(str::to_owned)
}

/// The context for which an added event is drawn.
struct Scene<'a> {
    start: Timestamp,
    /// The tenant's time zone.
    zone: &'a str,
    length: Span,
    /// The names of the runs that steps start.
    runs: &'a [String],
}

/// Draws an event that is in none of the combined scenarios.
fn added_event(random: &mut Rng, scene: &Scene<'_>) -> Vec<ScenarioStep> {
    let runs = scene.runs;
    let at = random_span(random, scene.length + RUN_ON);
    match random.u8(..21) {
        0 => {
            let until = at + pause_length(random);
            let hold = |pause| Action::Hold { pause, run: None };
            vec![step(at, hold(true)), step(until, hold(false))]
        }
        1 => {
            let by = random_span(random, JUMP_MAX);
            let by = if random.bool() { by } else { Span::from_micros(-by.micros()) };
            vec![step(at, Action::Clock { by })]
        }
        2 => {
            let down = random_span(random, DOWN_MAX);
            vec![step(at, Action::Crash(CrashStep { at: CrashPoint::Now, nth: 1, down }))]
        }
        3 => vec![step(at, Action::Cancel { run: None })],
        12 => vec![step(at, Action::Config(settings::change(random)))],
        13 | 14 => {
            let down = random_span(random, BACKLOG_DOWN_MAX);
            let crash = CrashStep { at: CrashPoint::Now, nth: 1, down };
            let mut steps = vec![step(at, Action::Crash(crash))];
            for _ in 0..random.usize(1..=BACKLOG_MAX) {
                let from = random.usize(..POOL.len());
                let (when, says) = (at + random_span(random, down), SAID[random.usize(..2)]);
                steps.push(step(when, text_action(&POOL[from..=from], says)));
            }
            steps
        }
        9 | 17 => {
            // The crash follows the commit that stores the reply,
            // so no process can apply the reply until later.
            let down = random_span(random, BACKLOG_DOWN_MAX);
            let crash = CrashStep { at: CrashPoint::AfterCommit, nth: 1, down };
            let from = random.usize(..POOL.len());
            let reply = text_action(&POOL[from..=from], SAID[random.usize(..2)]);
            vec![step(at, Action::Crash(crash)), step(at, reply)]
        }
        10 => vec![step(at, text_action(BOTH.0, ORDERED[random.usize(..ORDERED.len())]))],
        11 => vec![step(at, text_action(BOTH.0, SAID[random.usize(..SAID.len())]))],
        18..=20 => rush(random, scene, at),
        15 | 16 => {
            let until = at + pause_length(random);
            let run = (!runs.is_empty()).then(|| runs[random.usize(..runs.len())].clone());
            let hold = |pause| Action::Hold { pause, run: run.clone() };
            vec![step(at, hold(true)), step(until, hold(false))]
        }
        4 | 5 => vec![step(at, text_action(STAFF, ORDERED[random.usize(..ORDERED.len())]))],
        _ => {
            let from = random.usize(..POOL.len());
            vec![step(at, text_action(&POOL[from..=from], SAID[random.usize(..SAID.len())]))]
        }
    }
}

/// Draws many events at one instant: staff ask for people while others write,
/// and the kill switch may be turned on. When it is turned off, the messages that it held back leave all
/// at once, unless quiet hours were set in between. Others may write at that instant, too.
fn rush(random: &mut Rng, scene: &Scene<'_>, at: Span) -> Vec<ScenarioStep> {
    let hold = |at, pause| step(at, Action::Hold { pause, run: None });
    let held = if random.bool() { at } else { at + random_span(random, HELD_WITHIN) };
    let stopped = pause_length(random);
    let until = held + stopped;
    let is_held = random.bool();
    let rushed = if is_held { [at, held, until][random.usize(..3)] } else { at };
    let many = if random.u8(..EVERYBODY) == 0 { POOL.len() } else { random.usize(1..=RUSH_MAX) };
    let mut who: Vec<usize> = (0..POOL.len()).collect();
    random.shuffle(&mut who);
    let mut steps = Vec::new();
    for from in who.into_iter().take(many) {
        let says = RUSHED[random.usize(..RUSHED.len())];
        steps.push(step(rushed, text_action(&POOL[from..=from], says)));
    }
    // Messages that arrive in the middle of the process's work must precede the work that they interrupt.
    if is_held {
        steps.extend([hold(held, true), hold(until, false)]);
    }
    if is_held && random.bool() {
        let set = held + random_span(random, stopped);
        let quiet = settings::quiet_hours(random, scene.start + set, scene.zone);
        let changes = BTreeMap::from([("quiet_hours".to_owned(), quiet)]);
        steps.push(step(set, Action::Config(changes)));
    }
    steps.push(step(at, text_action(STAFF, ORDERED[random.usize(..2)])));
    steps
}

/// Draws the length of a pause.
fn pause_length(random: &mut Rng) -> Span {
    let most = if random.u8(..OUTLASTS) == 0 { OUTLASTS_MAX } else { STOPPED_MAX };
    random_span(random, most)
}

fn text_action(who: &str, body: &str) -> Action {
    let from = vec![PersonRef { text: who.to_owned(), place: SourcePosition::default() }];
    let (received_at, id, name) = (None, None, None);
    Action::Text(TextStep { from, body: body.to_owned(), received_at, id, name, several: false })
}

fn step(at: Span, action: Action) -> ScenarioStep {
    ScenarioStep { at, action, tenant: None, place: PLACE }
}

fn random_span(random: &mut Rng, most: Span) -> Span {
    Span::from_micros(random.i64(0..most.micros().max(1)))
}
