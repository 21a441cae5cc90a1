//! Parses and checks the source of a scenario file.

use std::collections::BTreeMap;

use abide_engine::base::{Span, Timestamp, Value};
use abide_engine::diagnostic::{Diagnostic, Source, codes};
use abide_engine::yaml::{self, YamlNode};
use abide_verbs::api::people::PERSON_FIELDS;

use super::reader::{MappingFields, ScenarioReader, code};
use super::settings::config;
use super::words::DEMOS;
use super::{OwnPerson, People, Scenario, check, expect, step, zone};

const KEYS: &[&str] = &[
    "scenario",
    "description",
    "start",
    "time_zone",
    "seed",
    "people",
    "config",
    "steps",
    "expect",
];

/// Parses and checks a scenario. Returns all findings, and the scenario,
/// or `None` instead of the scenario if a finding is an error.
#[must_use]
pub fn read(file: &str, text: &str) -> (Option<Scenario>, Vec<Diagnostic>) {
    let source = Source::new(file, text);
    let (root, found) = yaml::read(&source);
    let mut reader = ScenarioReader::new(&source, found);
    let scenario = root.and_then(|root| {
        let scenario = document(&mut reader, file, &root)?;
        check::check(&mut reader, &scenario, &root.at);
        Some(scenario)
    });
    let found = reader.finish();
    let sound = !found.iter().any(Diagnostic::is_error);
    (scenario.filter(|_| sound), found)
}

fn document(reader: &mut ScenarioReader<'_>, file: &str, root: &YamlNode) -> Option<Scenario> {
    let fields = reader.fields(root, "a scenario", KEYS)?;
    let name = reader.required_text(&fields, "scenario");
    let start = reader.required(&fields, "start").and_then(|node| reader.instant(node));
    let zone = zone::of(reader, &fields, start);
    let people = fields.get("people").map_or_else(People::default, |node| people(reader, node));
    let config = fields.get("config").map_or_else(BTreeMap::new, |node| config(reader, node));
    // Read scenario steps and expectations even without a valid `start`, so that all findings are reported.
    let origin = start.unwrap_or(Timestamp::EPOCH);
    let steps = steps(reader, &fields, origin);
    let expect = fields.get("expect").map_or_else(Vec::new, |node| {
        let items = reader.list(node, "expectations");
        items.iter().filter_map(|item| expect::expectation(reader, item, origin)).collect()
    });
    let seed = fields.get("seed").map_or(Some(0), |node| reader.count(node));
    Some(Scenario {
        name: name?,
        description: reader.text_of(&fields, "description"),
        file: file.to_owned(),
        start: start?,
        zone: zone?,
        seed: seed?,
        people,
        config,
        other_tenants: Vec::new(),
        steps,
        expect,
    })
}

fn steps(
    reader: &mut ScenarioReader<'_>,
    fields: &MappingFields<'_>,
    start: Timestamp,
) -> Vec<super::ScenarioStep> {
    let Some(node) = reader.required(fields, "steps") else { return Vec::new() };
    let mut steps: Vec<super::ScenarioStep> = Vec::new();
    let mut reached = Span::ZERO;
    for item in reader.list(node, "steps") {
        let Some(step) = step::step(reader, item, start, reached) else { continue };
        if step.at < reached {
            let hint = "move it up: steps run in order of time".to_owned();
            let message = "this step is earlier than the one above it";
            reader.warning(&item.at, code::OUT_OF_ORDER, message, hint);
        }
        reached = step.at;
        steps.push(step);
    }
    steps.sort_by_key(|step| step.at);
    steps
}

fn people(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> People {
    if matches!(node.kind, yaml::YamlKind::List(_)) {
        return People { demo: None, own: own_people(reader, node) };
    }
    let Some(fields) = reader.fields(node, "`people`", &["demo", "also", "many"]) else {
        return People::default();
    };
    let demo = fields.get("demo").and_then(|node| reader.word(node, &DEMOS));
    let mut own = fields.get("also").map_or_else(Vec::new, |node| own_people(reader, node));
    own.extend(fields.get("many").and_then(|node| many(reader, node)).unwrap_or_default());
    People { demo, own }
}

/// Maximum value of `count` in the mapping `many`, which generates people.
const MANY_MAX: u64 = 10_000;

/// Reads `many`: generates `count` people with the names `Guest1`, `Guest2` and so on.
/// Each of them has a phone number of their own.
fn many(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<Vec<OwnPerson>> {
    let fields = reader.fields(node, "`many`", &["count", "roles"])?;
    let counted = reader.required(&fields, "count")?;
    let count = reader.count(counted)?;
    if count > MANY_MAX {
        let message = format!("`count` is more than {MANY_MAX}");
        reader.error(&counted.at, codes::WRONG_VALUE, message, None);
        return None;
    }
    let roles = fields.get("roles").map_or(Value::Array(Vec::new()), YamlNode::to_value);
    let place = reader.place(&node.at);
    let guest = |n: u64| {
        let (name, phone) = (format!("Guest{n}"), format!("+17132{n:06}"));
        let record = Value::Object(
            [("name", Value::from(name.as_str())), ("phone", Value::from(phone.as_str()))]
                .into_iter()
                .chain([("roles", roles.clone())])
                .map(|(member, value)| (member.to_owned(), value))
                .collect(),
        );
        OwnPerson { name, phone, record, place }
    };
    Some((1..=count).map(guest).collect())
}

fn own_people(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Vec<OwnPerson> {
    let mut people = Vec::new();
    for item in reader.list(node, "people") {
        let Some(fields) = reader.fields(item, "a person", &PERSON_FIELDS) else { continue };
        let name = reader.required_text(&fields, "name");
        let phone = reader.required_text(&fields, "phone");
        if let (Some(name), Some(phone)) = (name, phone) {
            let mut record = item.to_value();
            if let Value::Object(members) = &mut record {
                // YAML reads an unquoted `+1512…` as a number,
                // so restore the phone number as the author wrote it.
                members.insert("phone".to_owned(), Value::String(phone.clone()));
            }
            people.push(OwnPerson { name, phone, record, place: reader.place(&item.at) });
        }
    }
    people
}
