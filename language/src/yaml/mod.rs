//! Reads YAML into a tree with byte ranges, in bounded time and memory.
//! No other module uses the YAML parser.
//!
//! A merge key, a second document, or a key that is not a string is an error with
//! a position and a remedy. Numbers with leading zeros and words such as `yes`
//! are read as strings. A duplicate key is an error, so neither of its values takes effect.

mod fault;
mod location;
mod node;
mod read;

pub use node::{Member, YamlKind, YamlNode};
pub use read::{read, text_of};
