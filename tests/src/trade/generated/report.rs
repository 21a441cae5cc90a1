//! What the generated tests check in a receipt and in the tables, and the report of all their cases.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::LazyLock;

use abide_engine::base::Value;
use abide_engine::contract::{Contract, Effect, Handler};
use abide_engine::store::{StoreError, tx_closure};
use abide_trade::table::TABLES;

use crate::campaign::church::Church;

/// Tools that write nothing if there is nothing to end: no tool gives the orders that this one ends.
const MAY_FIND_NOTHING: [&str; 1] = ["ask.release"];

/// The outcomes of all cases of a test, so that one run shows every tool that fails.
#[derive(Default)]
pub(super) struct Report {
    cases: usize,
    tools: BTreeSet<String>,
    faults: Vec<String>,
}

impl Report {
    /// Adds a case.
    pub(super) fn add(&mut self, tool: &Contract, case: &str, outcome: Result<(), String>) {
        self.cases += 1;
        self.tools.insert(tool.name.clone());
        if let Err(what) = outcome {
            self.faults.push(format!("{} ({case}): {what}", tool.name));
        }
    }

    /// Checks that no case failed, and that this number of tools was covered.
    pub(super) fn assert_complete(&self, tools: usize) {
        let (cases, failed) = (self.cases, self.faults.len());
        let all = format!("{cases} cases of {} tools", self.tools.len());
        assert!(failed == 0, "{failed} of {all} failed:\n{}", self.faults.join("\n"));
        assert_eq!(self.tools.len(), tools, "{all}");
    }
}

/// Numbers of rows. Tables whose number is zero are left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// The rows in each table of the trade.
    pub(super) rows: BTreeMap<String, i64>,
    pub(super) runs: i64,
    pub(super) receipts: i64,
}

/// Selects the name of each table of the trade with its number of rows, and the runs and the receipts.
static COUNTS: LazyLock<String> = LazyLock::new(|| {
    let count =
        |name: &str, rows: &str| format!("SELECT '{name}' AS name, COUNT(*) AS number FROM {rows}");
    let mut parts: Vec<_> = TABLES.iter().map(|table| count(table.name, table.name)).collect();
    parts.push(count("run", "run"));
    parts.push(count("receipt", "ledger WHERE kind = 'receipt'"));
    parts.join(" UNION ALL ")
});

/// Counts the rows in all tables of the trade, the runs and the receipts.
pub(super) async fn counts(church: &Church) -> Counts {
    let read = tx_closure(|tx| {
        Box::pin(async move {
            let rows = tx.rows(COUNTS.as_str(), &[]).await?;
            let counts = rows.iter().map(|row| Ok((row.text("name")?, row.int("number")?)));
            Ok(counts.collect::<Result<BTreeMap<String, i64>, StoreError>>()?)
        })
    });
    let mut rows = church.engine().read(read).await.expect("counted");
    let runs = rows.remove("run").unwrap_or_default();
    let receipts = rows.remove("receipt").unwrap_or_default();
    rows.retain(|_, count| *count != 0);
    Counts { rows, runs, receipts }
}

/// Returns by how much the numbers have grown.
pub(super) fn grown(before: &Counts, after: &Counts) -> Counts {
    let names: BTreeSet<_> = before.rows.keys().chain(after.rows.keys()).collect();
    let count = |counts: &Counts, name: &String| counts.rows.get(name).copied().unwrap_or(0);
    let mut rows = BTreeMap::new();
    for name in names {
        let more = count(after, name) - count(before, name);
        if more != 0 {
            rows.insert(name.clone(), more);
        }
    }
    Counts { rows, runs: after.runs - before.runs, receipts: after.receipts - before.receipts }
}

/// Checks that a value is as expected.
pub(super) fn same<T: PartialEq + Debug>(what: &str, is: &T, expected: &T) -> Result<(), String> {
    if is == expected { Ok(()) } else { Err(format!("{what}: {is:#?}, expected {expected:#?}")) }
}

/// Checks that the receipt of a call with valid input is as the contract says.
pub(super) fn fits(tool: &Contract, receipt: &Value) -> Result<(), String> {
    same("tool", &receipt["tool"], &tool.name.as_str().into())?;
    same("risk", &receipt["risk"], &tool.risk.to_string().into())?;
    if tool.effect == Effect::Read || !tool.is_implemented() {
        same("writes", &receipt["effects"]["db_writes"], &Vec::<Value>::new().into())?;
    }
    match &tool.handler {
        Handler::NotConfigured(why) => {
            same("status", &receipt["status"], &"not_configured".into())?;
            let text = |member: &str| receipt["error"][member].as_str().unwrap_or_default();
            let mut steps = why.next_steps.iter();
            if !text("message").contains(&why.reason) {
                return Err(format!("the receipt does not give the reason: {receipt:#}"));
            }
            match steps.find(|step| !text("hint").contains(*step)) {
                Some(step) => Err(format!("the receipt lacks the step `{step}`: {receipt:#}")),
                None if why.next_steps.is_empty() => Err("the contract has no steps".to_owned()),
                None => Ok(()),
            }
        }
        Handler::Code | Handler::Data(_) | Handler::Remote(_) => succeeded(tool, receipt),
    }
}

fn succeeded(tool: &Contract, receipt: &Value) -> Result<(), String> {
    if receipt["status"] != "succeeded" {
        return Err(format!("the call did not succeed; is a preparation missing? {receipt:#}"));
    }
    tool.check_result(&in_full(&receipt["result"])).map_err(|problem| problem.message)?;
    for path in &tool.receipt_fields {
        if receipt.pointer(&format!("/{}", path.replace('.', "/"))).is_none() {
            return Err(format!("the receipt lacks `{path}`: {receipt:#}"));
        }
    }
    let lists = ["db_writes", "messages_sent", "files_written", "external_calls"];
    let acts = lists.iter().any(|list| receipt["effects"][list] != Value::Array(Vec::new()));
    let hit = !receipt["effects"]["idempotency_hit"].is_null();
    match tool.effect {
        Effect::Write if !acts && !hit && !MAY_FIND_NOTHING.contains(&tool.name.as_str()) => {
            Err(format!("the call wrote nothing: {receipt:#}"))
        }
        _ => Ok(()),
    }
}

/// Returns a result with a short list in place of each list that the receipt replaced by its count, its
/// digest and its first items.
fn in_full(shown: &Value) -> Value {
    match shown {
        Value::Object(members) if members.keys().eq(["count", "digest", "first"]) => {
            shown["first"].clone()
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, member)| (name.clone(), in_full(member)));
            Value::Object(members.collect())
        }
        Value::Array(items) => items.iter().map(in_full).collect(),
        other => other.clone(),
    }
}
