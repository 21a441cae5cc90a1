//! `abide torture --swarm N`: random mixes of scenarios, played under random faults and checked against laws.

use abide_simulator::play::PlayOptions;
use abide_simulator::report::StoryLine;
use abide_simulator::swarm::{SeedResult, Swarm};
use serde_json::json;

use super::super::{Context, Outcome};
use super::every;
use crate::exit::Exit;
use crate::output;
use crate::output::bar::Bar;

/// Maximum number of breaches printed per seed; `--json` has all of them.
const BREACHES_SHOWN: usize = 10;

/// Plays `stories` consecutive seeds, beginning with `first`. For a single seed, prints the events as they
/// happen.
pub(super) async fn run(
    context: &Context,
    options: &PlayOptions<'_>,
    (first, stories): (u64, u64),
) -> Outcome {
    let scenarios = every(context.global.home.as_deref())?;
    let tell = |line: &StoryLine| output::line(line);
    let told = stories == 1 && !context.global.json;
    let options = &PlayOptions { several_nodes: true, ..options.clone() };
    let swarm = Swarm { scenarios: &scenarios, options, on_line: told.then_some(&tell as _) };
    let seeds: Vec<u64> = (0..stories).map(|nth| first.wrapping_add(nth)).collect();
    let bar = Bar::counting("swarm", context.global.quiet);
    bar.stretch(stories);
    let results = swarm.play(&seeds, &|done| bar.reach(done as u64)).await;
    bar.end();
    let results = results?;
    let broken: Vec<&SeedResult> =
        results.iter().filter(|result| !result.breaches.is_empty()).collect();
    if !context.json(&json!(results)) {
        // Repeating a seed needs the same kind of database; the address itself may contain a password.
        let there = if context.global.db.is_some() { " --db …" } else { "" };
        broken.iter().for_each(|result| tell_breaches(result, there));
    }
    let sum = |of: fn(&SeedResult) -> u64| results.iter().map(of).sum::<u64>();
    output::note(format_args!(
        "{}, {}, {}: {}",
        output::counted(stories, "seed"),
        output::counted(sum(|result| result.commits), "commit"),
        output::counted(sum(|result| result.crashes), "crash"),
        match broken.len() {
            0 => "all laws hold".to_owned(),
            n => format!("{n} with a broken law"),
        },
    ));
    Ok(if broken.is_empty() { Exit::Done } else { Exit::Unwell })
}

fn tell_breaches(result: &SeedResult, there: &str) {
    output::line(format_args!("{}:", result.story));
    for breach in result.breaches.iter().take(BREACHES_SHOWN) {
        output::line(format_args!("  {breach}"));
    }
    if result.breaches.len() > BREACHES_SHOWN {
        let more = result.breaches.len() - BREACHES_SHOWN;
        output::line(format_args!("  … and {more} more; `--json` shows all"));
    }
    output::line(format_args!(
        "  to repeat with abide {}: abide torture --swarm 1 --seed {}{there}",
        env!("CARGO_PKG_VERSION"),
        result.seed
    ));
}
