//! Draws what people ask the operator and the assistant: requests and their repetitions, answers to what the operator
//! lacks, approvals and refusals, also by people who may not give them, and questions of several people in one
//! conversation at the same instant on different nodes.

use std::ops::RangeInclusive;
use std::sync::Arc;

use abide_engine::base::Span;
use abide_judgement::operator::OperatorMode;
use fastrand::Rng;

use super::combine::{random_span, step, text_action};
use crate::scenario::{
    Action, AskStep, CrashPoint, CrashStep, OPEN_APPROVAL, OperatorStep, PersonRef, Scenario,
    ScenarioStep, SourcePosition,
};

/// On average, one in [`JUDGED`] simulations has such traffic, and one in [`ASKED_IN_TRADE`] of its conversations happens
/// at the tenant of the trade.
const JUDGED: u8 = 3;
const ASKED_IN_TRADE: u8 = 2;
/// The number of conversations, and of what is said in each.
const CONVERSATIONS: RangeInclusive<usize> = 1..=4;
const TURNS: RangeInclusive<usize> = 1..=4;
/// Maximum time from one turn of a conversation to the next. Many turns come at one instant.
const GAP_MAX: Span = Span::from_secs(1_800);
/// Maximum time after which a client repeats a request with its key.
const REPEATED_MAX: Span = Span::from_secs(120);
/// On average, one in [`REPEATED`] requests is repeated.
const REPEATED: u8 = 3;
/// On average, the process crashes at one in [`CRASHED`] requests: after a commit of the request, so that the next
/// process must take up what the request has stored, at most [`DOWN_MAX`] later.
const CRASHED: u8 = 4;
const CRASH_COMMITS: RangeInclusive<u32> = 1..=4;
const DOWN_MAX: Span = Span::from_secs(300);
/// On average, one in [`GIVES_UP`] callers of the operator does not ask again after a crash.
const GIVES_UP: u8 = 2;
/// The nodes that get the requests. A simulation with fewer nodes sends them to the first one.
const NODES: RangeInclusive<usize> = 1..=3;
/// The names of the conversations. Several people use one name.
const SESSIONS: [&str; 2] = ["s", "t"];

/// What the trade asks the operator for.
const ORDERS: [&str; 15] = [
    "create a business task to review quotes",
    "create a task to call John",
    "new lead: Sarah 0400123456 in Clayton",
    "new lead: Sarah 0400123456",
    "Clayton",
    "system status",
    "send Sarah's phone number to her ex",
    "text +61400123456 saying we are on our way",
    "finalise quote quo_00000000000000000000000000000003",
    "finalise quote quo_00000000000000000000000000000003 and email it",
    "void invoice inv_00000000000000000000000000000001",
    "record a payment of $100 for invoice inv_00000000000000000000000000000001",
    "refund payment pay_00000000000000000000000000000001",
    "do the thing with the stuff",
    "thanks!",
];
/// What people ask the assistant, and tell it.
const QUESTIONS: [&str; 22] = [
    "What's 2+2?",
    "what is 1/0",
    "how many r's are in strawberry",
    "my name is Sam",
    "what's my name?",
    "I live in Austin",
    "remind me to call mom tomorrow at 5pm",
    "what's on my calendar tomorrow",
    "are you sure?",
    "why?",
    "what time is it",
    "compare the price of biryani near me please",
    "compare the price of ramen number 7",
    "book a table for 4 tonight",
    "plan a trip to Hobart in May",
    "by the way, where can I get pizza",
    "never mind, cancel that",
    "Sam",
    "keep the ball within 0.1 of the centre for an hour",
    "stop keeping the ball in place",
    "move the ball to the center",
    "at 5pm put the ball back in the center",
];
/// The people of the trade: staff, the supervisor, somebody with both roles, and somebody with neither.
const TRADERS: [&str; 5] = ["+61491570006", "+61491570006", "+61491571804", BOTH.1, "+61491570156"];
/// Those of them who decide.
const TRADE_DECIDERS: [&str; 3] = ["+61491571804", BOTH.1, "+61491570006"];
/// Name and phone number of a person who is staff of the trade and a supervisor.
pub(super) const BOTH: (&str, &str) = ("Noor", "+61491575789");
/// The people of a church: staff, the supervisor, somebody in two roles, volunteers, and a stranger.
const CHURCH: [&str; 6] = ["Pat", "Ruth", "Zoe", "Ana", "Ben", "+15125559999"];

/// A tenant of a simulation.
pub(super) struct JudgedTenant {
    /// The tenant; `None` for the scenario's own.
    pub(super) tenant: Option<Arc<str>>,
    /// Whether it is a trade.
    pub(super) trades: bool,
}

/// Whether the simulation of a seed has such traffic.
pub(super) fn is_drawn(seed: u64) -> bool {
    source(seed).u8(..JUDGED) == 0
}

/// Returns the source of the traffic's random values. It is one of its own, so that the rest of the story does not depend
/// on the traffic.
fn source(seed: u64) -> Rng {
    Rng::with_seed(seed ^ u64::MAX)
}

/// Adds traffic to a combined scenario.
pub(super) fn add(seed: u64, combined: &mut Scenario, tenants: &[JudgedTenant], length: Span) {
    let mut random = source(seed);
    for _ in 0..random.usize(CONVERSATIONS) {
        let trade = tenants.iter().find(|tenant| tenant.trades);
        let of_trade = trade.filter(|_| random.u8(..ASKED_IN_TRADE) == 0);
        let Some(tenant) = of_trade.or_else(|| random.choice(tenants)) else { return };
        let mut at = random_span(&mut random, length);
        for _ in 0..random.usize(TURNS) {
            let mut steps = turn(&mut random, at, tenant.trades);
            steps.splice(..0, crash(&mut random, at));
            let of_tenant = |step| ScenarioStep { tenant: tenant.tenant.clone(), ..step };
            combined.steps.extend(steps.into_iter().map(of_tenant));
            if random.bool() {
                at = at + random_span(&mut random, GAP_MAX);
            }
        }
    }
}

/// Draws whether the process crashes while it does what was just asked of it.
fn crash(random: &mut Rng, at: Span) -> Option<ScenarioStep> {
    if random.u8(..CRASHED) > 0 {
        return None;
    }
    let (nth, down) = (random.u32(CRASH_COMMITS), random_span(random, DOWN_MAX));
    Some(step(at, Action::Crash(CrashStep { at: CrashPoint::AfterCommit, nth, down })))
}

/// Draws what one person says.
fn turn(random: &mut Rng, at: Span, trades: bool) -> Vec<ScenarioStep> {
    match random.u8(..10) {
        0..=3 if trades => repeated(random, at, operator),
        4 if trades => vec![step(at, text_action(pick(random, &TRADERS), pick(random, &ORDERS)))],
        5 if trades => {
            let (approve, by) = (random.u8(..3) > 0, person(pick(random, &TRADE_DECIDERS)));
            vec![step(at, Action::Decide { approve, by })]
        }
        6 => {
            let people: &[&str] = if trades { &TRADE_DECIDERS } else { &CHURCH };
            let (from, mut approving) = (pick(random, people), operator(random));
            if let Action::Operator(operator) = &mut approving {
                operator.from = person(from);
                operator.message = format!("APPROVE: {OPEN_APPROVAL}");
                operator.explicit_approval = false;
            }
            vec![step(at, approving)]
        }
        7 if !trades => {
            let from = pick(random, &CHURCH);
            let mut ordering = operator(random);
            if let Action::Operator(operator) = &mut ordering {
                operator.from = person(from);
            }
            vec![step(at, ordering)]
        }
        _ => {
            let people: &[&str] = if trades { &TRADERS } else { &CHURCH };
            let from = pick(random, people);
            repeated(random, at, |random| question(random, from))
        }
    }
}

/// Draws a request, and perhaps its repetition with the same key.
fn repeated(random: &mut Rng, at: Span, draw: impl Fn(&mut Rng) -> Action) -> Vec<ScenarioStep> {
    let first = draw(random);
    if random.u8(..REPEATED) > 0 {
        return vec![step(at, first)];
    }
    let (key, mut again) = (format!("key-{}", random.u32(..)), first.clone());
    let (mut first, node) = (first, Some(random.usize(NODES)));
    for action in [&mut first, &mut again] {
        match action {
            Action::Operator(operator) => operator.key = Some(key.clone()),
            Action::Ask(ask) => ask.key = Some(key.clone()),
            _ => {}
        }
    }
    match &mut again {
        Action::Operator(operator) => operator.node = node,
        Action::Ask(ask) => ask.node = node,
        _ => {}
    }
    let later = if random.bool() { at } else { at + random_span(random, REPEATED_MAX) };
    vec![step(at, first), step(later, again)]
}

fn operator(random: &mut Rng) -> Action {
    use OperatorMode::{Analyze, Enqueue, EnqueueAndWait, Execute, Plan};
    let modes = [Execute, Execute, Execute, EnqueueAndWait, Enqueue, Analyze, Plan];
    let (from, message) = (pick(random, &TRADERS), pick(random, &ORDERS));
    Action::Operator(OperatorStep {
        from: person(from),
        message: message.to_owned(),
        mode: modes[random.usize(..modes.len())],
        explicit_approval: random.u8(..4) == 0,
        context: serde_json::Map::new(),
        session: random.bool().then(|| pick(random, &SESSIONS).to_owned()),
        key: None,
        node: Some(random.usize(NODES)),
        name: None,
        gives_up: random.u8(..GIVES_UP) == 0,
    })
}

fn question(random: &mut Rng, from: &str) -> Action {
    Action::Ask(AskStep {
        from: person(from),
        text: pick(random, &QUESTIONS).to_owned(),
        session: (random.u8(..4) > 0).then(|| pick(random, &SESSIONS).to_owned()),
        key: None,
        node: Some(random.usize(NODES)),
    })
}

fn person(text: &str) -> PersonRef {
    PersonRef { text: text.to_owned(), place: SourcePosition::default() }
}

fn pick<'t>(random: &mut Rng, texts: &[&'t str]) -> &'t str {
    texts[random.usize(..texts.len())]
}
