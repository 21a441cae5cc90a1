//! Generates a scenario from a seed. Combines shipped scenarios, leaves out and
//! moves some of their scenario steps, and adds further scenario steps. Some of
//! the combined scenarios may happen at another tenant of the same engine. Scenarios
//! with the demo of the trade happen at a tenant of their own, which has that domain alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use abide_engine::base::{Span, Timestamp, Value};
use abide_engine::policy::Region;
use abide_verbs::directory::SUPERVISOR;
use fastrand::Rng;
use serde_json::json;

use super::judged::{self, JudgedTenant};
use super::settings;
use crate::scenario::{
    Action, CrashPoint, CrashStep, DemoDirectory, OtherTenant, OwnPerson, People, PersonRef,
    Scenario, ScenarioStep, SourcePosition, StartStep, TextStep,
};

/// The number of scenarios to combine is drawn from this list. A single scenario takes the
/// least time, and usually enough can go wrong in it. So 1 is the most frequent number.
const STORIES: [usize; 8] = [1, 1, 1, 1, 2, 2, 2, 3];
/// Maximum time from the start of the first combined scenario to the start of a further one
/// (`START_GAP_MAX`), and maximum time by which a scenario step is moved (`MOVED_MAX`).
const START_GAP_MAX: Span = Span::from_secs(12 * 3_600);
const MOVED_MAX: Span = Span::from_secs(3_600);
/// On average, one in [`LEFT_OUT`] scenario steps is left
/// out, and one in [`MOVED`] is moved to a later time.
const LEFT_OUT: u8 = 20;
const MOVED: u8 = 10;
/// Maximum number of events that are added. Each event consists of one or more scenario steps.
const MORE_MAX: usize = 8;
/// Time for which the simulation continues after the last event.
const RUN_ON: Span = Span::from_secs(2 * 3_600);
/// Largest jump of the clock (`JUMP_MAX`), longest downtime of a process (`DOWN_MAX`),
/// and longest ordinary pause of a run or tenant (`STOPPED_MAX`).
const JUMP_MAX: Span = Span::from_secs(2 * 3_600);
const DOWN_MAX: Span = Span::from_secs(7_200);
const STOPPED_MAX: Span = Span::from_secs(10 * 3_600);
/// On average, one in [`OUTLASTS`] pauses is drawn from a range up to [`OUTLASTS_MAX`].
/// Such a pause may last longer than an offer or a question stays open.
const OUTLASTS: u8 = 4;
const OUTLASTS_MAX: Span = Span::from_secs(40 * 3_600);

/// The number of pauses of runs that are added to every other simulation, each with the order to resume.
const ORDERS: std::ops::RangeInclusive<usize> = 1..=8;

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
/// Messages that people of the pool write in a rush (`RUSHED`). In a rush, staff ask for people to serve,
/// and several people of the pool write at one instant. On average, in one in [`EVERYBODY`] rushes the
/// whole pool writes. In every other rush, at most `RUSH_MAX` people write.
const RUSHED: [&str; 5] = ["STOP", "stop", "Stop.", "yes", "no"];
const RUSH_MAX: usize = 4;
const EVERYBODY: u8 = 2;
/// In a rush (see [`RUSHED`]), staff write a message that starts a run. This is the maximum time from
/// that message until the kill switch is turned on. The time is so short that the run is still sending
/// messages when the switch is turned on.
const HELD_WITHIN: Span = Span::from_secs(60);
/// Messages that staff write. Most of them tell the engine what to do.
const ORDERED: [&str; 5] = [
    "Fill 3 nursery spots for the 9am service",
    "Fill 2 nursery spots for the 11am service",
    "make it nursery 4 children 3",
    "cancel the nursery request for 9am",
    "thanks!",
];
/// The people who decide about approvals at random times: mostly Ruth, who is the supervisor.
const DECIDERS: [&str; 4] = ["Ruth", "Ruth", "Pat", "Ana"];
/// The supervisor of the demo church and the roles that she has besides. On average, in one in
/// [`ROLE_LOST`] events with decisions she loses the role before the second one.
const SUPERVISOR_NAME: &str = "Ruth";
const OTHER_ROLES: [&str; 2] = ["pastor_of_nursery", "pastor_of_children"];
const ALL_ROLES: [&str; 3] = [OTHER_ROLES[0], OTHER_ROLES[1], SUPERVISOR];
const ROLE_LOST: u8 = 3;
/// The number of further decisions of an event is less than this.
const DECISIONS_MORE: usize = 7;
/// Maximum time from a decision to the next one of the same person.
const DECIDED_AGAIN_MAX: Span = Span::from_secs(3 * 3_600);
/// The letters by which scenarios refer to the demo church's people who serve in the nursery.
const POOL: &str = "ABCDEFGHIJKL";
/// The source position of generated scenario steps, which do not come from a file.
const PLACE: SourcePosition = SourcePosition { line: 1, col: 1, end_col: 2 };
const STAFF: &str = "staff";
/// Name and phone number of a person who is staff and also serves.
const BOTH: (&str, &str) = ("Zoe", "+15125550177");
/// People who share the phone number of somebody in the demo church: name, number and roles.
/// On average, each of these people is added to one in [`SHARES`] tenants.
const SHARED: [(&str, &str, &[&str]); 2] = [
    ("Yan", "+15125550102", &["nursery", "greeters"]),
    ("Xenia", "+15125550104", &["staff", "nursery"]),
];
const SHARES: u8 = 3;
/// The id of the other tenant, its phone number, and the time zones from which its time zone is drawn.
const OTHER_TENANT: &str = "hope";
const OTHER_TENANTS_NUMBER: &str = "+15125550200";
const ZONES: [&str; 3] = ["America/New_York", "America/Los_Angeles", "Europe/Berlin"];
/// The id of the tenant of the trade, and its phone number.
/// On average, one in [`TRADES`] simulations plays a scenario of the trade at this tenant.
const TRADE_TENANT: &str = "bayside";
const TRADE_TENANTS_NUMBER: &str = "+61491579212";
const TRADES: u8 = 3;
/// The time zone of that tenant, if no scenario of the trade is played at it.
const TRADE_ZONE: &str = "Australia/Melbourne";
/// Number of times that a scenario of the trade is played at its tenant. The callers of a later time have the
/// phones of an earlier one, so their calls have the same idempotency keys.
const TRADED: std::ops::RangeInclusive<usize> = 1..=3;
/// Maximum time from one time to the next. It is short, so that the times overlap.
const TRADE_GAP_MAX: Span = Span::from_secs(2 * 3_600);
/// Maximum number of messages that arrive while the process is down (`BACKLOG_MAX`),
/// and the longest such downtime (`BACKLOG_DOWN_MAX`). Waits and offers can end during such a downtime.
const BACKLOG_MAX: usize = 8;
const BACKLOG_DOWN_MAX: Span = Span::from_secs(7 * 3_600);

/// Generates the scenario of the seed `seed` from the scenarios `shipped`.
pub(super) fn combine(seed: u64, shipped: &[Scenario]) -> Scenario {
    let mut random = Rng::with_seed(seed);
    let count = STORIES[random.usize(..STORIES.len())];
    let (of_trade, others): (Vec<&Scenario>, Vec<&Scenario>) =
        shipped.iter().partition(|story| story.people.demo == Some(DemoDirectory::Trade));
    let stories = random.choose_multiple(others, count);
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
    // Added messages come from people of the demo church, so every generated scenario loads the church.
    add_people(&mut random, &mut combined.people);
    combined.config.extend(settings::initial(&mut random, combined.start, &combined.zone));
    if let Some(other) = &mut other_tenant {
        add_people(&mut random, &mut other.people);
        other.config.extend(settings::initial(&mut random, combined.start, &other.zone));
    }
    combined.other_tenants.extend(other_tenant);
    let mut names: Vec<&str> = stories.iter().map(|story| story.name.as_str()).collect();
    let is_judged = judged::is_drawn(seed);
    if random.u8(..TRADES) == 0
        && let Some(story) = random.choice(of_trade)
    {
        names.push(&story.name);
        add_trade_tenant(&mut random, &mut combined, story);
    } else if is_judged {
        let tenant = trade_tenant(&mut Rng::with_seed(seed), combined.start, TRADE_ZONE);
        combined.other_tenants.push(tenant);
    }
    let other_tenants = combined.other_tenants.iter();
    let tenants: Vec<_> = std::iter::once((None, combined.zone.clone()))
        .chain(other_tenants.map(|other| (Some(Arc::clone(&other.tenant)), other.zone.clone())))
        .collect();
    let length = combined.steps.iter().map(|step| step.at).max().unwrap_or(Span::ZERO);
    let mut runs: Vec<NamedRun> = combined.steps.iter().filter_map(named_run).collect();
    runs.sort_by_key(|run| run.at);
    for _ in 0..random.usize(..=MORE_MAX) {
        let (tenant, zone) = &tenants[random.usize(..tenants.len())];
        let scene = Scene { start: combined.start, zone, length, runs: &runs };
        let steps = added_event(&mut random, &scene);
        combined
            .steps
            .extend(steps.into_iter().map(|step| ScenarioStep { tenant: tenant.clone(), ..step }));
    }
    combined.steps.extend(orders(seed, &runs));
    let judged: Vec<JudgedTenant> = tenants
        .into_iter()
        .map(|(tenant, _)| JudgedTenant { trades: tenant.as_deref() == Some(TRADE_TENANT), tenant })
        .collect();
    if is_judged {
        judged::add(seed, &mut combined, &judged, length + RUN_ON);
    }
    let last = combined.steps.iter().map(|step| step.at).max().unwrap_or(length);
    combined.steps.push(step(last + RUN_ON, Action::Advance));
    combined.steps.sort_by_key(|step| step.at);
    combined.name = format!("seed {seed}: {}", names.join(" + "));
    combined
}

/// Creates the other tenant. Its settings are those of the scenario that happens at this tenant,
/// except for its time zone and its phone number.
fn create_other_tenant(random: &mut Rng, config: &BTreeMap<String, Value>) -> OtherTenant {
    let zone = ZONES[random.usize(..ZONES.len())];
    let mut config = config.clone();
    config.insert("time_zone".to_owned(), json!(zone));
    config.insert("sms_from".to_owned(), json!(OTHER_TENANTS_NUMBER));
    let (tenant, people) = (OTHER_TENANT.into(), People::default());
    OtherTenant { tenant, zone: zone.to_owned(), people, config }
}

/// Adds a tenant with the demo of the trade, at which a scenario is played once or several times.
fn add_trade_tenant(random: &mut Rng, combined: &mut Scenario, story: &Scenario) {
    let tenant: Arc<str> = TRADE_TENANT.into();
    let (mut offset, start) = (Span::ZERO, random_span(random, START_GAP_MAX));
    for nth in 0..random.usize(TRADED) {
        let steps = story.steps.iter().filter_map(|step| shifted(random, step, start + offset));
        let named = steps.map(|step| with_unique_names(step, combined.steps.len() + nth));
        let own = named.map(|step| ScenarioStep { tenant: Some(Arc::clone(&tenant)), ..step });
        combined.steps.extend(own.collect::<Vec<_>>());
        offset = offset + random_span(random, TRADE_GAP_MAX);
    }
    let mut own = trade_tenant(random, combined.start, &story.zone);
    own.people.own.extend(story.people.own.iter().cloned());
    combined.other_tenants.push(own);
}

/// Creates the tenant of the trade, with the people of the demo and somebody in two roles.
fn trade_tenant(random: &mut Rng, start: Timestamp, zone: &str) -> OtherTenant {
    let mut config = settings::initial(random, start, zone);
    config.extend([
        ("time_zone".to_owned(), json!(zone)),
        ("sms_from".to_owned(), json!(TRADE_TENANTS_NUMBER)),
        ("region".to_owned(), json!(Region::Au)),
        ("domains".to_owned(), json!(["trade"])),
    ]);
    let own = vec![person(judged::BOTH.0, judged::BOTH.1, &[STAFF, SUPERVISOR])];
    let people = People { demo: Some(DemoDirectory::Trade), own };
    OtherTenant { tenant: TRADE_TENANT.into(), zone: zone.to_owned(), people, config }
}

/// Adds the demo church, a person who is staff and also serves, and
/// perhaps people who share the phone number of somebody in the church.
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

/// Moves a scenario step to a later time: by `offset` and, in some cases, by a further random time.
/// Returns `None` for a scenario step that is left out.
fn shifted(random: &mut Rng, step: &ScenarioStep, offset: Span) -> Option<ScenarioStep> {
    let publishes = matches!(step.action, Action::Publish(_));
    if !publishes && random.u8(..LEFT_OUT) == 0 {
        return None;
    }
    let by = if random.u8(..MOVED) == 0 { random_span(random, MOVED_MAX) } else { Span::ZERO };
    Some(ScenarioStep { at: step.at + offset + by, ..step.clone() })
}

/// Makes the run names and message ids in a scenario step unique by appending `nth`.
/// Several of the combined scenarios may use the same names and ids.
/// Names the run of a message or start that has no name, so that orders can be given to the run.
fn with_unique_names(mut step: ScenarioStep, nth: usize) -> ScenarioStep {
    let at = step.at.micros();
    if let Action::Text(TextStep { name, .. }) | Action::Start(StartStep { name, .. }) =
        &mut step.action
    {
        name.get_or_insert_with(|| format!("run of {at}"));
    }
    for name in step.action.own_names().into_iter().flatten() {
        *name = format!("{name} {nth}");
    }
    step
}

/// Returns the name that a scenario step gives to a run, if any.
fn named_run(step: &ScenarioStep) -> Option<NamedRun> {
    let (name, tenant) = (step.action.names_run()?.to_owned(), step.tenant.clone());
    Some(NamedRun { name, at: step.at, tenant })
}

/// The parts of a generated scenario on which an added event depends.
struct Scene<'a> {
    start: Timestamp,
    /// The tenant's time zone.
    zone: &'a str,
    length: Span,
    /// The runs that scenario steps start or concern, in the order of these steps.
    runs: &'a [NamedRun],
}

/// The name that a scenario step gives to a run, and when.
struct NamedRun {
    name: String,
    at: Span,
    tenant: Option<Arc<str>>,
}

/// Draws an event to add, and returns the scenario steps of the event.
fn added_event(random: &mut Rng, scene: &Scene<'_>) -> Vec<ScenarioStep> {
    let runs = scene.runs;
    let at = random_span(random, scene.length + RUN_ON);
    match random.u8(..24) {
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
            // The process crashes after the commit that stores the reply,
            // so the next process must apply the reply.
            let down = random_span(random, BACKLOG_DOWN_MAX);
            let crash = CrashStep { at: CrashPoint::AfterCommit, nth: 1, down };
            let from = random.usize(..POOL.len());
            let reply = text_action(&POOL[from..=from], SAID[random.usize(..2)]);
            vec![step(at, Action::Crash(crash)), step(at, reply)]
        }
        10 => vec![step(at, text_action(BOTH.0, ORDERED[random.usize(..ORDERED.len())]))],
        11 => vec![step(at, text_action(BOTH.0, SAID[random.usize(..SAID.len())]))],
        18..=20 => rush(random, scene, at),
        21..=23 => decisions(random, at),
        15 | 16 => {
            let until = at + pause_length(random);
            let run = (!runs.is_empty()).then(|| runs[random.usize(..runs.len())].name.clone());
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

/// Draws orders to runs, each right before something happens to the same run or to another one: an order that a fault
/// delays then reaches the process while it steps the run. Their source of random values is one of their own, so that
/// the rest of the story does not depend on their number.
fn orders(seed: u64, runs: &[NamedRun]) -> Vec<ScenarioStep> {
    let mut random = Rng::with_seed(!seed.rotate_left(1));
    let mut steps = Vec::new();
    let count = if random.bool() && !runs.is_empty() { random.usize(ORDERS) } else { 0 };
    for _ in 0..count {
        let happens = random.usize(..runs.len());
        let (run, before) = (&runs[random.usize(..=happens)], runs[happens].at);
        let before = (before + Span::from_micros(-1)).max(Span::ZERO);
        let until = before + pause_length(&mut random);
        for (at, pause) in [(before, true), (until, false)] {
            let hold = Action::Hold { pause, run: Some(run.name.clone()) };
            steps.push(ScenarioStep { tenant: run.tenant.clone(), ..step(at, hold) });
        }
    }
    steps
}

/// Draws decisions of one person about approvals.
fn decisions(random: &mut Rng, at: Span) -> Vec<ScenarioStep> {
    // Some decisions come late or twice, for nothing, or from somebody whose role may not decide.
    let by = DECIDERS[random.usize(..DECIDERS.len())];
    let by = PersonRef { text: by.to_owned(), place: SourcePosition::default() };
    let decide = |approve| Action::Decide { approve, by: by.clone() };
    let gap = random_span(random, DECIDED_AGAIN_MAX);
    let again = at + gap;
    let mut steps = vec![step(at, decide(random.bool())), step(again, decide(random.bool()))];
    // More of them, so that some come while an approval is open. They have a source of their own, so that the
    // rest of the story does not depend on their number.
    let mut more = Rng::with_seed(at.micros().unsigned_abs());
    let mut later = again;
    for _ in 0..more.usize(..DECISIONS_MORE) {
        later = later + random_span(&mut more, DECIDED_AGAIN_MAX);
        steps.push(step(later, decide(more.bool())));
    }
    if random.u8(..ROLE_LOST) == 0 {
        let lost = at + random_span(random, gap);
        let back = again + random_span(random, DECIDED_AGAIN_MAX);
        steps.extend([step(lost, roles(&OTHER_ROLES)), step(back, roles(&ALL_ROLES))]);
    }
    steps
}

/// Draws the scenario steps of a rush: staff ask for people to serve, and several people of the pool
/// write. These people all write at one instant, usually the instant at which staff write. The kill
/// switch may also be turned on for a while. The people may then write at the instant at which the
/// switch is turned on or off. When the switch is turned off, all waiting messages are sent at once,
/// unless quiet hours have been set in the meantime.
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
    if is_held {
        steps.extend([hold(held, true), hold(until, false)]);
    }
    if is_held && random.bool() {
        let set = held + random_span(random, stopped);
        let quiet = settings::quiet_hours(random, scene.start + set, scene.zone);
        let changes = BTreeMap::from([("quiet_hours".to_owned(), quiet)]);
        steps.push(step(set, Action::Config(changes)));
    }
    // Add the message of staff last, because this message keeps the process busy. A fault may delay the
    // commands of earlier steps of the same instant. These commands then reach the busy process.
    steps.push(step(at, text_action(STAFF, ORDERED[random.usize(..2)])));
    steps
}

/// Draws the length of a pause of a run or tenant.
fn pause_length(random: &mut Rng) -> Span {
    let most = if random.u8(..OUTLASTS) == 0 { OUTLASTS_MAX } else { STOPPED_MAX };
    random_span(random, most)
}

fn roles(roles: &[&str]) -> Action {
    let of = PersonRef { text: SUPERVISOR_NAME.to_owned(), place: SourcePosition::default() };
    Action::Roles { of, roles: roles.iter().map(|role| (*role).to_owned()).collect() }
}

pub(super) fn text_action(who: &str, body: &str) -> Action {
    let from = vec![PersonRef { text: who.to_owned(), place: SourcePosition::default() }];
    let (received_at, id, name) = (None, None, None);
    Action::Text(TextStep { from, body: body.to_owned(), received_at, id, name, several: false })
}

pub(super) fn step(at: Span, action: Action) -> ScenarioStep {
    ScenarioStep { at, action, tenant: None, place: PLACE }
}

pub(super) fn random_span(random: &mut Rng, most: Span) -> Span {
    Span::from_micros(random.i64(0..most.micros().max(1)))
}
