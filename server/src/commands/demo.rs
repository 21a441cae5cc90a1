//! `abide demo`: plays the demo scenario in seconds, without a server.

use abide_engine::store::Address;
use abide_simulator::play::{self, PlayOptions};
use abide_simulator::report::{SimulationReport, StoryLine};
use serde_json::json;

use super::context::{CommandResult, Context};
use super::simulate;
use crate::cli::DemoArgs;
use crate::exit::Exit;
use crate::output::{self, counted};
use crate::problem::ProblemDocument;

const SCENARIO_FILE: &str = "simulator/scenarios/demo.yaml";
const SCENARIO: &str = include_str!("../../../simulator/scenarios/demo.yaml");

pub(super) async fn run(context: &Context, args: &DemoArgs) -> CommandResult {
    let scenario = simulate::parse_scenario(SCENARIO_FILE, SCENARIO)?;
    let db = args.keep.as_deref().map(new_database_in).transpose()?;
    if !context.global.json {
        output::line(
            "A church asks for helpers by text. This demo runs the real engine on an embedded",
        );
        output::line(
            "database, in virtual time: hours pass in milliseconds, and the process crashes twice.",
        );
        output::line("");
    }
    let print = |line: &StoryLine| output::line(line);
    let options = PlayOptions {
        seed: args.seed,
        db: db.clone(),
        sources: Some(context.sources()?),
        on_line: (!context.global.json).then_some(&print as _),
        ..PlayOptions::default()
    };
    let report = play::simulate(&scenario, &options).await?;
    if !context.json(&json!(report)) {
        print_summary(&report);
        if let Some(db) = db {
            output::note(format_args!("inspect it with: abide --db {db} run list"));
        }
    }
    Ok(if report.met() { Exit::Success } else { Exit::Failure })
}

/// Returns the address of a new database in `folder`.
///
/// # Errors
/// `already_there` if the folder contains a database.
fn new_database_in(folder: &std::path::Path) -> Result<Address, ProblemDocument> {
    let file = folder.join("abide.db");
    if file.exists() {
        let detail = format!("`{}` already contains a database", folder.display());
        return Err(ProblemDocument::new(409, "already_there", detail)
            .with_hint("choose another folder: the demo needs an empty database"));
    }
    Ok(Address::Sqlite(file))
}

fn print_summary(report: &SimulationReport) {
    let totals = &report.totals;
    output::line("");
    output::line(format_args!(
        "{} received, {} sent, {} fired, {}.",
        counted(totals.inbound, "text"),
        counted(totals.outbound, "text"),
        counted(totals.fired, "timer"),
        counted(totals.crashes, "crash"),
    ));
    for unmet in &report.unmet {
        output::line(format_args!("not met: expected {}, found {}", unmet.expected, unmet.found));
    }
    for breach in &report.audit {
        output::line(format_args!("breach: {breach}"));
    }
    if report.audit.is_empty() {
        output::line("audit: clean; nothing was lost and nothing was sent twice");
    }
}
