//! `abide torture --swarm N`: random mixes of scenarios, played under random faults and checked against laws.

use abide_simulator::play::Options;
use abide_simulator::report::Line;
use abide_simulator::swarm::{Fate, Swarm};
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
    options: &Options<'_>,
    (first, stories): (u64, u64),
) -> Outcome {
    let scenarios = every(context.global.home.as_deref())?;
    let tell = |line: &Line| output::line(line);
    let told = stories == 1 && !context.global.json;
    let options = &Options { several_nodes: true, ..options.clone() };
    let swarm = Swarm { scenarios: &scenarios, options, on_line: told.then_some(&tell as _) };
    let seeds: Vec<u64> = (0..stories).map(|nth| first.wrapping_add(nth)).collect();
    let bar = Bar::counting("swarm", context.global.quiet);
    bar.stretch(stories);
    let fates = swarm.play(&seeds, &|done| bar.reach(done as u64)).await;
    bar.end();
    let fates = fates?;
    let broken: Vec<&Fate> = fates.iter().filter(|fate| !fate.breaches.is_empty()).collect();
    if !context.json(&json!(fates)) {
        // Repeating a seed needs the same kind of database; the address itself may contain a password.
        let there = if context.global.db.is_some() { " --db …" } else { "" };
        broken.iter().for_each(|fate| tell_breaches(fate, there));
    }
    let sum = |of: fn(&Fate) -> u64| fates.iter().map(of).sum::<u64>();
    output::note(format_args!(
        "{}, {}, {}: {}",
        output::counted(stories, "seed"),
        output::counted(sum(|fate| fate.commits), "commit"),
        output::counted(sum(|fate| fate.crashes), "crash"),
        match broken.len() {
            0 => "all laws hold".to_owned(),
            n => format!("{n} with a broken law"),
        },
    ));
    Ok(if broken.is_empty() { Exit::Done } else { Exit::Unwell })
}

fn tell_breaches(fate: &Fate, there: &str) {
    output::line(format_args!("{}:", fate.story));
    for breach in fate.breaches.iter().take(BREACHES_SHOWN) {
        output::line(format_args!("  {breach}"));
    }
    if fate.breaches.len() > BREACHES_SHOWN {
        let more = fate.breaches.len() - BREACHES_SHOWN;
        output::line(format_args!("  … and {more} more; `--json` shows all"));
    }
    output::line(format_args!(
        "  to repeat with abide {}: abide torture --swarm 1 --seed {}{there}",
        env!("CARGO_PKG_VERSION"),
        fate.seed
    ));
}
