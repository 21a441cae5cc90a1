//! `abide doctor`: checks whether the machine, the database and the library are fit for use.

use std::sync::Arc;

use abide_engine::base::{Problem, Span, Timestamp};
use abide_engine::clock::{Clock as _, SystemClock};
use abide_engine::policy::{Skew, skew};
use abide_engine::store::{Address, Store};
use serde::Serialize;
use serde_json::json;

use super::context::{CommandResult, Context};
use crate::database;
use crate::exit::Exit;
use crate::output::{self, counted};

/// The result of one check.
#[derive(Debug, Serialize)]
struct Check {
    what: &'static str,
    well: bool,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Check {
    fn passed(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, well: true, found: found.into(), hint: None }
    }

    fn failed(what: &'static str, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what, well: false, found: found.into(), hint: Some(hint.into()) }
    }

    fn of_problem(what: &'static str, problem: Problem) -> Self {
        let found = match problem.detail {
            Some(detail) => format!("{} ({detail})", problem.message),
            None => problem.message,
        };
        Self { what, well: false, found, hint: problem.hint }
    }
}

pub(super) async fn run(context: &Context) -> CommandResult {
    let address = database::address(context.global.db.as_deref());
    let mut checks = database_checks(&address).await;
    checks.push(clock_check(&address).await);
    checks.push(library_check(context));
    let well = checks.iter().all(|check| check.well);
    let exit = if well { Exit::Success } else { Exit::Failure };
    if context.json(&json!({"well": well, "checks": checks})) {
        return Ok(exit);
    }
    let rows = checks.iter().map(|check| {
        let sign = if check.well { "ok" } else { "NOT OK" };
        [sign.to_owned(), check.what.to_owned(), check.found.clone()]
    });
    output::line(output::table(["", "check", "found"], rows));
    for check in &checks {
        if let Some(hint) = &check.hint {
            output::note(format_args!("hint: {}: {hint}", check.what));
        }
    }
    Ok(exit)
}

async fn database_checks(address: &Address) -> Vec<Check> {
    if address.file().is_some_and(|file| !file.exists()) {
        let found = format!("{address} does not exist yet; the first command creates it");
        return vec![Check::passed("database", found)];
    }
    let options = database::store_options(address.clone(), Arc::new(SystemClock));
    let mut checks = Vec::new();
    match Store::schema(&options).await {
        Err(problem) => return vec![Check::of_problem("database", problem)],
        Ok(status) => {
            checks.push(Check::passed("database", format!("{address} answers")));
            let found = format!("{} of {}", status.applied, status.known);
            checks.push(match status.refusal() {
                None => Check::passed("schema", found),
                Some(problem) => {
                    Check::failed("schema", problem.message, problem.hint.unwrap_or_default())
                }
            });
        }
    }
    match Store::durability(&options).await {
        Err(problem) => checks.push(Check::of_problem("durability", problem)),
        Ok(facts) => checks.extend(facts.into_iter().map(|fact| {
            if fact.safe {
                Check::passed(fact.name, fact.value)
            } else {
                let hint = "change it in the database: a power failure could lose committed data";
                Check::failed(fact.name, fact.value, hint)
            }
        })),
    }
    checks
}

/// Checks the machine's clock. If it shows a time before this program was written, nobody has set it.
/// If it differs from the database's clock, this node would let deadlines pass too early or too late.
async fn clock_check(address: &Address) -> Check {
    const PROGRAM_WRITTEN_AT: Timestamp = Timestamp::from_micros(1_763_000_000_000_000);
    let now = SystemClock.now();
    if now <= PROGRAM_WRITTEN_AT {
        return Check::failed("clock", now.to_string(), "synchronize the machine's clock by NTP");
    }
    if address.file().is_some() {
        return Check::passed("clock", now.to_string());
    }
    let options = database::store_options(address.clone(), Arc::new(SystemClock));
    match Store::clocks(&options).await {
        Ok(Some(clocks)) => clock_difference_check(clocks.server - clocks.ours),
        // If the database does not answer, the checks of the database have already reported that.
        Ok(None) | Err(_) => Check::passed("clock", now.to_string()),
    }
}

fn clock_difference_check(distance: Span) -> Check {
    let found = skew::describe(distance);
    match Skew::classify(distance) {
        Skew::Negligible => Check::passed("clock", found),
        Skew::Warning => Check::failed("clock", found, "synchronize both clocks by NTP"),
        Skew::Excessive => {
            let hint =
                "synchronize both clocks by NTP: until they agree, this machine takes no work";
            Check::failed("clock", found, hint)
        }
    }
}

fn library_check(context: &Context) -> Check {
    match crate::library::load(context.global.home.as_deref()) {
        Err(problem) => Check::of_problem("library", problem),
        Ok(library) => Check::passed(
            "library",
            format!(
                "{}, {}, {}",
                counted(library.methods.len(), "method"),
                counted(library.templates.names().count(), "template"),
                counted(library.contracts.names().count(), "contract")
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_differs_from_the_databases_fails_the_check() {
        assert!(clock_difference_check(Span::from_secs(1)).well);
        for seconds in [-3, 3, 60] {
            let check = clock_difference_check(Span::from_secs(seconds));
            assert!(!check.well && check.hint.is_some(), "{check:?}");
        }
    }
}
