//! YAML with spans, read in bounded time and memory: the only place that knows the parser.
//!
//! Anything that is not plain data is refused with a place and a remedy. Numbers with leading
//! zeros and words such as `yes` stay text; a key that stands twice is a finding, not a choice.

mod fault;
mod node;
mod read;

pub use node::{Kind, Member, Node};
pub use read::{read, text_of};
