//! Differential test: one random history runs on two engines, one on SQLite and one on PostgreSQL.
//! Both engines have the same clock and create the same ids.
//! Both engines must give the same response to every action, and show the same state at any time.
//!
//! The test needs no expected results, because it compares the two databases. An error on one side
//! shows up as a difference. Examples of errors are sorting by a locale, a lost microsecond, an empty
//! string that became NULL, and a wrong error code. The comparison covers, byte for byte, all responses
//! to an HTTP client and all messages to the provider.
//!
//! A history depends only on its seed. `ABIDE_DIFF_SEED=42` plays the history of that seed, and
//! `ABIDE_DIFF_SEEDS=200` plays 200 histories.

mod history;
mod reads;
mod side;
mod words;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use history::{Call, History};
use reads::{Depth, Reads};
use side::{Side, lines, status_and_code};

use crate::postgres::TestDb;
use crate::process::ApiAnswer;
use crate::support::{block_on, env_number};

/// Default number of histories.
const SEEDS: u64 = 3;
/// Number of actions in one history.
const CALLS: usize = 120;
/// Number of actions between two comparisons of the whole state.
const COMPARE_EVERY: usize = 40;
/// Number of actions that a failure message shows. They are the last actions before the difference.
const CALLS_SHOWN: usize = 12;

#[test]
fn both_databases_answer_a_random_history_alike() {
    let replayed = env_number("ABIDE_DIFF_SEED");
    let seeds = match replayed {
        Some(seed) => vec![seed],
        None => (1..=env_number("ABIDE_DIFF_SEEDS").unwrap_or(SEEDS)).collect(),
    };
    let mut counts = BTreeMap::new();
    for seed in seeds {
        block_on(play(seed, &mut counts));
    }
    show(&counts);
    if replayed.is_some() {
        return; // a single history need not cover everything
    }
    // The test means something only if the histories contain accepted requests,
    // rejected requests and sent messages.
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

/// The two sides, and the actions that both sides have carried out so far.
struct Comparison {
    seed: u64,
    embedded: Side,
    served: Side,
    /// Descriptions of the actions so far, for failure messages.
    calls: Vec<String>,
}

/// Plays the history of a seed on both databases, and counts the responses by status and code.
async fn play(seed: u64, counts: &mut BTreeMap<String, usize>) {
    let mut comparison = Comparison {
        seed,
        embedded: Side::open(TestDb::sqlite()).await,
        served: Side::open(TestDb::postgres()).await,
        calls: Vec::new(),
    };
    let mut history = History::of(seed);
    for nth in 1..=CALLS {
        let call = history.next_call();
        comparison.calls.push(format!("{nth:4} {call}"));
        let answer = comparison.make(&call).await;
        *counts.entry(status_and_code(&answer)).or_default() += 1;
        history.learn(&answer.body);
        if nth % COMPARE_EVERY == 0 {
            comparison.compare_state(Depth::Lists).await;
        }
    }
    comparison.compare_state(Depth::All).await;
    let embedded = comparison.embedded.texts_at_provider();
    let served = comparison.served.texts_at_provider();
    assert_eq!(embedded, served, "seed {seed}: the texts that the provider was handed");
    *counts.entry("texts sent".to_owned()).or_default() += embedded.len();
}

impl Comparison {
    /// Carries out one action on both sides and returns the response. Panics if the responses differ.
    async fn make(&mut self, call: &Call) -> ApiAnswer {
        let (embedded, served) = (self.embedded.make(call).await, self.served.make(call).await);
        let seed = self.seed;
        if embedded != served {
            let mut story = String::new();
            for line in &self.calls[self.calls.len().saturating_sub(CALLS_SHOWN)..] {
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

    /// Compares everything that the HTTP API returns.
    async fn compare_state(&mut self, depth: Depth) {
        let mut reads = Reads::new(depth);
        while let Some(call) = reads.next_call() {
            let answer = self.make(&call).await;
            reads.follow(&call, &answer.body);
        }
    }
}

/// Describes the first line in which two responses differ.
fn first_difference(embedded: &ApiAnswer, served: &ApiAnswer) -> String {
    let (one, other) = (lines(embedded), lines(served));
    let none = "(nothing)".to_owned();
    let longest = one.len().max(other.len());
    let at = (0..longest).find(|&ix| one.get(ix) != other.get(ix)).unwrap_or(0);
    let line = |side: &[String]| side.get(at).unwrap_or(&none).clone();
    format!("line {}:\n  sqlite   {}\n  postgres {}", at + 1, line(&one), line(&other))
}

#[test]
fn the_first_line_that_differs_is_reported() {
    let answer = |n: u32| ApiAnswer { status: 200, body: serde_json::json!({"a": 1, "n": n}) };
    let difference = first_difference(&answer(2), &answer(3));
    assert_eq!(difference, "line 4:\n  sqlite     \"n\": 2\n  postgres   \"n\": 3");
}

#[test]
fn a_history_depends_on_its_seed_alone() {
    let calls = |seed| {
        let mut history = History::of(seed);
        history.learn(&serde_json::json!({"id": format!("run_{}", "a".repeat(32))}));
        (0..200).map(|_| history.next_call().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(calls(7), calls(7));
    assert_ne!(calls(7), calls(8));
}
