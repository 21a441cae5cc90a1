//! Collects from a copy what its run has done.

use std::collections::{BTreeMap, BTreeSet};

use super::super::approvals::ApprovalView;
use super::super::engine::Engine;
use crate::base::{CallId, IdSource, MessageId, Problem, RunId, Timestamp, TypedId as _, Value};
use crate::driver::{Preview, PreviewEnd, PreviewTotals};
use crate::ledger::{Receipt, ReceiptStatus, bounded};
use crate::run::{RunFailure, RunOutcome, RunStatus};
use crate::store::{MessageQuery, MessageState, OutboundRow, RunRow, ShadowMessage, Tx};
use crate::transaction;

/// Maximum number of messages that are recorded individually: more than a person reads, and about 2 MB in the
/// one commit that records them.
const MESSAGES_MAX: usize = 2_000;
/// Maximum number of messages of one run of the copy that are counted.
const COUNTED_MAX: i64 = 50_000;
/// Maximum number of receipts that are recorded. Each has up to a few kilobytes.
const RECEIPTS_MAX: usize = 500;
/// Maximum number of approvals that are recorded.
const APPROVALS_MAX: usize = 100;
/// The states of messages that a real run would not have sent.
const NOT_SENT: [MessageState; 3] =
    [MessageState::Cancelled, MessageState::Suppressed, MessageState::Failed];

/// Collects what `run` and its children did in the copy, as the record of the shadow run `shadow`.
pub(super) async fn collect(
    engine: &Engine,
    shadow: &RunRow,
    run: RunId,
    approvals: Vec<ApprovalView>,
) -> Result<Preview, Problem> {
    let read = transaction!([tenant = shadow.tenant.clone()], |tx| {
        let row = tx.run(run).await?.ok_or_else(|| Problem::bug("a copied run is gone"))?;
        let family = tx.with_descendants(run).await?;
        let receipts = tx.receipts(&family).await?;
        let receipts: Vec<Value> = receipts.into_iter().map(|receipt| receipt.body).collect();
        Ok((row, receipts, outbound(tx, &tenant, &family).await?))
    });
    let (row, receipts, messages) = engine.read(read).await?;
    let messages: Vec<ShadowMessage> = would_send(messages);
    let receipts = shadowed(receipts, shadow.id, run)?;
    let phones: BTreeSet<&str> = messages.iter().map(|message| &*message.to).collect();
    let totals = PreviewTotals {
        messages: messages.len(),
        segments: messages.iter().map(|message| message.segments).sum(),
        people: phones.len(),
        receipts: receipts.len(),
        approvals: approvals.len(),
    };
    Ok(Preview {
        end: end_of(&row)?,
        ends_at: row.ended_at.unwrap_or(row.last_at),
        messages: messages.into_iter().take(MESSAGES_MAX).collect(),
        receipts: receipts.into_iter().take(RECEIPTS_MAX).collect(),
        approvals: approvals.iter().take(APPROVALS_MAX).map(would_ask).collect(),
        totals,
    })
}

/// Gives messages new ids of this moment, also where receipts name them. In the copy they have ids of the times
/// at which they would come, and lists are sorted by id.
pub(super) fn with_own_ids(mut played: Preview, ids: &IdSource, now: Timestamp) -> Preview {
    let mut renamed = Vec::with_capacity(played.messages.len());
    for message in &mut played.messages {
        let own: MessageId = ids.mint(now);
        renamed.push((message.id.to_string(), own.to_string()));
        message.id = own;
    }
    let renamed: BTreeMap<String, String> = renamed.into_iter().collect();
    for receipt in &mut played.receipts {
        rename(&mut receipt.effects, &renamed);
    }
    played
}

/// Replaces the strings in a value that are keys of `renamed`.
fn rename(value: &mut Value, renamed: &BTreeMap<String, String>) {
    match value {
        Value::String(text) => {
            if let Some(own) = renamed.get(text) {
                own.clone_into(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, renamed)),
        Value::Object(members) => members.values_mut().for_each(|item| rename(item, renamed)),
        _ => {}
    }
}

/// Reads the messages of some runs. A page of a run contains the messages of its branches, too.
async fn outbound(
    tx: &mut Tx,
    tenant: &str,
    runs: &[RunId],
) -> Result<BTreeMap<MessageId, OutboundRow>, Problem> {
    let mut found = BTreeMap::new();
    for run in runs {
        let query = MessageQuery { run: Some(*run), ..MessageQuery::default() };
        let page = tx.outbound_page(tenant, &query, COUNTED_MAX).await?;
        found.extend(page.into_iter().map(|message| (message.id, message)));
    }
    Ok(found)
}

fn would_send(messages: BTreeMap<MessageId, OutboundRow>) -> Vec<ShadowMessage> {
    let sent = messages.into_values().filter(|message| !NOT_SENT.contains(&message.state));
    let mut sent: Vec<ShadowMessage> = sent
        .map(|message| ShadowMessage {
            id: message.id,
            at: message.sent_at.unwrap_or(message.not_before),
            key: message.key,
            kind: message.kind,
            to: message.to,
            person: message.person,
            body: message.body,
            segments: message.segments,
        })
        .collect();
    sent.sort_by_key(|message| (message.at, message.id));
    sent
}

/// Turns the receipts of the copy into those of the shadow run, in the order in which the calls ended.
fn shadowed(receipts: Vec<Value>, shadow: RunId, run: RunId) -> Result<Vec<Receipt>, Problem> {
    let read = |body| serde_json::from_value(body).map_err(|e| Problem::bug(e.to_string()));
    let mut receipts = receipts.into_iter().map(read).collect::<Result<Vec<Receipt>, Problem>>()?;
    for receipt in &mut receipts {
        receipt.run_id = shadow;
        if receipt.call_id.uuid() == run.uuid() {
            receipt.call_id = CallId::from_uuid(shadow.uuid()); // a call from outside has the id of its run
        }
        receipt.approval_id = None; // nobody was asked
        if receipt.status == ReceiptStatus::Succeeded {
            receipt.status = ReceiptStatus::Shadowed;
        }
    }
    receipts.sort_by(|a, b| a.finished_at.cmp(&b.finished_at));
    Ok(receipts)
}

fn would_ask(approval: &ApprovalView) -> Value {
    serde_json::json!({
        "tool": approval.tool,
        "risk": approval.risk,
        "reason": approval.reason,
        "shows": bounded(&approval.shows),
        "step_id": approval.step_id,
        "at": approval.asked_at,
    })
}

fn end_of(row: &RunRow) -> Result<PreviewEnd, Problem> {
    Ok(match (row.status, row.outcome) {
        (RunStatus::Completed, outcome) => {
            PreviewEnd::Completed(outcome.unwrap_or(RunOutcome::FellShort))
        }
        (RunStatus::Cancelled, _) => PreviewEnd::Cancelled,
        _ => {
            let error = row.parsed_state()?.error.unwrap_or_else(|| RunFailure {
                step_id: "end".to_owned(),
                problem: Problem::bug("a copied run failed without a reason"),
            });
            PreviewEnd::Failed(error)
        }
    })
}
