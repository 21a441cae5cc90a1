//! The method language of abide. It reads, checks, compiles, proves and draws methods,
//! templates and contracts, without a clock, randomness, IO or async.
//!
//! The layers from the lowest to the highest are: [`base`]; [`diagnostic`] and [`yaml`];
//! [`expr`], [`contract`] and [`template`]; [`method`], [`policy`] and [`quality`]; [`proof`],
//! [`drawing`] and [`planning`].

pub mod base;
pub mod contract;
pub mod diagnostic;
pub mod drawing;
pub mod expr;
pub mod method;
pub mod planning;
pub mod policy;
pub mod proof;
pub mod quality;
pub mod template;
pub mod yaml;
