//! Builds valid inputs of a tool from the schema in its contract.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::Value;
use abide_engine::contract::{Contract, DataSource, Handler, Schema, XType};
use abide_trade::table::table;
use serde_json::{Map, json};

/// How many members an input has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Only those without which the schema refuses it.
    Required,
    /// All that the schema allows together.
    All,
}

/// Both extents.
pub(super) const EXTENTS: [Extent; 2] = [Extent::Required, Extent::All];

/// What the values of an input depend on besides the schema.
pub(super) struct Given<'a> {
    /// The ids of rows, by the names of [`row_of`].
    pub(super) rows: &'a BTreeMap<String, Value>,
    /// A number that no other input has, for values that must be unique.
    pub(super) number: u32,
}

/// The instant of a member that has no value of its own below; one hour before the tests begin.
const INSTANT: &str = "2025-09-30T09:00:00-05:00";

/// A picture of one pixel, as base64.
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJ\
    RU5ErkJggg==";

/// Values of members that mean more than their schema says, by the name of the member. A name with the
/// tool before it applies to this tool alone.
const NAMED: &[(&str, &str)] = &[
    ("ask.ball_sense.ahead", "2m"),
    ("ask.ball_sense.pred", "ball.within_radius"),
    ("ask.calendar_read.to", "2025-10-31T09:00:00-05:00"),
    ("ask.count_letters.letter", "g"),
    ("ask.eval_math.expr", "2+2"),
    ("ask.time_now.city", "Tokyo"),
    ("ask.time_now.tz", "Asia/Tokyo"),
    ("content", PICTURE),
    ("day_ends", "17:00"),
    ("ends_at", "2025-10-08T12:00:00-05:00"),
    ("entity_type", "lead"),
    ("invoice.send.template", "invoice_email"),
    ("payment.refund.amount", "1.00"),
    ("quote.send.template", "quote_email"),
    ("send_at", "2030-01-01T09:00:00-05:00"),
    ("since", "2025-10-01T09:00:00-05:00"),
    ("starts_at", "2025-10-08T09:00:00-05:00"),
    ("unit_price", "100.00"), // more than two payments of the amount in the candidates below
    ("until", "2025-10-31T09:00:00-05:00"),
];

/// Texts of which the first that the schema allows is taken. Add a text here for a new pattern or format.
const CANDIDATES: &[&str] = &[
    "Ridge capping",
    "10.00",
    "2025-10-07",
    "2025-07",
    "08:00",
    "roof_repair",
    "ana@example.com",
    "https://example.com/hook",
    "5f1d7a84db00d2fce00b31a7fc73224f5f1d7a84db00d2fce00b31a7fc73224f",
];

/// The members that hold a phone number, unless their schema has another form.
const PHONES: [&str; 2] = ["phone", "to"];

/// Members that hold ids of rows and have other names than the tools that make the rows return.
const ROWS: &[(&str, &str)] = &[("refund_of", "payment_id")];

/// Members that end with `_id` and name nothing in this program.
const FOREIGN: &[&str] = &["folder_id"];

/// Members that apply only to a row in another state than the other members do. An input with all members
/// leaves them out.
const OTHER_STATE: &[(&str, &str)] = &[("quote.update", "status")];

/// Returns the name of a row's id in the result of the tool that makes the row, if a member holds
/// such an id.
pub(super) fn row_of(contract: &Contract, member: &str) -> Option<String> {
    if member == "entity_id" && contract.input.member("entity_type").is_some() {
        return Some("lead_id".to_owned());
    }
    if let Some((_, row)) = ROWS.iter().find(|(name, _)| *name == member) {
        return Some((*row).to_owned());
    }
    if member == "after" && !matches!(contract.handler, Handler::Data(_)) {
        return contract.domain().map(|domain| format!("{domain}_id"));
    }
    (member.ends_with("_id") && !FOREIGN.contains(&member)).then(|| member.to_owned())
}

/// Returns the members of an input of this extent.
pub(super) fn members(contract: &Contract, extent: Extent) -> BTreeSet<String> {
    let schema = contract.input.value();
    let choices: Vec<Vec<String>> =
        list(&schema["oneOf"]).map(|choice| names(&choice["required"]).collect()).collect();
    let mut members: BTreeSet<String> = names(&schema["required"]).collect();
    members.extend(choices.first().into_iter().flatten().cloned());
    let excluded = |member: &str| {
        OTHER_STATE.contains(&(contract.name.as_str(), member))
            || choices.iter().skip(1).flatten().any(|other| other == member)
    };
    let least = match extent {
        Extent::Required => schema["minProperties"].as_u64().unwrap_or(0),
        Extent::All => u64::MAX,
    };
    for member in contract.input.members().filter(|member| !excluded(member)) {
        if (members.len() as u64) < least {
            members.insert(member.to_owned());
            members.extend(names(&schema["dependentRequired"][member]));
        }
    }
    members
}

/// Builds a valid input.
///
/// # Errors
/// What keeps a member from having a value.
pub(super) fn input(
    contract: &Contract,
    extent: Extent,
    given: &Given<'_>,
) -> Result<Value, String> {
    let mut input = Map::new();
    for member in members(contract, extent) {
        let schema = contract.input.member(&member).ok_or("a required member has no schema")?;
        let place = Place { contract, member: &member, given };
        input.insert(member.clone(), place.value(schema)?);
    }
    let input = Value::Object(input);
    contract.check_args(&input).map_err(|problem| problem.message)?;
    Ok(input)
}

/// Returns the types that a schema allows.
pub(super) fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(name) => vec![name],
        names => list(names).filter_map(Value::as_str).collect(),
    }
}

/// Returns the texts of which a valid value may be one.
pub(super) fn candidates() -> impl Iterator<Item = &'static str> {
    CANDIDATES.iter().copied()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn names(value: &Value) -> impl Iterator<Item = String> {
    list(value).filter_map(Value::as_str).map(str::to_owned)
}

/// A member of an input that needs a value.
#[derive(Clone, Copy)]
struct Place<'a> {
    contract: &'a Contract,
    member: &'a str,
    given: &'a Given<'a>,
}

impl<'a> Place<'a> {
    /// Returns a value that the schema allows.
    fn value(self, schema: &'a Value) -> Result<Value, String> {
        if !schema["const"].is_null() {
            return Ok(schema["const"].clone());
        }
        let allowed = list(&schema["examples"]).chain(list(&schema["enum"]));
        if let Some(first) = allowed.into_iter().next() {
            return Ok(first.clone());
        }
        match types(schema).into_iter().find(|name| *name != "null") {
            Some("string") => self.text(schema),
            Some("integer") => {
                let least = schema["minimum"].as_i64().unwrap_or(1);
                Ok(json!(
                    schema["maximum"].as_i64().map_or(least.max(1), |most| most.min(least.max(1)))
                ))
            }
            Some("number") => Ok(schema["minimum"].as_f64().unwrap_or(1.0).into()),
            Some("boolean") => Ok(true.into()),
            Some("array") => self.array(schema),
            Some("object") => self.object(schema),
            _ => Err(format!("`{}` has a schema without a type: {schema}", self.member)),
        }
    }

    fn array(self, schema: &'a Value) -> Result<Value, String> {
        let count = schema["minItems"].as_u64().unwrap_or(1).max(1);
        let items = (0..count).map(|_| self.value(&schema["items"]));
        Ok(Value::Array(items.collect::<Result<_, String>>()?))
    }

    fn object(self, schema: &'a Value) -> Result<Value, String> {
        let Some(properties) = schema["properties"].as_object() else {
            return Ok(json!({ "colour": "red" }));
        };
        let members = properties
            .iter()
            .map(|(member, schema)| Ok((member.clone(), Place { member, ..self }.value(schema)?)));
        Ok(Value::Object(members.collect::<Result<_, String>>()?))
    }

    /// Returns the id of a row, a text that fits the name of the member, or the first text that the schema
    /// allows.
    fn text(self, schema: &Value) -> Result<Value, String> {
        if let Some(row) = row_of(self.contract, self.member) {
            let id = self.given.rows.get(&row);
            return id.cloned().ok_or_else(|| format!("no row has been made for `{row}`"));
        }
        if self.member == "after" {
            return self.newest();
        }
        let own = format!("{}.{}", self.contract.name, self.member);
        let named = NAMED.iter().filter(|(name, _)| *name == own || *name == self.member);
        let mut texts: Vec<String> = named.map(|(_, text)| (*text).to_owned()).collect();
        if PHONES.contains(&self.member) {
            texts.push(format!("+61400{:06}", 100_000 + self.given.number));
        }
        match XType::of(schema) {
            Some(XType::Instant) => texts.push(INSTANT.to_owned()),
            Some(kind) if texts.is_empty() => {
                return Err(format!("`{}`: no text for x-type {kind:?}", self.member));
            }
            Some(_) => {}
            None => texts.extend(candidates().map(str::to_owned)),
        }
        let least = schema["minLength"].as_u64().and_then(|least| usize::try_from(least).ok());
        texts.push("a".repeat(least.unwrap_or(1)));
        let rules = Schema::compile(schema.clone()).map_err(|fault| fault.to_string())?;
        let fitting = texts.into_iter().map(Value::from).find(|text| rules.check(text).is_ok());
        fitting.ok_or_else(|| {
            let place = "add one to `CANDIDATES` in tests/src/trade/generated/input.rs";
            format!("no text fits the schema of `{}`: {place}: {schema}", self.member)
        })
    }

    /// Returns the highest id of the rows that a data-driven list shows, so that all rows come after it.
    fn newest(self) -> Result<Value, String> {
        let Handler::Data(tool) = &self.contract.handler else {
            return Err("only data-driven tools have such ids".to_owned());
        };
        let prefix = match &tool.source {
            DataSource::Table(name) => table(name)?.prefix,
            DataSource::Collection(_) => table(abide_trade::table::RECORDS)?.prefix,
        };
        Ok(format!("{prefix}_{}", "f".repeat(32)).into())
    }
}
