//! The embedded SQLite database: one writing connection and several reading connections. A statement runs on the
//! thread that calls it. So the work of a connection has a thread that may block: see [`on_a_thread`].

mod link;
mod open;
mod readers;
mod row;
mod thread;

pub(super) use link::Link;
pub use open::Durability;
pub(super) use open::{open, peek};
pub(super) use readers::Readers;
pub(super) use row::SqliteRow;
pub(super) use thread::{has_threads, on_a_thread};
