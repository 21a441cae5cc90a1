//! The durable core of abide: methods compile into step graphs, runs move through them one
//! checkpoint at a time, and a crash anywhere loses no reply and doubles no message.
//!
//! Pure modules (no clock, no randomness, no IO): [`base`] apart from its clock.

pub mod base;
pub mod contract;
pub mod diagnostic;
pub mod domain;
pub mod drawing;
pub mod driver;
pub mod engine;
pub mod expr;
pub mod gateway;
pub mod ledger;
pub mod library;
pub mod method;
pub mod policy;
pub mod proof;
pub mod run;
pub mod store;
pub mod template;
pub mod verb;
pub mod yaml;
