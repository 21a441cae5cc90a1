//! Finds the records that people mean by a name: by itself, or through the person that they belong to. All of it is
//! read with the tools of risk T0 that the contracts describe, so the records of a home are found like those of the
//! program.

use std::collections::BTreeMap;

use abide_engine::base::Value;
use abide_engine::contract::{Contract, Contracts, Effect, Handler, Risk};
use abide_engine::store::Tx;
use serde_json::{Map, json};

use super::look::Looker;
use super::plan::required_of;

/// Maximum number of records that are searched for a name: the newest ones, which people talk about.
const SEARCHED_MAX: u32 = 200;
/// The members of a record by which people name it.
const NAMING: [&str; 5] = ["name", "title", "number", "reference", "address"];
/// The members that name the one for whom something is made. People call both by their names.
pub(super) const OWNERS: [&str; 2] = ["customer_id", "lead_id"];
/// The ends of the names of tools that change a document only while it is a draft.
const CHANGE_DRAFTS: [&str; 4] =
    [".add_line_item", ".update_line_item", ".remove_line_item", ".finalize"];

/// What a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Found {
    /// Exactly one value of a member.
    One(FoundRecord),
    /// Several records, the newest first.
    Several(Vec<FoundRecord>),
    /// No record.
    Nothing,
}

/// A record that a name fits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FoundRecord {
    /// The member of the input that it is a value of.
    pub(super) member: String,
    /// The value: the id of the record, or the number or address of a person.
    pub(super) value: String,
    /// The record.
    pub(super) record: Value,
}

/// A quote that was sent and is not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SentQuote {
    /// Id of the quote.
    pub(crate) id: String,
    /// Its title.
    pub(crate) title: String,
    /// The name of the customer or the lead.
    pub(crate) who: String,
}

/// A member of a call whose value is said by a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct NamedMember<'n> {
    /// The contract of the tool that is called.
    pub(super) contract: &'n Contract,
    /// The member.
    pub(super) member: &'n str,
    /// The name.
    pub(super) name: &'n str,
    /// What is known of the input.
    pub(super) input: &'n Map<String, Value>,
}

/// Finds records by their names.
pub(crate) struct Finder<'f> {
    /// Reads with the tools.
    pub(crate) looker: &'f Looker<'f>,
    /// The contracts of the tools.
    pub(crate) contracts: &'f Contracts,
}

impl Finder<'_> {
    /// Finds what a name stands for. One for whom something is made is a customer, or else a lead.
    pub(super) async fn find(&self, tx: &mut Tx, of: NamedMember<'_>) -> Found {
        if of.member == "to" {
            return self.reached(tx, of).await;
        }
        let found = self.find_member(tx, of, of.member).await;
        let members = of.contract.input.value().get("properties").and_then(Value::as_object);
        let has = |member: &&str| members.is_some_and(|members| members.contains_key(*member));
        let is_free =
            OWNERS.contains(&of.member) && required_of(of.contract).all(|it| it != of.member);
        let other = OWNERS.into_iter().filter(|it| is_free && *it != of.member);
        match other.into_iter().find(has) {
            Some(other) if found == Found::Nothing => self.find_member(tx, of, other).await,
            _ => found,
        }
    }

    async fn find_member(&self, tx: &mut Tx, of: NamedMember<'_>, member: &str) -> Found {
        let mut found = self.named(tx, member, of.name).await;
        if found.is_empty() {
            found = self.owned(tx, member, of.name).await;
        }
        let ids = found.into_iter().filter_map(|record| {
            let value = record.get("id")?.as_str()?.to_owned();
            Some(FoundRecord { member: member.to_owned(), value, record })
        });
        only(fitting(of, ids.collect()))
    }

    /// Finds the number or the address of a customer or a lead.
    async fn reached(&self, tx: &mut Tx, of: NamedMember<'_>) -> Found {
        let by_phone = of.contract.consumes.iter().any(|it| it == "phone");
        let known = if by_phone { "phone" } else { "email" };
        for owner in OWNERS {
            let people = self.named(tx, owner, of.name).await.into_iter().filter_map(|record| {
                let value = record.get(known)?.as_str()?.to_owned();
                Some(FoundRecord { member: of.member.to_owned(), value, record })
            });
            let people: Vec<FoundRecord> = people.collect();
            if !people.is_empty() {
                return only(people);
            }
        }
        Found::Nothing
    }

    /// Returns the tool that lists the records of a member.
    fn lister(&self, member: &str) -> Option<&Contract> {
        lister_of(self.contracts, getter_of(self.contracts, member)?)
    }

    /// Returns the records of a member that have a name.
    async fn named(&self, tx: &mut Tx, member: &str, name: &str) -> Vec<Value> {
        let Some(lister) = self.lister(member) else { return Vec::new() };
        let mut found = records(tx, self.looker, lister, &Map::new()).await;
        found.retain(|record| is_named(record, name));
        found
    }

    /// Whether a record of a member has a name.
    pub(super) async fn is_known(&self, tx: &mut Tx, member: &str, name: &str) -> bool {
        !self.named(tx, member, name).await.is_empty()
    }

    /// Returns the records of a member that belong to somebody with a name.
    async fn owned(&self, tx: &mut Tx, member: &str, name: &str) -> Vec<Value> {
        let Some(lister) = self.lister(member) else { return Vec::new() };
        let members = lister.input.value().get("properties").and_then(Value::as_object);
        let owners = members.into_iter().flatten().map(|(owner, _)| owner);
        let owners = owners.filter(|it| it.ends_with("_id") && *it != member);
        let mut through: BTreeMap<String, Value> = BTreeMap::new();
        for owner in owners {
            for of_owner in self.named(tx, owner, name).await {
                let Some(id) = of_owner.get("id") else { continue };
                let filter = Map::from_iter([(owner.clone(), id.clone())]);
                for record in records(tx, self.looker, lister, &filter).await {
                    let id = record.get("id").and_then(Value::as_str).unwrap_or_default();
                    through.insert(id.to_owned(), record);
                }
            }
        }
        through.into_values().rev().collect()
    }

    /// Returns the record with an id; `None` if there is none, or if no tool returns records of its kind.
    pub(super) async fn record(&self, tx: &mut Tx, member: &str, id: &str) -> Option<Value> {
        let getter = getter_of(self.contracts, member)?;
        let found = self.looker.look(tx, getter, &json!({ (member): id })).await?;
        found.get(member.trim_end_matches("_id")).cloned()
    }
}

impl Finder<'_> {
    /// Returns the quotes that were sent to the customers and leads with a phone and are not answered.
    pub(crate) async fn sent_quotes(&self, tx: &mut Tx, phone: &str) -> Vec<SentQuote> {
        let Some(quotes) = self.lister("quote_id") else { return Vec::new() };
        let mut sent: BTreeMap<String, SentQuote> = BTreeMap::new();
        for owner in OWNERS {
            let Some(people) = self.lister(owner) else { continue };
            let with_phone = Map::from_iter([("phone".to_owned(), Value::from(phone))]);
            let mut known = records(tx, self.looker, people, &with_phone).await;
            known.retain(|record| record.get("phone").and_then(Value::as_str) == Some(phone));
            for person in known {
                let Some(id) = person.get("id") else { continue };
                let open = [(owner.to_owned(), id.clone()), ("status".to_owned(), "sent".into())];
                let found = records(tx, self.looker, quotes, &Map::from_iter(open)).await;
                for quote in found {
                    let text = |of: &Value, name: &str| {
                        of.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
                    };
                    let (id, title) = (text(&quote, "id"), text(&quote, "title"));
                    let who = text(&person, "name");
                    sent.entry(id.clone()).or_insert(SentQuote { id, title, who });
                }
            }
        }
        sent.into_values().collect()
    }

    /// Returns the newest text that was sent to a phone, as it was logged.
    pub(crate) async fn last_text_to(&self, tx: &mut Tx, phone: &str) -> Option<Value> {
        let lister = self.lister("comm_id")?;
        let filter = [("channel", "sms"), ("direction", "outbound"), ("contact", phone)];
        let filter = filter.map(|(member, value)| (member.to_owned(), Value::from(value)));
        records(tx, self.looker, lister, &Map::from_iter(filter)).await.into_iter().next()
    }

    /// Returns a quote and its lines.
    pub(super) async fn quote(&self, tx: &mut Tx, id: &str) -> Option<(Value, Vec<Value>)> {
        let getter = getter_of(self.contracts, "quote_id")?;
        let found = self.looker.look(tx, getter, &json!({ "quote_id": id })).await?;
        let lines = found.get("line_items").and_then(Value::as_array).cloned();
        Some((found.get("quote")?.clone(), lines.unwrap_or_default()))
    }
}

/// Keeps the records in a state in which the call can change them, if there are any.
fn fitting(of: NamedMember<'_>, found: Vec<FoundRecord>) -> Vec<FoundRecord> {
    let drafted = CHANGE_DRAFTS.iter().any(|end| of.contract.name.ends_with(end));
    let answered = of.input.get("status").is_some_and(|it| it == "accepted" || it == "declined");
    let fits = |it: &&FoundRecord| {
        let is = |state: &str| it.record.get("status").is_some_and(|status| status == state);
        match &of.contract.handler {
            _ if drafted => is("draft"),
            _ if answered => is("sent"),
            Handler::Data(data) => {
                let allowed = data.only_if.get("status").map(|allowed| &allowed.0);
                let status = it.record.get("status");
                allowed.is_none_or(|all| status.is_some_and(|status| all.contains(status)))
            }
            _ => true,
        }
    };
    let fit: Vec<FoundRecord> = found.iter().filter(fits).cloned().collect();
    if fit.is_empty() { found } else { fit }
}

/// Returns what these records are: one, if they are one value.
fn only(mut found: Vec<FoundRecord>) -> Found {
    let mut seen: Vec<String> = Vec::new();
    found.retain(|it| {
        let is_new = !seen.contains(&it.value);
        seen.push(it.value.clone());
        is_new
    });
    match found.len() {
        0 => Found::Nothing,
        1 => Found::One(found.remove(0)),
        _ => Found::Several(found),
    }
}

/// Returns the tool that returns the record with the id `member`, such as `quote.get` for `quote_id`.
pub(super) fn getter_of<'c>(contracts: &'c Contracts, member: &str) -> Option<&'c Contract> {
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
