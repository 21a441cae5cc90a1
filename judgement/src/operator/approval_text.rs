//! Says what a plan would do, for the person who must approve it: which records, for whom, at which sum, and when.

use abide_engine::base::{Timestamp, Value, text};
use abide_engine::contract::Contracts;
use jiff::tz::TimeZone;

use super::evidence::Evidence;
use super::named::OWNERS;
use super::plan::{PlannedToolCall, RunPlan, required_of};
use super::said::noun_and_verb;

/// Maximum number of characters of the whole, of a name and of the words of a text in it.
const CHARS_MAX: usize = 700;
const NAME_CHARS_MAX: usize = 60;
const WORDS_CHARS_MAX: usize = 160;
/// The members by which a record is named.
const NAMES: [&str; 4] = ["title", "name", "description", "number"];
/// The members that hold the words of a text or an email.
const WORDS: [&str; 3] = ["body", "message", "subject"];

/// What the question of an approval is written from.
pub(super) struct ApprovalText<'p> {
    pub(super) plan: &'p RunPlan,
    pub(super) contracts: &'p Contracts,
    pub(super) evidence: &'p Evidence,
    pub(super) zone: &'p TimeZone,
}

impl ApprovalText<'_> {
    /// Says what the plan would do.
    pub(super) fn in_words(&self) -> String {
        let said: Vec<String> = self.plan.calls.iter().map(|call| self.call(call)).collect();
        text::shortened(&said.join(", then "), CHARS_MAX)
    }

    fn call(&self, call: &PlannedToolCall) -> String {
        let (noun, verb) = noun_and_verb(&call.tool);
        let member = |of: Option<&Value>, names: &[&str]| {
            let found = names.iter().find_map(|name| of?.get(*name)?.as_str());
            found.map(|found| text::shortened(&found.replace('\n', " "), NAME_CHARS_MAX))
        };
        let input = Value::Object(call.input.clone());
        let record = self.evidence.records.get(&call.step_id);
        let mut said = format!("{verb} the {noun}");
        let own = member(Some(&input), &NAMES);
        if let Some(name) = &own {
            said.push_str(&format!(" \"{name}\""));
        }
        let kind = self.kind_of_record(call).filter(|kind| *kind != noun);
        if let Some(title) = member(record, &NAMES).filter(|title| own.as_ref() != Some(title)) {
            match kind {
                Some(kind) => said.push_str(&format!(" of the {kind} \"{title}\"")),
                None => said.push_str(&format!(" \"{title}\"")),
            }
        }
        let owner = member(Some(&input), &OWNERS).or_else(|| member(record, &OWNERS));
        let owner = owner.and_then(|id| self.evidence.people.get(&id));
        if let Some(person) = owner {
            said.push_str(&format!(" for {}", person.name));
        }
        if let Some(total) = member(record, &["total"]) {
            said.push_str(&format!(", ${total}"));
        }
        let mailed = call.tool.starts_with("email.") && !call.input.contains_key("to");
        if let Some(address) = owner.and_then(|it| it.email.as_ref()).filter(|_| mailed) {
            said.push_str(&format!(", to {address}"));
        }
        let (ends, others): (Vec<_>, Vec<_>) =
            call.input.iter().partition(|(name, _)| *name == "ends_at"); // when it begins comes first
        for (name, value) in others.into_iter().chain(ends) {
            if let Some(detail) = self.detail(name, value) {
                said.push_str(&detail);
            }
        }
        said
    }

    /// Returns the kind of the record that a call works on, such as `quote`.
    fn kind_of_record(&self, call: &PlannedToolCall) -> Option<String> {
        let contract = self.contracts.get(&call.tool)?;
        let member = required_of(contract).find(|name| name.ends_with("_id"))?;
        Some(member.trim_end_matches("_id").replace('_', " "))
    }

    /// Says what else the input of a call holds.
    fn detail(&self, name: &str, value: &Value) -> Option<String> {
        let is_said = NAMES.contains(&name) || name.ends_with("_id") || name == "entity_type";
        if is_said || value.is_null() {
            return None;
        }
        let shown = match value.as_str() {
            Some(said) => said.replace('\n', " "),
            None => value.to_string(),
        };
        if WORDS.contains(&name) {
            return Some(format!(": \"{}\"", text::shortened(&shown, WORDS_CHARS_MAX)));
        }
        let shown = text::shortened(&shown, NAME_CHARS_MAX);
        let at = name.ends_with("_at").then(|| shown.parse::<Timestamp>().ok()).flatten();
        Some(match (name, at) {
            ("starts_at" | "send_at", Some(at)) => format!(", {}", self.clock(at)),
            ("ends_at", Some(at)) => format!(" until {}", self.clock(at)),
            ("to", _) => format!(", to {shown}"),
            _ => format!(", {} {shown}", name.replace('_', " ")),
        })
    }

    fn clock(&self, at: Timestamp) -> String {
        let local = at.to_jiff().to_zoned(self.zone.clone());
        local.strftime("%a %-d %b %-I:%M %P").to_string()
    }
}
