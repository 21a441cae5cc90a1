//! Takes the input of a call from a text and its context, by the schema of the tool's contract.
//!
//! A member is filled only with what the text or the context says. A member without a value stays absent.

mod body;
mod choice;
mod figure;
mod item;
mod lead;
mod line;
mod period;
mod person;
mod record;
mod span;
mod tag;
mod title;
mod words;

use std::ops::Range;

use abide_language::contract::{Contract, Contracts, XType};
use serde_json::{Map, Value};

use super::command::Command;
use super::content;
use super::intents::OperatorIntents;
use super::reading::WantedCall;
use super::tag::Tagged;

/// Maximum number of characters of a value that is taken from a text.
const VALUE_CHARS_MAX: usize = 2_000;

/// What all calls of a text are filled from.
pub(super) struct Sources<'s> {
    pub(super) text: &'s Tagged<'s>,
    pub(super) context: &'s Map<String, Value>,
    pub(super) contracts: &'s Contracts,
    pub(super) intents: &'s OperatorIntents,
}

/// A call that is being filled.
struct Filling<'f> {
    sources: &'f Sources<'f>,
    text: &'f Tagged<'f>,
    contract: &'f Contract,
    /// The whole command.
    tokens: Range<usize>,
    /// The part that says what to do.
    clause: Range<usize>,
    /// The words that the command passes on.
    content: Range<usize>,
    /// The calls before it.
    earlier: &'f [WantedCall],
}

/// The values of a call, and what of its text was said differently: a phone.
pub(super) struct Filled {
    pub(super) call: WantedCall,
    /// Values as they were said, by member.
    pub(super) said: Map<String, Value>,
}

/// Fills the input of a tool that a command wants.
pub(super) fn call(
    sources: &Sources<'_>,
    command: &Command,
    contract: &Contract,
    earlier: &[WantedCall],
) -> Filled {
    let start = content::start(sources.text, command.clause.clone())
        .or_else(|| content::start(sources.text, command.tokens.clone()));
    let content = start.map_or(command.tokens.end..command.tokens.end, |at| at..command.tokens.end);
    let filling = Filling {
        sources,
        text: sources.text,
        contract,
        tokens: command.tokens.clone(),
        clause: command.clause.clone(),
        content,
        earlier,
    };
    filling.fill()
}

/// Returns the same call for each further record of a list: "finalise q-204 and q-205".
pub(super) fn further(
    sources: &Sources<'_>,
    command: &Command,
    contract: &Contract,
    call: &WantedCall,
) -> Vec<WantedCall> {
    let listed = record::listed(sources.text, &command.tokens);
    let Some((first, others)) = listed.split_first() else { return Vec::new() };
    let member = call.input.iter().find(|(member, value)| {
        contract.input.requires(member)
            && member.ends_with("_id")
            && value.as_str() == Some(first.as_str())
    });
    let Some((member, _)) = member else { return Vec::new() };
    let with = |id: &String| {
        let mut call = call.clone();
        call.input.insert(member.clone(), id.clone().into());
        call
    };
    others.iter().map(with).collect()
}

impl Filling<'_> {
    fn fill(&self) -> Filled {
        let mut filled = Filled {
            call: WantedCall { tool: self.contract.name.clone(), ..WantedCall::default() },
            said: Map::new(),
        };
        record::fill(self, &mut filled.call);
        if self.contract.name == "leads.create" || self.contract.name == "customer.create" {
            lead::fill(self, &mut filled);
        }
        let members: Vec<&str> = self.contract.input.members().collect();
        for member in members {
            if filled.call.provides(member) {
                continue;
            }
            let schema = self.contract.input.member(member).unwrap_or(&Value::Null);
            let value = self.value(member, schema, &mut filled.said);
            if let Some(value) = value.filter(|it| is_of(it, schema)) {
                filled.call.input.insert(member.to_owned(), value);
            }
        }
        self.add_context(&mut filled.call);
        self.linked(&mut filled.call);
        filled
    }

    /// Returns what the text says for a member.
    fn value(&self, member: &str, schema: &Value, said: &mut Map<String, Value>) -> Option<Value> {
        if let Some(chosen) = self.chosen_by_home(member) {
            return Some(chosen);
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return choice::find(self, member, values).map(Value::from);
        }
        if member.ends_with("_id") || member == "entity_type" {
            return None; // `record` has done it
        }
        let is_date = schema.get("format").and_then(Value::as_str) == Some("date");
        if is_date || XType::of(schema) == Some(XType::Instant) {
            return period::find(self, member, is_date).map(Value::from);
        }
        if matches!(member, "from_month" | "to_month") {
            return period::month(self, member).map(Value::from);
        }
        if let Some(phone) = self.phone(member) {
            said.insert(member.to_owned(), phone.said.clone().into());
            return phone.number.clone().map(Value::from);
        }
        figure::find(self, member, schema).or_else(|| words::find(self, member, schema))
    }

    /// Returns the phone that a member takes.
    fn phone(&self, member: &str) -> Option<&super::phone::SaidPhone> {
        let takes = match member {
            "phone" => true,
            "to" => self.contract.consumes.iter().any(|it| it == "phone"),
            "contact" => !self.contract.name.ends_with(".log"),
            _ => false,
        };
        // A corrected number is the last one: "0400 123 456, sorry, 0400 123 457".
        let mut own = self.text.phones.iter().filter(|it| self.tokens.contains(&it.tokens.start));
        takes.then(|| own.next_back()).flatten()
    }

    /// Returns the value that words of a home's intent choose.
    fn chosen_by_home(&self, member: &str) -> Option<Value> {
        let words = crate::text::words(self.text.said(self.tokens.clone())).join(" ");
        let spoken = crate::text::padded(&words);
        let choices = self.sources.intents.choices(&self.contract.name, member);
        let named = choices.filter(|it| it.words.iter().any(|it| crate::text::has(&spoken, it)));
        let longest = |it: &&crate::staff::Choice| it.words.iter().map(String::len).max();
        named.max_by_key(longest).map(|it| it.value.clone().into())
    }

    /// Adds what only the context says.
    fn add_context(&self, call: &mut WantedCall) {
        for member in self.contract.input.members() {
            if call.provides(member) || call.named.contains_key(member) {
                continue;
            }
            let schema = self.contract.input.member(member).unwrap_or(&Value::Null);
            let value = self.sources.context.get(member);
            if let Some(value) = value.filter(|it| !it.is_null() && is_of(it, schema)) {
                call.input.insert(member.to_owned(), value.clone());
            }
        }
    }

    /// Drops one of two members that must stand together if the other is missing.
    fn linked(&self, call: &mut WantedCall) {
        let rules = self.contract.input.value().get("dependentRequired").and_then(Value::as_object);
        for (member, others) in rules.into_iter().flatten() {
            let others = others.as_array().into_iter().flatten().filter_map(Value::as_str);
            if others.into_iter().any(|other| !call.provides(other))
                && !self.contract.input.requires(member)
            {
                call.input.remove(member);
                call.refs.remove(member);
            }
        }
    }

    /// Returns the words of these tokens as somebody else is to read them: with the mark at their end.
    fn spoken(&self, tokens: Range<usize>) -> Option<String> {
        let end = tokens.end.checked_sub(1).and_then(|at| self.text.tokens.get(at));
        let mark = end.and_then(|last| self.text.text.get(last.bytes.end..)?.chars().next());
        let mark = mark.filter(|mark| matches!(mark, '?' | '!'));
        self.said(tokens).map(|said| said.chars().chain(mark).collect())
    }

    /// Returns the words of these tokens as a value.
    fn said(&self, tokens: Range<usize>) -> Option<String> {
        let said = self.text.said(tokens).trim();
        let end = said.char_indices().nth(VALUE_CHARS_MAX).map_or(said.len(), |(at, _)| at);
        (!said.is_empty()).then(|| said[..end].to_owned())
    }
}

/// Whether a value has the JSON type and the length that a schema asks for.
fn is_of(value: &Value, schema: &Value) -> bool {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let fits = |one: &&str| match *one {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    };
    let limit =
        |key: &str| schema.get(key).and_then(Value::as_u64).and_then(|it| usize::try_from(it).ok());
    let short = value.as_str().is_none_or(|it| {
        let length = it.chars().count();
        limit("maxLength").is_none_or(|most| length <= most)
            && limit("minLength").is_none_or(|least| length >= least)
    });
    let listed = schema.get("enum").and_then(Value::as_array).is_none_or(|all| all.contains(value));
    short && listed && (types.is_empty() || types.iter().any(fits))
}
