//! `abide torture --swarm N`: plays random mixes of scenarios under random faults, and checks the laws.

use abide_simulator::play::PlayOptions;
use abide_simulator::report::StoryLine;
use abide_simulator::swarm::{SeedResult, Swarm};
use serde_json::json;

use super::super::context::{CommandResult, Context};
use super::all_scenarios;
use crate::exit::Exit;
use crate::output;
use crate::output::progress::Progress;

/// Maximum number of broken laws that are printed for a seed. `--json` prints all of them.
const BREACHES_SHOWN_MAX: usize = 10;

/// Plays `count` consecutive seeds. `first` is the first of these seeds.
/// For a single seed, prints the events as they happen.
pub(super) async fn run(
    context: &Context,
    options: &PlayOptions<'_>,
    first: u64,
    count: u64,
) -> CommandResult {
    let scenarios = all_scenarios(context.global.home.as_deref())?;
    let print = |line: &StoryLine| output::line(line);
    let is_printed = count == 1 && !context.global.json;
    let options = &PlayOptions { several_nodes: true, ..options.clone() };
    let swarm =
        Swarm { scenarios: &scenarios, options, on_line: is_printed.then_some(&print as _) };
    let seeds: Vec<u64> = (0..count).map(|nth| first.wrapping_add(nth)).collect();
    let progress = Progress::for_items("swarm");
    progress.set_total(count);
    let results = swarm.play(&seeds, &|done| progress.set_done(done as u64)).await;
    progress.finish();
    let results = results?;
    let broken: Vec<&SeedResult> =
        results.iter().filter(|result| !result.breaches.is_empty()).collect();
    if !context.json(&json!(results)) {
        // The printed command plays a seed again. A seed gives the same result only on the same kind of
        // database, so the command contains `--db`, too.
        // The address of the database may contain a password, so the address is left out.
        let database = if context.global.db.is_some() { " --db …" } else { "" };
        broken.iter().for_each(|result| print_breaches(result, database));
    }
    let sum = |of: fn(&SeedResult) -> u64| results.iter().map(of).sum::<u64>();
    output::note(format_args!(
        "{}, {}, {}: {}",
        output::counted(count, "seed"),
        output::counted(sum(|result| result.commits), "commit"),
        output::counted(sum(|result| result.crashes), "crash"),
        match broken.len() {
            0 => "all laws hold".to_owned(),
            n => format!("{n} with a broken law"),
        },
    ));
    Ok(if broken.is_empty() { Exit::Success } else { Exit::Failure })
}

fn print_breaches(result: &SeedResult, database: &str) {
    output::line(format_args!("{}:", result.story));
    for breach in result.breaches.iter().take(BREACHES_SHOWN_MAX) {
        output::line(format_args!("  {breach}"));
    }
    if result.breaches.len() > BREACHES_SHOWN_MAX {
        let more = result.breaches.len() - BREACHES_SHOWN_MAX;
        output::line(format_args!("  … and {more} more; `--json` shows all"));
    }
    output::line(format_args!(
        "  to repeat with abide {}: abide torture --swarm 1 --seed {}{database}",
        env!("CARGO_PKG_VERSION"),
        result.seed
    ));
}
