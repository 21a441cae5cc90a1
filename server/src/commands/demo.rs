//! `abide demo`: the main job, in seconds, with nothing else running.

use abide_engine::store::Address;
use abide_simulator::play::{self, Options};
use abide_simulator::report::{Line, Report};
use serde_json::json;

use super::{Context, Outcome, simulate};
use crate::cli::DemoArgs;
use crate::exit::Exit;
use crate::output::{self, counted};
use crate::problem::ProblemDocument;

const FILE: &str = "simulator/scenarios/demo.yaml";
const TEXT: &str = include_str!("../../../simulator/scenarios/demo.yaml");

pub(super) async fn run(context: &Context, args: &DemoArgs) -> Outcome {
    let scenario = simulate::sound(FILE, TEXT)?;
    let db = args.keep.as_deref().map(kept).transpose()?;
    if !context.global.json {
        output::line(
            "A church asks for helpers by text. What follows is the real engine on an embedded",
        );
        output::line(
            "database, in virtual time: hours pass in milliseconds, and the process dies twice.",
        );
        output::line("");
    }
    let tell = |line: &Line| output::line(line);
    let options = Options {
        seed: args.seed,
        db: db.clone(),
        sources: Some(context.sources()?),
        on_line: (!context.global.json).then_some(&tell as _),
        ..Options::default()
    };
    let report = play::simulate(&scenario, &options).await?;
    if !context.json(&json!(report)) {
        tell_end(&report);
        if let Some(db) = db {
            output::note(format_args!("look at it with: abide --db {db} run list"));
        }
    }
    Ok(if report.met() { Exit::Done } else { Exit::Unwell })
}

/// An empty database in the folder that is to be kept.
fn kept(folder: &std::path::Path) -> Result<Address, ProblemDocument> {
    let file = folder.join("abide.db");
    if file.exists() {
        let detail = format!("`{}` holds a database already", folder.display());
        return Err(ProblemDocument::new(409, "already_there", detail)
            .with_hint("the demo begins with an empty one: name another folder"));
    }
    Ok(Address::Sqlite(file))
}

fn tell_end(report: &Report) {
    let totals = &report.totals;
    output::line("");
    output::line(format_args!(
        "{} came in, {} went out, {} fell due, {}.",
        counted(totals.inbound, "text"),
        counted(totals.outbound, "text"),
        counted(totals.fired, "timer"),
        counted(totals.crashes, "crash"),
    ));
    for unmet in &report.unmet {
        output::line(format_args!("not met: expected {}, found {}", unmet.expected, unmet.found));
    }
    for breach in &report.audit {
        output::line(format_args!("broken: {breach}"));
    }
    if report.audit.is_empty() {
        output::line("audit: clean; nothing was lost and nothing was sent twice");
    }
}
