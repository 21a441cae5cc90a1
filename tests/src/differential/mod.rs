//! Differential test: one random history runs on two engines, one on SQLite and one on PostgreSQL, with the
//! same clock and the same ids. Both must answer every call alike, and show the same state at any time.
//!
//! Comparing the two databases needs no oracle: sorting by a locale, a lost microsecond, an empty text that
//! became NULL or a refusal with another code all show up as a difference. The comparison covers what a
//! client of HTTP can see, byte for byte, and what the provider was handed.
//!
//! A history depends on its seed alone. `ABIDE_DIFF_SEED=42` plays the history of that seed, and
//! `ABIDE_DIFF_SEEDS=200` plays 200 histories.

mod history;
mod look;
mod words;
mod world;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use history::{Call, History};
use look::{Closely, Looks};
use world::{Answer, World};

use crate::postgres::TestDb;

/// Default number of histories.
const SEEDS: u64 = 3;
/// Number of calls in one history.
const CALLS: usize = 120;
/// Number of calls between two comparisons of the whole state.
const LOOK_EVERY: usize = 40;
/// Number of calls before a difference that a failure message shows.
const TOLD: usize = 12;

#[test]
fn both_databases_answer_a_random_history_alike() {
    let replayed = number("ABIDE_DIFF_SEED");
    let seeds = match replayed {
        Some(seed) => vec![seed],
        None => (1..=number("ABIDE_DIFF_SEEDS").unwrap_or(SEEDS)).collect(),
    };
    let mut counts = BTreeMap::new();
    for seed in seeds {
        block_on(tell(seed, &mut counts));
    }
    show(&counts);
    if replayed.is_some() {
        return; // a single history need not cover everything
    }
    // Histories in which nothing happens, or nothing is refused, would prove nothing.
    for what in ["200", "201", "202", "404", "409", "422", "texts sent"] {
        let seen = counts.iter().any(|(counted, n)| counted.starts_with(what) && *n > 0);
        assert!(seen, "no answer `{what}` in these histories");
    }
}

#[expect(clippy::print_stderr, reason = "the counts of the answers, shown if the test fails")]
fn show(counts: &BTreeMap<String, usize>) {
    for (what, count) in counts {
        eprintln!("{count:6} {what}");
    }
}

#[expect(clippy::disallowed_methods, reason = "only here does the test read its environment")]
fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|e| panic!("{name}: `{text}`: {e}")))
}

fn block_on(story: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(story);
}

/// Plays the history of a seed on both databases, and counts the answers by status and code.
async fn tell(seed: u64, counts: &mut BTreeMap<String, usize>) {
    let mut worlds = [World::open(TestDb::sqlite()).await, World::open(TestDb::postgres()).await];
    let mut history = History::of(seed);
    let mut told: Vec<String> = Vec::new();
    for nth in 1..=CALLS {
        let call = history.next_call();
        told.push(format!("{nth:4} {call}"));
        let answer = same(seed, &told, &call, &mut worlds).await;
        *counts.entry(answer.counted()).or_default() += 1;
        history.hear(&answer.body);
        if nth % LOOK_EVERY == 0 {
            look_around(seed, &told, (&mut worlds, Closely::AtLists)).await;
        }
    }
    look_around(seed, &told, (&mut worlds, Closely::AtAll)).await;
    let [embedded, served] = worlds.map(|world| world.handed_over());
    assert_eq!(embedded, served, "seed {seed}: the texts that the provider was handed");
    *counts.entry("texts sent".to_owned()).or_default() += embedded.len();
}

/// Makes one call on both sides and returns their common answer; panics if the answers differ.
async fn same(seed: u64, told: &[String], call: &Call, worlds: &mut [World; 2]) -> Answer {
    let [embedded, served] = worlds;
    let (embedded, served) = (embedded.ask(call).await, served.ask(call).await);
    if embedded != served {
        let mut story = String::new();
        for line in &told[told.len().saturating_sub(TOLD)..] {
            let _ = writeln!(story, "{line}");
        }
        let difference = first_difference(&embedded, &served);
        panic!(
            "the databases differ: ABIDE_DIFF_SEED={seed}\n{story}then, asked for {call}\n{difference}"
        );
    }
    assert!(embedded.status < 500, "seed {seed}: {call}: {embedded:?}");
    embedded
}

/// Compares everything that HTTP shows.
async fn look_around(seed: u64, told: &[String], (worlds, closely): (&mut [World; 2], Closely)) {
    let mut looks = Looks::new(closely);
    while let Some(call) = looks.next_call() {
        let answer = same(seed, told, &call, worlds).await;
        looks.hear(&call, &answer.body);
    }
}

/// Describes the first line in which two answers differ.
fn first_difference(embedded: &Answer, served: &Answer) -> String {
    let (one, other) = (embedded.lines(), served.lines());
    let none = "(nothing)".to_owned();
    let longest = one.len().max(other.len());
    let at = (0..longest).find(|&ix| one.get(ix) != other.get(ix)).unwrap_or(0);
    let line = |lines: &[String]| lines.get(at).unwrap_or(&none).clone();
    format!("line {}:\n  sqlite   {}\n  postgres {}", at + 1, line(&one), line(&other))
}

#[test]
fn the_first_line_that_differs_is_reported() {
    let answer = |n: u32| Answer { status: 200, body: serde_json::json!({"a": 1, "n": n}) };
    let told = first_difference(&answer(2), &answer(3));
    assert_eq!(told, "line 4:\n  sqlite     \"n\": 2\n  postgres   \"n\": 3");
}

#[test]
fn a_history_depends_on_its_seed_alone() {
    let calls = |seed| {
        let mut history = History::of(seed);
        history.hear(&serde_json::json!({"id": format!("run_{}", "a".repeat(32))}));
        (0..200).map(|_| history.next_call().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(calls(7), calls(7));
    assert_ne!(calls(7), calls(8));
}
