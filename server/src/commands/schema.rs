//! `abide schema [KIND]`: prints the JSON Schemas of methods and scenarios, for editors.

use abide_engine::method;
use abide_simulator::scenario;
use serde_json::{Value, json};

use super::{Context, Outcome};
use crate::cli::SchemaArgs;
use crate::exit::Exit;
use crate::output;

/// A kind of file with its schema.
struct Kind {
    name: &'static str,
    describes: &'static str,
    schema: fn() -> Value,
}

const KINDS: &[Kind] = &[
    Kind { name: "method", describes: "a method", schema: method::schema },
    Kind { name: "scenario", describes: "a scenario", schema: scenario::schema },
];

pub(super) fn run(context: &Context, args: &SchemaArgs) -> Outcome {
    if let Some(name) = &args.name {
        let named = KINDS.iter().filter(|kind| kind.name == name);
        named.for_each(|kind| output::json(&(kind.schema)()));
        return Ok(Exit::Done);
    }
    let all = KINDS.iter().map(|kind| json!({ "name": kind.name, "describes": kind.describes }));
    if !context.json(&all.collect()) {
        KINDS.iter().for_each(|kind| {
            output::line(format_args!("{}  {}", kind.name, kind.describes));
        });
    }
    Ok(Exit::Done)
}
