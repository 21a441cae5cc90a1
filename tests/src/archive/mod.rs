//! Old rows leave the database for an archive, and the audit checks both as one.

mod broken;
mod crash;
mod erased;
mod kept;
mod leaves;
mod seals;
mod stays;
mod sweep;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use abide_engine::archive::{ArchiveConfig, ArchiveLine, MemoryArchives};
use abide_engine::base::{Problem, RunId, Span};
use abide_engine::facade::{ArchiveOrder, ArchiveReport, Engine, NewVersion, PublishOutcome};
use abide_simulator::domains;
use serde_json::{Map, Value, json};

use crate::campaign::church::Church;

/// Lets a process archive into files in memory.
pub(crate) fn attach(engine: &Engine, files: &MemoryArchives) {
    engine.archive_into(ArchiveConfig {
        files: Arc::new(files.clone()),
        groups: domains::archived_groups(),
    });
}

/// Finds two people for the nursery, and lets the service and ten days pass.
pub(crate) async fn old_campaign(church: &mut Church) {
    for hours in [1, 2] {
        let text =
            format!("method: patient\nsteps:\n  - await: {{ signal: go, timeout: {hours}h }}\n");
        let version = NewVersion { file: "patient.yaml", text: &text, shadow: false };
        let published = church.engine().publish("default", version).await.expect("answered");
        assert!(matches!(published, PublishOutcome::Published(_)));
    }
    church.fill(2).await;
    church.say("AB", "yes").await;
    church.say("C", "what is this about").await;
    church.advance("15d").await;
}

/// Finds a person for a service in four days: the one who says yes. Returns the run.
pub(crate) async fn next_campaign(church: &mut Church, yes: &str) -> RunId {
    let time = church.engine().now() + Span::from_secs(4 * 86_400);
    let goal =
        json!({ "kind": "FillRole", "role": "nursery", "count": 1, "time": time.to_string() });
    let run = church.start("fill_roles", goal).await.expect("started").id;
    church.say(yes, "yes").await;
    run
}

/// Archives everything that has ended.
pub(crate) async fn archive(church: &Church) -> Result<ArchiveReport, Problem> {
    let order = ArchiveOrder { before: Some(church.engine().now()), folder: None };
    church.engine().archive("default", order).await
}

/// The rows of a table in the files, of each file one after the other.
pub(crate) fn archived(files: &MemoryArchives) -> BTreeMap<String, Vec<Map<String, Value>>> {
    let mut all: BTreeMap<String, Vec<Map<String, Value>>> = BTreeMap::new();
    for path in files.paths() {
        let text = String::from_utf8(files.bytes(&path)).expect("UTF-8");
        for line in text.lines() {
            if let Some(ArchiveLine::Row { table, row }) = ArchiveLine::parse(line) {
                all.entry(table).or_default().push(row);
            }
        }
    }
    all
}

/// Counts the rows in the files by table, and checks that no row is there twice.
pub(crate) fn counts(files: &MemoryArchives) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (table, rows) in archived(files) {
        let texts: BTreeSet<String> = rows.iter().map(|row| format!("{row:?}")).collect();
        assert_eq!(texts.len(), rows.len(), "a row of `{table}` is archived twice");
        counts.insert(table, rows.len());
    }
    counts
}

/// Tables of which rows leave, with the number of rows that are in the database.
pub(crate) async fn stored(church: &Church) -> BTreeMap<&'static str, usize> {
    let tables = [
        ("run", "SELECT COUNT(*) FROM run"),
        ("var", "SELECT COUNT(*) FROM var"),
        ("ledger", "SELECT COUNT(*) FROM ledger"),
        ("request", "SELECT COUNT(*) FROM request"),
        ("request_change", "SELECT COUNT(*) FROM request_change"),
        ("offer", "SELECT COUNT(*) FROM offer"),
        ("assignment", "SELECT COUNT(*) FROM assignment"),
        ("inbound", "SELECT COUNT(*) FROM inbound"),
        ("outbox", "SELECT COUNT(*) FROM outbox"),
        ("pii", "SELECT COUNT(*) FROM pii"),
        ("signal", "SELECT COUNT(*) FROM signal"),
        ("tally", "SELECT COUNT(*) FROM tally"),
    ];
    let mut counts = BTreeMap::new();
    for (table, sql) in tables {
        let number = church.number(sql).await;
        counts.insert(table, usize::try_from(number).expect("a number of rows"));
    }
    counts
}
