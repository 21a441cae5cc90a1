//! What the database says about the calls that a message asks for: the records that they name, ids for the names that
//! people use, and the state of the tenant. All of it is read with the tools of risk T0 that the contracts describe,
//! so the records of a home are found like those of the program.

use std::collections::{BTreeMap, BTreeSet};

use abide_agent::operator::{OperatorIntent, OperatorReading};
use abide_engine::base::{Problem, Value};
use abide_engine::contract::{Contract, Contracts, Effect, Risk};
use abide_engine::store::{RunFilter, Tx};
use serde_json::{Map, json};

use super::look::Looker;
use super::method::method_name;
use super::plan::{PlannedToolCall, RunPlan, reaches_people, required_of};
use crate::obligations::standing;

/// Maximum number of records that are searched for a name: the newest ones, which people talk about.
const SEARCHED_MAX: u32 = 200;
/// The members of a record by which people name it.
const NAMING: [&str; 5] = ["name", "title", "number", "reference", "address"];
/// The members of an input that hold the number of somebody who is texted.
const PHONES: [&str; 2] = ["to", "phone"];

/// What the database says.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The record that a call works on, by the id of the step.
    pub records: BTreeMap<String, Value>,
    /// Those who would be texted although they have opted out.
    pub opted_out: Vec<String>,
    /// Why a call may not be made: it can bring about what somebody has ordered to avoid.
    pub avoided: Vec<String>,
    /// Whether the tenant's kill switch is on.
    pub paused: bool,
    /// Number of messages that wait to be sent.
    pub queued_messages: u64,
    /// Whether a run of the same plan brought its worker down.
    pub quarantined: bool,
    /// Maximum number of people that one plan may text.
    pub recipients_max: u64,
    /// Words that the tenant does not want to be sent, in lower case.
    pub banned_words: BTreeSet<String>,
}

/// Replaces the names in a reading by the ids of the records that they name, as far as exactly one record fits, and
/// checks that the ids that were said exist. What is still unknown is missing evidence.
pub(super) async fn complete(
    tx: &mut Tx,
    looker: &Looker<'_>,
    contracts: &Contracts,
    confidence_min: f64,
    reading: &mut OperatorReading,
) {
    let lacked = !reading.classification.missing_evidence.is_empty();
    let mut missing: Vec<String> = Vec::new();
    for call in &mut reading.calls {
        let Some(contract) = contracts.get(&call.tool) else { continue };
        let named = std::mem::take(&mut call.named);
        for (member, name) in named {
            match find_by_name(tx, looker, contracts, &member, &name).await {
                Some(id) => {
                    // The name by which a record is found is no new value of it.
                    call.input.retain(|_, value| value.as_str() != Some(name.as_str()));
                    call.input.insert(member, id);
                }
                None if required_of(contract).any(|it| it == member) => missing.push(member),
                None => {}
            }
        }
    }
    let classification = &mut reading.classification;
    let found = |member: &String| reading.calls.iter().any(|call| call.provides(member));
    classification.missing_evidence.retain(|member| !found(member));
    for member in missing {
        if !classification.missing_evidence.contains(&member) {
            classification.missing_evidence.push(member);
        }
    }
    let is_complete = classification.missing_evidence.is_empty() && !reading.calls.is_empty();
    let is_sure = f64::from(classification.confidence) >= confidence_min;
    if classification.intent == OperatorIntent::Clarify && is_complete && lacked && is_sure {
        classification.intent = OperatorIntent::Execute;
    }
}

/// Reads what a plan is checked against.
///
/// # Errors
/// Errors from the store.
pub(super) async fn gather(
    tx: &mut Tx,
    looker: &Looker<'_>,
    contracts: &Contracts,
    plan: &RunPlan,
) -> Result<Evidence, Problem> {
    let (tenant, settings) = (looker.cx.tenant, looker.cx.settings);
    let filter = RunFilter {
        status: Some("paused".to_owned()),
        method: Some(method_name(plan)),
        ..RunFilter::default()
    };
    let paused_runs = tx.runs(tenant, &filter, 1).await?;
    let quarantined = paused_runs
        .iter()
        .any(|run| run.parsed_state().is_ok_and(|state| state.quarantine.is_some()));
    let mut evidence = Evidence {
        paused: tx.lock_tenant_shared(tenant).await?,
        queued_messages: u64::try_from(tx.count_queued(tenant).await?).unwrap_or(0),
        quarantined,
        recipients_max: settings.broadcast_approval_over,
        banned_words: settings.banned_words.clone(),
        ..Evidence::default()
    };
    for call in &plan.calls {
        let Some(contract) = contracts.get(&call.tool) else { continue };
        let refusal = standing::refusal(tx, looker.cx, contract).await?;
        evidence.avoided.extend(refusal.map(|problem| problem.message.clone()));
        if let Some(record) = record_of(tx, looker, contracts, call).await {
            evidence.records.insert(call.step_id.clone(), record);
        }
        if !reaches_people(contract) {
            continue;
        }
        for phone in PHONES.iter().filter_map(|name| call.input.get(*name)?.as_str()) {
            if phone.starts_with('+') && tx.has_opted_out(tenant, phone).await? {
                evidence.opted_out.push(phone.to_owned());
            }
        }
    }
    Ok(evidence)
}

/// Returns what a plan names that does not exist, such as `quote_id abc123`. It may exist by the time the plan runs, so
/// it is said and blocks nothing.
pub(super) async fn unknown_ids(
    tx: &mut Tx,
    looker: &Looker<'_>,
    contracts: &Contracts,
    plan: &RunPlan,
) -> Vec<String> {
    let mut unknown: Vec<String> = Vec::new();
    for call in &plan.calls {
        let Some(contract) = contracts.get(&call.tool) else { continue };
        for member in required_of(contract).filter(|name| name.ends_with("_id")) {
            let Some(id) = call.input.get(member).and_then(Value::as_str) else { continue };
            let Some(getter) = getter_of(contracts, member) else { continue };
            let named = format!("{member} {id}");
            if !unknown.contains(&named)
                && looker.look(tx, getter, &json!({ (member): id })).await.is_none()
            {
                unknown.push(named);
            }
        }
    }
    unknown
}

/// Returns the record that a call works on, if its contract requires an id that a tool can look up.
async fn record_of(
    tx: &mut Tx,
    looker: &Looker<'_>,
    contracts: &Contracts,
    call: &PlannedToolCall,
) -> Option<Value> {
    let contract = contracts.get(&call.tool)?;
    let member = required_of(contract).find(|name| name.ends_with("_id"))?;
    let getter = getter_of(contracts, member)?;
    let found = looker.look(tx, getter, &json!({ (member): call.input.get(member)? })).await?;
    found.get(member.trim_end_matches("_id")).cloned()
}

/// Returns the tool that returns the record with the id `member`, such as `quote.get` for `quote_id`.
fn getter_of<'c>(contracts: &'c Contracts, member: &str) -> Option<&'c Contract> {
    let record = member.strip_suffix("_id")?;
    contracts.iter().find(|contract| {
        is_look(contract)
            && required_of(contract).eq([member])
            && contract.produces.iter().any(|it| it == record)
    })
}

/// Returns the tool that lists the records of which `getter` returns one.
fn lister_of<'c>(contracts: &'c Contracts, getter: &Contract) -> Option<&'c Contract> {
    let of_same =
        |contract: &&Contract| contract.domain().is_some() && contract.domain() == getter.domain();
    let lists = |contract: &&Contract| is_look(contract) && required_of(contract).next().is_none();
    let all = |contract: &&Contract| contract.name.ends_with(".list");
    let candidates: Vec<&Contract> = contracts.iter().filter(of_same).filter(lists).collect();
    candidates.iter().copied().find(all).or_else(|| candidates.first().copied())
}

fn is_look(contract: &Contract) -> bool {
    contract.effect == Effect::Read && contract.risk == Risk::T0
}

/// Returns the id of the only record that a name fits: by itself, or through the person that it belongs to.
async fn find_by_name(
    tx: &mut Tx,
    looker: &Looker<'_>,
    contracts: &Contracts,
    member: &str,
    name: &str,
) -> Option<Value> {
    let getter = getter_of(contracts, member)?;
    let lister = lister_of(contracts, getter)?;
    let direct = records(tx, looker, lister, &Map::new()).await;
    if let Some(id) = only_one(direct.iter().filter(|record| is_named(record, name))) {
        return Some(id);
    }
    let members = lister.input.value().get("properties").and_then(Value::as_object)?;
    let mut through: Vec<Value> = Vec::new();
    for owner in members.keys().filter(|it| it.ends_with("_id") && *it != member) {
        let Some(owners) = getter_of(contracts, owner).and_then(|it| lister_of(contracts, it))
        else {
            continue;
        };
        let found = records(tx, looker, owners, &Map::new()).await;
        for id in found.iter().filter(|it| is_named(it, name)).filter_map(|it| it.get("id")) {
            let filter = Map::from_iter([(owner.clone(), id.clone())]);
            through.extend(records(tx, looker, lister, &filter).await);
        }
    }
    only_one(through.iter())
}

/// Returns the newest records that a tool lists.
async fn records(
    tx: &mut Tx,
    looker: &Looker<'_>,
    lister: &Contract,
    filter: &Map<String, Value>,
) -> Vec<Value> {
    let mut input = filter.clone();
    let members = lister.input.value().get("properties").and_then(Value::as_object);
    if let Some(limit) = members.and_then(|members| members.get("limit")) {
        let most = limit.get("maximum").and_then(Value::as_u64).unwrap_or(u64::MAX);
        input.insert("limit".to_owned(), most.min(u64::from(SEARCHED_MAX)).into());
    }
    let Some(result) = looker.look(tx, lister, &Value::Object(input)).await else {
        return Vec::new();
    };
    let lists = result.as_object().into_iter().flatten();
    let found = lists.filter_map(|(_, value)| value.as_array()).next();
    found.cloned().unwrap_or_default()
}

/// Whether people could call a record by this name.
fn is_named(record: &Value, name: &str) -> bool {
    let wanted = abide_agent::text::words(name);
    let fits = |text: &str| {
        let words = abide_agent::text::words(text);
        !wanted.is_empty() && wanted.iter().all(|word| words.contains(word))
    };
    NAMING.iter().filter_map(|member| record.get(*member)?.as_str()).any(fits)
}

/// Returns the id of the only record; `None` if there are several or none.
fn only_one<'r>(records: impl Iterator<Item = &'r Value>) -> Option<Value> {
    let ids: BTreeSet<String> =
        records.filter_map(|record| record.get("id")?.as_str().map(str::to_owned)).collect();
    match ids.len() {
        1 => ids.into_iter().next().map(Value::String),
        _ => None,
    }
}
