//! `abide schema [NAME]`: the JSON Schemas of the files that people write, for their editors.

use abide_engine::method;
use serde_json::{Value, json};

use super::{Context, Outcome};
use crate::cli::SchemaArgs;
use crate::exit::Exit;
use crate::output;

/// Name, what it describes, and the schema.
const SCHEMAS: &[(&str, &str, fn() -> Value)] = &[("method", "a method", method::schema)];

pub(super) fn run(context: &Context, args: &SchemaArgs) -> Outcome {
    if let Some(name) = &args.name {
        let named = SCHEMAS.iter().filter(|(known, ..)| known == name);
        named.for_each(|(_, _, schema)| output::json(&schema()));
        return Ok(Exit::Done);
    }
    let all = SCHEMAS.iter().map(|(name, what, _)| json!({ "name": name, "describes": what }));
    if !context.json(&all.collect()) {
        SCHEMAS.iter().for_each(|(name, what, _)| output::line(format_args!("{name}  {what}")));
    }
    Ok(Exit::Done)
}
