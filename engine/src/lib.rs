//! The durable engine of abide. It drives runs of compiled methods one checkpoint at a time,
//! so that a crash at any point loses no reply and sends no message twice.
//!
//! The pure half of the engine, which reads and checks methods, is the crate `abide-language`.
//! This crate re-exports the modules of that crate, so that a user of the engine needs only one dependency.

pub use abide_language::{
    base, contract, diagnostic, drawing, expr, method, planning, policy, proof, quality, template,
    words, yaml,
};

/// Boxes the future of an async function. The code of an unboxed future is compiled again in every crate
/// that awaits the future. The code of a boxed future is compiled once, in the crate of the function. So
/// the async functions that other crates call are boxed:
/// the façade, the API of the verbs, and the simulator's plays.
pub use async_recursion::async_recursion as boxed;

pub mod adapter;
pub mod archive;
pub mod clock;
pub mod domain;
pub mod driver;
pub mod erasure;
pub mod facade;
pub mod gateway;
pub mod ledger;
pub mod library;
pub mod model;
pub mod phone;
pub mod planted;
pub mod response;
pub mod run;
pub mod store;
pub mod verb;
