//! The method language of abide, without a clock, randomness, IO or async: it reads, checks, compiles,
//! proves and draws methods, templates and contracts.
//!
//! Lower modules come first in the layering: [`base`], then [`diagnostic`] and [`yaml`], then [`expr`],
//! [`contract`] and [`template`], then [`method`] and [`policy`], and on top [`proof`] and [`drawing`].

pub mod base;
pub mod contract;
pub mod diagnostic;
pub mod drawing;
pub mod expr;
pub mod method;
pub mod policy;
pub mod proof;
pub mod template;
pub mod yaml;
