//! The domain of tradespeople: leads, customers, quotes, jobs, invoices and what else their work needs.
//!
//! The contract of a data-driven tool alone says what a call does to one table. One handler, [`DataTools`],
//! carries out the calls of all such tools. The other tools have code of their own, one module a domain.
//!
//! The following modules are pure: [`table`], [`cell`], [`ical`].
//! **Invariant:** only `data/` contains SQL.

pub mod cell;
pub mod data;
mod data_tool;
pub mod files;
pub mod ical;
pub mod insights;
mod page;
mod reference;
mod refusal;
pub mod table;
mod tool;

pub use data::migrations;
pub use data_tool::DataTools;
pub use tool::demo;
pub use tool::verbs;
