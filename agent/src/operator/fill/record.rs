//! The records that a call works on: ids that the text names, that an earlier call has or produces, or names of people
//! whose record is meant.

use std::ops::Range;

use serde_json::Value;

use super::super::id::{SaidId, kind_of_tool};
use super::super::reading::{ValueOf, WantedCall};
use super::super::tag::{Tag, Tagged};
use super::Filling;

/// Fills the members that are ids.
pub(super) fn fill(filling: &Filling<'_>, call: &mut WantedCall) {
    let members: Vec<&str> =
        filling.contract.input.members().filter(|it| it.ends_with("_id")).collect();
    let ids = ids(filling);
    let mut used: Vec<&str> = Vec::new();
    let primary = primary(filling, &members);
    // First those whose kind is known, then the rest.
    for member in &members {
        let kind = member.trim_end_matches("_id");
        if let Some(id) = ids.iter().find(|it| it.kind == Some(kind) && !it.id.is_empty()) {
            used.push(&id.id);
            call.input.insert((*member).to_owned(), id.id.clone().into());
        }
    }
    if let Some(member) = primary.filter(|member| !call.provides(member)) {
        let free = |it: &&&SaidId| {
            !it.id.is_empty() && !used.contains(&it.id.as_str()) && fits(it, member, filling)
        };
        if let Some(id) = ids.iter().find(free) {
            used.push(&id.id);
            call.input.insert(member.to_owned(), id.id.clone().into());
        }
    }
    entity(filling, call, &ids, &used);
    for member in &members {
        if !call.provides(member) && *member != "entity_id" && *member != "folder_id" {
            from_earlier(filling, call, member);
        }
    }
    for member in &members {
        if filling.contract.input.requires(member) && !call.provides(member) {
            named(filling, call, member);
        }
    }
    owner(filling, call, &members);
    made_from(filling, call, &members);
    recipient(filling, call);
}

/// Keeps the name of the one who is written to, if no number or address is said.
fn recipient(filling: &Filling<'_>, call: &mut WantedCall) {
    let text = filling.text;
    let within = |at: usize| filling.tokens.contains(&at) && !filling.content.contains(&at);
    let addressed = text.phones.iter().any(|it| within(it.tokens.start))
        || text.emails.iter().any(|it| within(it.tokens.start))
        || filling.sources.context.contains_key("to");
    if addressed || !filling.contract.input.requires("to") {
        return;
    }
    if let Some(name) = text.names.iter().find(|it| within(it.tokens.start)) {
        call.named.insert("to".to_owned(), name.name.clone());
    }
}

/// Keeps the name of the customer for whom something new is made: "a quote for Sarah".
fn owner(filling: &Filling<'_>, call: &mut WantedCall, members: &[&str]) {
    let text = filling.text;
    let owned = ["customer_id", "lead_id"];
    let has =
        |call: &WantedCall, member: &str| call.provides(member) || call.named.contains_key(member);
    let given = owned.iter().any(|it| has(call, it) || filling.sources.context.contains_key(*it));
    if !filling.contract.name.ends_with(".create") || given {
        return;
    }
    let mut names = text.names.iter().filter(|it| filling.tokens.contains(&it.tokens.start));
    let meant = names.find(|it| it.owns || is_for(text, it.tokens.start));
    let mentions = |noun: &str| filling.tokens.clone().any(|at| text.word(at) == noun);
    let member = if mentions("lead") { "lead_id" } else { "customer_id" };
    if let Some(name) = meant.filter(|_| members.contains(&member)) {
        call.named.insert(member.to_owned(), name.name.clone());
    }
}

/// Keeps the name of the one whose quote something is made from: "a job from Dev's quote", "turn her quote into a job".
fn made_from(filling: &Filling<'_>, call: &mut WantedCall, members: &[&str]) {
    const QUOTE: &str = "quote_id";
    let text = filling.text;
    let taken = call.provides(QUOTE) || filling.sources.context.contains_key(QUOTE);
    if !filling.contract.name.ends_with(".create") || !members.contains(&QUOTE) || taken {
        return;
    }
    let said = |words: &[&str]| filling.clause.clone().find(|&at| words.contains(&text.word(at)));
    let quote = said(&["quote", "estimate"]);
    let from = said(&["from", "turn", "convert", "per"]);
    let (Some(quote), Some(from)) = (quote, from) else { return };
    let mut names = text.names.iter().filter(|it| filling.tokens.contains(&it.tokens.start));
    if let Some(name) = names.clone().find(|it| it.owns).or_else(|| names.next())
        && from < quote
    {
        call.named.insert(QUOTE.to_owned(), name.name.clone());
    }
}

/// Whether a name is that of somebody for whom something is: "for Sarah", "for the lead Sarah".
fn is_for(text: &Tagged<'_>, mut at: usize) -> bool {
    while matches!(text.before(at), "the" | "our" | "new" | "lead" | "customer" | "client") {
        at -= 1;
    }
    text.before(at) == "for"
}

/// Returns the ids of the command: those of the part that says what to do come first.
fn ids<'f>(filling: &'f Filling<'_>) -> Vec<&'f SaidId> {
    let own = |it: &&SaidId| filling.clause.contains(&it.tokens.start);
    let all = filling.text.ids.iter().filter(|it| filling.tokens.contains(&it.tokens.start));
    let (mut first, rest): (Vec<&SaidId>, Vec<&SaidId>) = all.partition(own);
    first.extend(rest);
    first
}

/// Returns the ids of the first list of records of one kind: "q-204, q-205 and q-206".
pub(super) fn listed(text: &Tagged<'_>, tokens: &Range<usize>) -> Vec<String> {
    let mut list: Vec<&SaidId> = Vec::new();
    for id in text.ids.iter().filter(|it| tokens.contains(&it.tokens.start) && !it.id.is_empty()) {
        match list.last() {
            None => list.push(id),
            Some(last) => {
                let between = last.tokens.end..id.tokens.start;
                let joined =
                    between.clone().all(|at| matches!(text.word(at), "and" | "plus" | "also"));
                if !joined || id.kind != last.kind || between.len() > 1 {
                    break;
                }
                list.push(id);
            }
        }
    }
    list.into_iter().map(|it| it.id.clone()).collect()
}

/// Returns the member that is the record of the tool itself.
fn primary<'m>(filling: &Filling<'_>, members: &[&'m str]) -> Option<&'m str> {
    let required = members.iter().find(|it| filling.contract.input.requires(it));
    let own = kind_of_tool(&filling.contract.name);
    let named = members.iter().find(|it| Some(it.trim_end_matches("_id")) == own);
    required.or(named).copied()
}

/// Whether an id whose kind the member does not name may be meant: its kind is unknown.
fn fits(id: &SaidId, member: &str, filling: &Filling<'_>) -> bool {
    match id.kind {
        None => true,
        // A message of email is `msg_`, whatever it is called.
        Some(kind) => {
            member == "message_id" && matches!(kind, "message" | "comm")
                || member == "payment_id"
                    && kind == "payment"
                    && filling.contract.name.starts_with("payment")
        }
    }
}

/// Fills the record that something is about.
fn entity(filling: &Filling<'_>, call: &mut WantedCall, ids: &[&SaidId], used: &[&str]) {
    let members: Vec<&str> = filling.contract.input.members().collect();
    if !members.contains(&"entity_type") || !members.contains(&"entity_id") {
        return;
    }
    let own = kind_of_tool(&filling.contract.name);
    let about = ids.iter().find(|it| {
        it.kind.is_some() && it.kind != own && !used.contains(&it.id.as_str()) && !it.id.is_empty()
    });
    if let Some((id, kind)) = about.and_then(|it| Some((&it.id, it.kind?))) {
        call.input.insert("entity_id".to_owned(), id.clone().into());
        call.input.insert("entity_type".to_owned(), kind.into());
        return;
    }
    let given = super::super::id::given(filling.sources.context).filter(|it| it.kind != own);
    if let Some((id, kind)) = given.and_then(|it| Some((it.id, it.kind?))) {
        call.input.insert("entity_id".to_owned(), id.into());
        call.input.insert("entity_type".to_owned(), kind.into());
        return;
    }
    if filling.contract.input.requires("entity_type") {
        let words = filling.tokens.clone().rev().map(|at| filling.text.word(at));
        let kind = words.filter_map(super::super::id::noun_of).find(|kind| Some(*kind) != own);
        if let Some(kind) = kind {
            call.input.insert("entity_type".to_owned(), kind.into());
        }
    }
}

/// Takes a record from an earlier call: one that it works on, or one that it produces.
fn from_earlier(filling: &Filling<'_>, call: &mut WantedCall, member: &str) {
    let produces = |it: &WantedCall| {
        let contract = filling.sources.contracts.get(&it.tool);
        contract.is_some_and(|it| it.produces.iter().any(|name| name == member))
    };
    if let Some(at) = filling.earlier.iter().rposition(produces) {
        let value = ValueOf { call: at, member: member.to_owned() };
        call.refs.insert(member.to_owned(), value);
        return;
    }
    let made = filling.contract.name.ends_with(".create") && ids(filling).is_empty();
    if !filling.contract.input.requires(member) && !made {
        return;
    }
    for earlier in filling.earlier.iter().rev() {
        if let Some(value) = earlier.input.get(member) {
            call.input.insert(member.to_owned(), value.clone());
            return;
        }
        if let Some(value) = earlier.refs.get(member) {
            call.refs.insert(member.to_owned(), value.clone());
            return;
        }
        if let Some(name) = earlier.named.get(member) {
            call.named.insert(member.to_owned(), name.clone());
            return;
        }
    }
}

/// Keeps the name by which a record is meant: that of a person, or of a place.
fn named(filling: &Filling<'_>, call: &mut WantedCall, member: &str) {
    if call.named.contains_key(member)
        || filling.sources.context.get(member).is_some_and(Value::is_string)
    {
        return;
    }
    let text = filling.text;
    let within =
        |start: usize| filling.tokens.contains(&start) && !filling.content.contains(&start);
    let mut names = text.names.iter().filter(|it| within(it.tokens.start));
    let owner = names.clone().find(|it| it.owns).or_else(|| names.next());
    let place = || text.places.iter().chain(&text.addresses).find(|it| within(it.tokens.start));
    let name = owner.map(|it| it.name.clone()).or_else(|| place().map(|it| it.value.clone()));
    if let Some(name) = name.or_else(|| described(filling)) {
        call.named.insert(member.to_owned(), name);
    }
}

/// Returns the words between "the" and the word for a record: "the church hall invoice".
fn described(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let noun =
        filling.clause.clone().find(|&at| super::super::id::noun_of(text.word(at)).is_some())?;
    let first = (filling.clause.start..noun).rev().find(|&at| text.word(at) == "the")?;
    let plain = (first + 1..noun).all(|at| text.tags[at] == Tag::Word);
    let vague = (first + 1..noun).any(|at| {
        matches!(text.word(at), "new" | "last" | "whole" | "other" | "same" | "final" | "next")
    });
    (plain && !vague && noun > first + 1).then(|| text.said(first + 1..noun).to_owned())
}
