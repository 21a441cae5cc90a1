//! Discharges obligations with tools: chooses candidates, runs them as durable calls, checks what their contracts
//! promise, goes on to the next candidate where one fails, and lets no answer leave that was not verified.

use std::sync::Arc;
use std::time::Duration;

use abide_agent::obligations::{Obligation, ObligationType};
use abide_engine::base::{Digest, Problem, RowId, Timestamp, Value};
use abide_engine::facade::{CallStatus, Engine, ToolCall};
use abide_engine::planted::PlantedFault;
use abide_engine::transaction;
use serde_json::{Map, json};

use super::adapter::ToolAdapters;
use super::choose::{Candidate, all_hold, candidates};
use super::trace::{TracedObligation, TracedRun};
use crate::data::asked::{self, ObligationStatus};
use crate::data::ir;

/// How long a call of a tool is awaited.
const CALL_WAIT: Duration = Duration::from_secs(20);
/// What is appended to the key of a call that verifies an answer.
const AGAIN: &str = "again";

/// Discharges the obligations of one request.
pub(super) struct Conductor<'a> {
    pub(super) engine: &'a Engine,
    pub(super) adapters: &'a ToolAdapters,
    pub(super) tenant: &'a str,
    pub(super) user: &'a str,
    pub(super) now: Timestamp,
    /// When the text came first: what is repeated after a crash means the same times.
    pub(super) asked_at: Timestamp,
}

/// What became of one obligation.
#[derive(Debug, Clone, Default)]
pub(super) struct Discharged {
    /// What it is answered with; `None` if there is no answer.
    pub(super) answer: Option<String>,
    /// Obligations that arose from it: a `CLARIFY`, a `JUSTIFY`, or none.
    pub(super) arose: Vec<Obligation>,
    /// Whether the answer was verified.
    pub(super) verified: bool,
    /// Where the answer comes from.
    pub(super) sources: Vec<Value>,
    /// What is said about a run that keeps the obligation up, or has brought it about.
    pub(super) says: Option<String>,
    pub(super) traced: TracedObligation,
}

impl Conductor<'_> {
    /// Discharges an obligation.
    pub(super) async fn discharge(
        &self,
        id: RowId,
        obligation: &Obligation,
    ) -> Result<Discharged, Problem> {
        if let Some(kept) = self.keep(id, obligation).await? {
            return Ok(kept);
        }
        let library = self.engine.library();
        let known = Map::from_iter([("user".to_owned(), Value::from(self.user))]);
        let found = candidates(&library.contracts, self.adapters, obligation, &known);
        let mut done =
            Discharged { traced: TracedObligation::of(obligation), ..Discharged::default() };
        let duty = Duty { id, obligation };
        let mut left = Left { no_tool: found.is_empty(), missing: None, failure: None };
        for (nth, candidate) in found.iter().enumerate() {
            if let Some(slot) = candidate.missing.first() {
                left.missing.get_or_insert_with(|| slot.clone());
                continue;
            }
            let key = format!("obligation:{id}:{nth}");
            let run = self.call(candidate, &key).await?;
            let receipt = run.receipt.clone();
            done.traced.runs.push(run.traced);
            match self.outcome(candidate, &receipt) {
                Outcome::Value(value) => {
                    self.resolved(duty, Found { candidate, receipt: &receipt }, value, &mut done)
                        .await?;
                    return Ok(done);
                }
                Outcome::Unknown(slot) => drop(left.missing.get_or_insert(slot)),
                Outcome::Failed(why) => drop(left.failure.get_or_insert(why)),
            }
        }
        let status = unresolved(obligation, left, &mut done);
        done.traced.status = status;
        self.settle(id, status).await?;
        Ok(done)
    }

    /// Notes an obligation that a tool has discharged, and verifies its answer.
    async fn resolved(
        &self,
        duty: Duty<'_>,
        found: Found<'_>,
        value: Option<String>,
        done: &mut Discharged,
    ) -> Result<(), Problem> {
        let Duty { id, obligation } = duty;
        let Found { candidate, receipt } = found;
        let stored = self.assertions_of(candidate, receipt).await?;
        done.traced.assertions = stored.iter().map(ToString::to_string).collect();
        done.sources.push(json!({
            "tool": candidate.tool, "receipt_id": receipt["id"], "assertions": done.traced.assertions,
        }));
        if obligation.is(ObligationType::Report) {
            done.verified = self.verify(duty, receipt, &stored, done).await?;
            if !done.verified {
                done.arose.push(Obligation::justify("the answer could not be verified"));
                done.traced.status = ObligationStatus::Failed;
                return self.settle(id, ObligationStatus::Failed).await;
            }
        }
        done.answer = value;
        done.traced.status = ObligationStatus::Resolved;
        self.settle(id, ObligationStatus::Resolved).await
    }

    /// Calls a tool, durably. A second call with the same key is the same call.
    async fn call(&self, candidate: &Candidate, key: &str) -> Result<ToolRun, Problem> {
        let input = Value::Object(candidate.input.clone());
        let call = ToolCall {
            tool: candidate.tool.clone(),
            input: input.clone(),
            request_key: Some(key.to_owned()),
            ..ToolCall::default()
        };
        let begun = self.engine.now();
        let id = self.engine.call_tool(self.tenant, call).await?;
        let view = self.engine.wait_for_call(self.tenant, id, CALL_WAIT).await?;
        let elapsed = self.engine.now() - begun;
        let receipt = view.receipt.unwrap_or_else(|| json!({ "status": view.status.as_str() }));
        let traced = TracedRun {
            tool: candidate.tool.clone(),
            call_id: id.to_string(),
            input_hash: Digest::of_value(&input).to_string(),
            output_hash: Digest::of_value(&receipt["result"]).to_string(),
            status: view.status.as_str().to_owned(),
            duration_ms: u64::try_from(elapsed.micros() / 1000).unwrap_or(0),
        };
        metrics::histogram!("abide_ask_tool_seconds", "tool" => candidate.tool.clone())
            .record(elapsed.micros() as f64 / 1e6);
        Ok(ToolRun { receipt, traced })
    }

    /// Reads what a call has come to, and checks what its contract promises.
    fn outcome(&self, candidate: &Candidate, receipt: &Value) -> Outcome {
        if receipt["status"] != CallStatus::Succeeded.as_str() {
            let why = receipt["error"]["message"].as_str().unwrap_or("the tool did not answer");
            return match receipt["error"]["code"].as_str() {
                Some("place_unknown") => Outcome::Unknown("city".to_owned()),
                _ => Outcome::Failed(why.to_owned()),
            };
        }
        let result = &receipt["result"];
        let library = self.engine.library();
        let input = Value::Object(candidate.input.clone());
        let promised = library.contracts.get(&candidate.tool).map(|it| &it.postconditions[..]);
        if !all_hold(promised.unwrap_or_default(), &input, result) {
            return Outcome::Failed(format!(
                "`{}` broke what its contract promises",
                candidate.tool
            ));
        }
        if result["known"] == false {
            let slot = candidate.input.get("field").and_then(Value::as_str).unwrap_or("value");
            return Outcome::Unknown(slot.to_owned());
        }
        match result.get("value") {
            Some(Value::String(value)) if value.is_empty() => {
                let slot = candidate.input.get("field").and_then(Value::as_str).unwrap_or("name");
                Outcome::Unknown(slot.to_owned())
            }
            Some(Value::String(value)) => Outcome::Value(Some(value.clone())),
            Some(other) => Outcome::Value(Some(other.to_string())),
            None => Outcome::Value(None),
        }
    }

    /// Stores the assertions that a result stands for. Those that a tool has stored itself are not stored again.
    async fn assertions_of(
        &self,
        candidate: &Candidate,
        receipt: &Value,
    ) -> Result<Vec<RowId>, Problem> {
        let written = receipt["effects"]["db_writes"].as_array().cloned().unwrap_or_default();
        let own: Vec<RowId> = written
            .iter()
            .filter(|write| write["table"] == "assertion")
            .filter_map(|write| write["id"].as_str()?.parse().ok())
            .collect();
        if !own.is_empty() {
            return Ok(own);
        }
        let (tenant, tool, now) = (self.tenant.to_owned(), candidate.tool.clone(), self.now);
        let task = transaction!([tenant, tool, receipt = Arc::new(receipt.clone())], |tx| {
            Ok(ir::assert_result(tx, &tenant, &tool, &receipt, now).await?)
        });
        self.engine.write(task).await
    }

    /// Verifies an answer before it leaves: computes or looks it up again, where a tool says that it can, and checks the
    /// assertions that it rests on for existence, provenance and contradiction.
    async fn verify(
        &self,
        duty: Duty<'_>,
        receipt: &Value,
        stored: &[RowId],
        done: &mut Discharged,
    ) -> Result<bool, Problem> {
        if PlantedFault::AnswerNotVerified.is_active() {
            return Ok(true);
        }
        let Duty { id, obligation } = duty;
        let wanted = Obligation {
            obligation_type: ObligationType::Verify,
            payload: obligation.payload.clone(),
        };
        let library = self.engine.library();
        let known = Map::from_iter([("user".to_owned(), Value::from(self.user))]);
        let checks = candidates(&library.contracts, self.adapters, &wanted, &known);
        if let Some(check) = checks.iter().find(|check| check.missing.is_empty()) {
            let again = self.call(check, &format!("obligation:{id}:{AGAIN}")).await?;
            let same = again.receipt["result"]["value"] == receipt["result"]["value"];
            done.traced.runs.push(again.traced);
            if !same || again.receipt["status"] != CallStatus::Succeeded.as_str() {
                done.traced.verify = "another result at the second time".to_owned();
                return Ok(false);
            }
        }
        let promised = receipt["result"]["assertions"].as_array().map_or(0, Vec::len);
        let (tenant, ids) = (self.tenant.to_owned(), stored.to_vec());
        let read = transaction!([tenant, ids], |tx| Ok(ir::assertions(tx, &tenant, &ids).await?));
        let found = self.engine.read(read).await?;
        let sound = found.iter().all(|one| !one.source_uri.is_empty());
        let has_all = stored.len() == promised && found.len() == stored.len();
        done.traced.verify = match (has_all, sound) {
            (true, true) => "passed".to_owned(),
            (false, _) => "an assertion is missing".to_owned(),
            (true, false) => "an assertion has no source".to_owned(),
        };
        Ok(has_all && sound)
    }

    pub(super) async fn settle(&self, id: RowId, status: ObligationStatus) -> Result<(), Problem> {
        let now = self.now;
        let task = transaction!(|tx| Ok(asked::settle(tx, id, status, now).await?));
        self.engine.write(task).await
    }
}

/// Says what follows if no tool discharges an obligation.
fn unresolved(
    obligation: &Obligation,
    Left { no_tool, missing, failure }: Left,
    done: &mut Discharged,
) -> ObligationStatus {
    if let Some(why) = failure {
        done.arose.push(Obligation::justify(&why));
        return ObligationStatus::Failed;
    }
    if let Some(slot) = missing {
        done.arose.push(Obligation::clarify(&slot));
        return ObligationStatus::Active;
    }
    if no_tool {
        done.traced.discover_op =
            Some(format!("{}({})", obligation.obligation_type.as_str(), obligation.kind()));
        return ObligationStatus::Deferred;
    }
    ObligationStatus::Failed
}

/// An obligation with its row.
#[derive(Clone, Copy)]
struct Duty<'a> {
    id: RowId,
    obligation: &'a Obligation,
}

/// A tool that has discharged an obligation, with the receipt of its call.
#[derive(Clone, Copy)]
struct Found<'a> {
    candidate: &'a Candidate,
    receipt: &'a Value,
}

/// Why no tool has discharged an obligation.
struct Left {
    no_tool: bool,
    missing: Option<String>,
    failure: Option<String>,
}

/// A call of a tool that was made.
struct ToolRun {
    receipt: Value,
    traced: TracedRun,
}

/// What a call has come to.
enum Outcome {
    /// The obligation is discharged, perhaps with a value.
    Value(Option<String>),
    /// Something must be known first.
    Unknown(String),
    /// The tool cannot do it.
    Failed(String),
}
