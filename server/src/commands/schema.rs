//! `abide schema [KIND]`: prints the JSON Schemas of methods, scenarios, contracts and packs, for editors,
//! and of the packets that methods of the packs take.

use abide_engine::{contract, method};
use abide_simulator::scenario;
use serde_json::{Value, json};

use super::context::{CommandResult, Context};
use crate::cli::SchemaArgs;
use crate::exit::Exit;
use crate::output;
use crate::pack;

/// A kind of file with its schema.
struct FileSchema {
    name: &'static str,
    about: &'static str,
    schema: fn() -> Value,
}

const SCHEMAS: &[FileSchema] = &[
    FileSchema { name: "method", about: "a method", schema: method::schema },
    FileSchema { name: "scenario", about: "a scenario", schema: scenario::schema },
    FileSchema {
        name: "tool",
        about: "a file of contracts of tools",
        schema: contract::file_schema,
    },
    FileSchema { name: "pack", about: "the file `pack.yaml` of a pack", schema: pack::schema },
    FileSchema {
        name: "inspection_packet_v1",
        about: "the goal of the method `inspection_packet` of the pack of the trade",
        schema: inspection_packet,
    },
];

fn inspection_packet() -> Value {
    let text = include_str!("../../../contracts/inspection_packet_v1.schema.json");
    serde_json::from_str(text).unwrap_or_default() // a test compares it with the goal of the method
}

pub(super) fn run(context: &Context, args: &SchemaArgs) -> CommandResult {
    if let Some(name) = &args.name {
        let named = SCHEMAS.iter().filter(|kind| kind.name == name);
        named.for_each(|kind| output::json(&(kind.schema)()));
        return Ok(Exit::Success);
    }
    let all = SCHEMAS.iter().map(|kind| json!({ "name": kind.name, "describes": kind.about }));
    if !context.json(&all.collect()) {
        SCHEMAS.iter().for_each(|kind| {
            output::line(format_args!("{}  {}", kind.name, kind.about));
        });
    }
    Ok(Exit::Success)
}
