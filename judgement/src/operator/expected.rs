//! How many of the texts of a plan are likely to be answered, and how soon.

use std::collections::BTreeMap;

use abide_engine::base::{Problem, Value};
use abide_engine::contract::{Contract, Contracts};
use abide_engine::domain::DomainContext;
use abide_engine::phone::e164;
use abide_engine::response::{ResponseHistory, TYPICAL_RATE};
use abide_engine::store::{ContactId, Tx};
use abide_verbs::data::response as offers;

use super::plan::{ExpectedAnswers, PlannedToolCall, RunPlan};

/// What a call asks.
enum Asking {
    /// It makes offers to people, or asks them a question.
    People,
    /// It texts this contact, or somebody who is not known yet.
    Contact(Option<ContactId>),
}

/// Estimates the answers to the texts of a plan; `None` if it sends none, or if nobody was asked before.
///
/// # Errors
/// Errors from the store.
pub(super) async fn expected_answers(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    contracts: &Contracts,
    plan: &RunPlan,
) -> Result<Option<ExpectedAnswers>, Problem> {
    let calls = plan.calls.iter().filter_map(|call| {
        let contract = contracts.get(&call.tool)?;
        asking(tx, cx, contract, call)
    });
    let asked: Vec<Asking> = calls.collect();
    let known = Known::load(tx, cx, &asked).await?;
    let histories: Vec<&ResponseHistory> = asked.iter().map(|asking| known.of(asking)).collect();
    if histories.iter().all(|history| history.asked() == 0) {
        return Ok(None);
    }
    let rates = asked.iter().map(|asking| known.rate(asking)).sum::<f64>();
    let median = ResponseHistory::joined(histories).figures(TYPICAL_RATE).median_delay;
    Ok(Some(ExpectedAnswers {
        texts: asked.len() as u64,
        answered: rates.round() as u64,
        half_within: median,
    }))
}

/// Returns what a call asks; `None` if it sends no text.
fn asking(
    tx: &Tx,
    cx: &DomainContext<'_>,
    contract: &Contract,
    call: &PlannedToolCall,
) -> Option<Asking> {
    if contract.sends.is_some() {
        return Some(Asking::People);
    }
    let may = |what: &str| contract.permissions.iter().any(|it| it == what);
    let text_of = |member: &str| call.input.get(member).and_then(Value::as_str);
    // A call that can also send an email says which of the two it sends, and sends an email if it does not.
    if !may("send:sms") || (may("send:email") && text_of("channel") != Some("sms")) {
        return None;
    }
    let phone = text_of("to").and_then(|to| e164(to, cx.settings.region).ok());
    Some(Asking::Contact(phone.map(|phone| tx.contact_id(cx.tenant, &phone))))
}

/// How those have answered whom a plan asks.
#[derive(Default)]
struct Known {
    people: ResponseHistory,
    contacts: ResponseHistory,
    own: BTreeMap<ContactId, ResponseHistory>,
}

impl Known {
    async fn load(tx: &mut Tx, cx: &DomainContext<'_>, asked: &[Asking]) -> Result<Self, Problem> {
        let mut known = Self::default();
        if asked.iter().any(|asking| matches!(asking, Asking::People)) {
            known.people = offers::of_all(tx, cx.tenant, cx.now).await?;
        }
        if asked.iter().any(|asking| matches!(asking, Asking::Contact(_))) {
            known.contacts = tx.all_text_responses(cx.tenant, cx.now).await?;
        }
        let contact = |asking: &Asking| match asking {
            Asking::People => None,
            Asking::Contact(contact) => *contact,
        };
        let contacts: Vec<ContactId> = asked.iter().filter_map(contact).collect();
        if !contacts.is_empty() {
            known.own = tx.text_responses(cx.tenant, &contacts, cx.now).await?;
            known.own.retain(|_, history| history.is_telling());
        }
        Ok(known)
    }

    /// Returns the history that says how an ask will be answered: that of the recipient, or else that of all.
    fn of(&self, asking: &Asking) -> &ResponseHistory {
        match asking {
            Asking::People => &self.people,
            Asking::Contact(contact) => {
                contact.and_then(|it| self.own.get(&it)).unwrap_or(&self.contacts)
            }
        }
    }

    fn rate(&self, asking: &Asking) -> f64 {
        let all = match asking {
            Asking::People => &self.people,
            Asking::Contact(_) => &self.contacts,
        };
        self.of(asking).rate(all.rate(TYPICAL_RATE))
    }
}
