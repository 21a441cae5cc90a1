//! What the database says about the calls that a message asks for: the records that they name, ids for the names that
//! people use, and the state of the tenant. All of it is read with the tools of risk T0 that the contracts describe,
//! so the records of a home are found like those of the program.

use std::collections::{BTreeMap, BTreeSet};

use abide_agent::operator::{OperatorIntent, OperatorReading, WantedCall};
use abide_engine::base::{Problem, Value, text};
use abide_engine::store::{RunFilter, Tx};
use serde::{Deserialize, Serialize};

use super::method::method_name;
use super::named::{Finder, Found, FoundRecord, NamedMember, OWNERS, getter_of};
use super::plan::{PlannedToolCall, RunPlan, reaches_people, required_of};
use super::taken_over::take_over;
use crate::obligations::standing;

/// Maximum number of records that a question names, and of characters of each.
const CHOICES_MAX: usize = 5;
const CHOICE_CHARS_MAX: usize = 60;
/// The members of an input that hold the number of somebody who is texted.
const PHONES: [&str; 2] = ["to", "phone"];

/// What the database says.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The record that a call works on, by the id of the step.
    pub records: BTreeMap<String, Value>,
    /// The customers and leads for whom the calls are, by their ids.
    pub people: BTreeMap<String, RecordOwner>,
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

/// A record that a name may stand for, if it stands for several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordChoice {
    /// The member of the input that the record is a value of.
    pub member: String,
    /// The value.
    pub value: String,
    /// What the record is called.
    pub said: String,
}

/// A customer or a lead for whom something is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordOwner {
    /// The name.
    pub name: String,
    /// The address of email, if it is known.
    pub email: Option<String>,
}

/// Replaces the names in a reading by the ids of the records that they name, as far as exactly one record fits, and
/// checks that the ids that were said exist. What is still unknown is missing evidence. Returns the records that a
/// name fits, if there are several.
pub(super) async fn complete(
    tx: &mut Tx,
    finder: &Finder<'_>,
    confidence_min: f64,
    reading: &mut OperatorReading,
) -> Vec<RecordChoice> {
    let lacked = !reading.classification.missing_evidence.is_empty();
    let (mut missing, mut choices): (Vec<String>, Vec<RecordChoice>) = (Vec::new(), Vec::new());
    let mut known: BTreeMap<String, FoundRecord> = BTreeMap::new();
    for call in &mut reading.calls {
        let Some(contract) = finder.contracts.get(&call.tool) else { continue };
        let named = std::mem::take(&mut call.named);
        let tool = call.tool.clone();
        let named = of_right_kind(tx, finder, call, named).await;
        if let Some((_, member)) = OF_PERSON.iter().find(|it| it.0 == tool && call.tool != tool) {
            reading.classification.missing_evidence.retain(|missing| missing != member);
        }
        let contract = finder.contracts.get(&call.tool).unwrap_or(contract);
        for (member, name) in named {
            let of = NamedMember { contract, member: &member, name: &name, input: &call.input };
            let key = format!("{member} {name}");
            let found = match known.get(&key) {
                Some(record) => Found::One(record.clone()), // a name stands for one record in a text
                None => finder.find(tx, of).await,
            };
            match found {
                Found::One(record) => {
                    // The name by which a record is found is no new value of it.
                    call.input.retain(|_, value| value.as_str() != Some(name.as_str()));
                    call.input.insert(record.member.clone(), record.value.clone().into());
                    known.insert(key, record);
                }
                Found::Several(records) => {
                    if choices.is_empty() {
                        choices = records.iter().take(CHOICES_MAX).map(choice).collect();
                    }
                    missing.push(member);
                }
                Found::Nothing => missing.push(member),
            }
        }
    }
    take_over(tx, finder, reading).await;
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
    } else if classification.intent == OperatorIntent::Execute && !is_complete {
        classification.intent = OperatorIntent::Clarify;
    }
    choices
}

/// The tools that change a customer and a lead, each with the member that names it. Staff say only the person's name.
const OF_PERSON: [(&str, &str); 2] =
    [("customer.update", "customer_id"), ("leads.update", "lead_id")];

/// Makes a call that changes a customer one that changes a lead, or the other way round, if the name is only the
/// other's. Returns the names, by member.
async fn of_right_kind(
    tx: &mut Tx,
    finder: &Finder<'_>,
    call: &mut WantedCall,
    mut named: BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let own = OF_PERSON.iter().find(|(tool, _)| *tool == call.tool);
    let other = OF_PERSON.iter().find(|(tool, _)| *tool != call.tool);
    let (Some((_, own)), Some((tool, member))) = (own, other) else { return named };
    let Some(contract) = finder.contracts.get(tool) else { return named };
    let Some(name) = named.get(*own).cloned() else { return named };
    let knows = |member: &str| {
        contract.input.value().get("properties").is_some_and(|it| it.get(member).is_some())
    };
    let has_place = call.input.keys().all(|it| knows(it));
    if !has_place
        || finder.is_known(tx, own, &name).await
        || !finder.is_known(tx, member, &name).await
    {
        return named;
    }
    named.remove(*own);
    named.insert((*member).to_owned(), name);
    (*tool).clone_into(&mut call.tool);
    named
}

/// Names a record so that people know it among others.
fn choice(found: &FoundRecord) -> RecordChoice {
    let text = |member: &str| found.record.get(member).and_then(Value::as_str);
    let name = ["name", "title", "number"].into_iter().find_map(text).unwrap_or(&found.value);
    let more = ["suburb", "phone", "status", "total", "scheduled_start"];
    let said: Vec<&str> = std::iter::once(name).chain(more.into_iter().filter_map(text)).collect();
    let said = text::shortened(&said.join(", "), CHOICE_CHARS_MAX);
    RecordChoice { member: found.member.clone(), value: found.value.clone(), said }
}

/// Reads what a plan is checked against.
///
/// # Errors
/// Errors from the store.
pub(super) async fn gather(
    tx: &mut Tx,
    finder: &Finder<'_>,
    plan: &RunPlan,
) -> Result<Evidence, Problem> {
    let (tenant, settings) = (finder.looker.cx.tenant, finder.looker.cx.settings);
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
        let Some(contract) = finder.contracts.get(&call.tool) else { continue };
        let refusal = standing::refusal(tx, finder.looker.cx, contract).await?;
        evidence.avoided.extend(refusal.map(|problem| problem.message.clone()));
        if let Some(record) = record_of(tx, finder, call).await {
            evidence.records.insert(call.step_id.clone(), record);
        }
        people_of(tx, finder, call, &mut evidence).await;
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

/// The tools that email a document to the one for whom it is.
const EMAILS: [(&str, &str); 2] =
    [("email.send_quote", "quote_id"), ("email.send_invoice", "invoice_id")];

/// Misses the address of email to which a document goes, before anybody is asked to approve it.
pub(super) async fn lacks_address(tx: &mut Tx, finder: &Finder<'_>, reading: &mut OperatorReading) {
    for call in &reading.calls {
        let of_tool = EMAILS.iter().find(|(tool, _)| *tool == call.tool);
        let Some((_, member)) = of_tool.filter(|_| !call.provides("to")) else { continue };
        let Some(id) = call.input.get(*member).and_then(Value::as_str) else { continue };
        let Some(document) = finder.record(tx, member, id).await else { continue };
        let mut known = false;
        for owner in OWNERS {
            let Some(id) = document.get(owner).and_then(Value::as_str) else { continue };
            let person = finder.record(tx, owner, id).await;
            known |= person.is_some_and(|it| it.get("email").is_some_and(Value::is_string));
        }
        if !known {
            reading.classification.missing_evidence.push("email_address".to_owned());
            reading.classification.intent = OperatorIntent::Clarify;
            return;
        }
    }
}

/// Notes the customer and the lead of a call, or of the record that it works on.
async fn people_of(
    tx: &mut Tx,
    finder: &Finder<'_>,
    call: &PlannedToolCall,
    evidence: &mut Evidence,
) {
    for member in OWNERS {
        let record = evidence.records.get(&call.step_id);
        let id = call.input.get(member).or_else(|| record?.get(member)).and_then(Value::as_str);
        let Some(id) = id.map(str::to_owned).filter(|id| !evidence.people.contains_key(id)) else {
            continue;
        };
        let Some(person) = finder.record(tx, member, &id).await else { continue };
        let text = |name: &str| person.get(name).and_then(Value::as_str).map(str::to_owned);
        if let Some(name) = text("name") {
            evidence.people.insert(id, RecordOwner { name, email: text("email") });
        }
    }
}

/// Returns what a plan names that does not exist, such as `quote_id abc123`. It may exist by the time the plan runs, so
/// it is said and blocks nothing.
pub(super) async fn unknown_ids(tx: &mut Tx, finder: &Finder<'_>, plan: &RunPlan) -> Vec<String> {
    let mut unknown: Vec<String> = Vec::new();
    for call in &plan.calls {
        let Some(contract) = finder.contracts.get(&call.tool) else { continue };
        for member in required_of(contract).filter(|name| name.ends_with("_id")) {
            let Some(id) = call.input.get(member).and_then(Value::as_str) else { continue };
            let named = format!("{member} {id}");
            let can_look = getter_of(finder.contracts, member).is_some();
            if can_look
                && !unknown.contains(&named)
                && finder.record(tx, member, id).await.is_none()
            {
                unknown.push(named);
            }
        }
    }
    unknown
}

/// Returns the record that a call works on, if its contract requires an id that a tool can look up.
async fn record_of(tx: &mut Tx, finder: &Finder<'_>, call: &PlannedToolCall) -> Option<Value> {
    let contract = finder.contracts.get(&call.tool)?;
    let member = required_of(contract).find(|name| name.ends_with("_id"))?;
    finder.record(tx, member, call.input.get(member)?.as_str()?).await
}
