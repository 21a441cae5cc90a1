//! The church domain of abide: people, requests, offers and assignments, the verbs that change them,
//!
//! The following modules are pure: [`transition`], [`request`], [`offer`], [`assignment`], [`ask`],
//! [`directory`], [`event`], [`inbox`], [`knowledge`], [`service`].
//! **Invariant:** only `data/` contains SQL.

pub mod api;
pub mod ask;
pub mod assignment;
pub mod data;
pub mod directory;
pub mod domain;
pub mod event;
pub mod inbox;
pub mod judge;
pub mod knowledge;
pub mod offer;
pub mod operations;
pub mod request;
pub mod service;
pub mod transition;
pub mod verb;

pub use abide_agent::staff::{Intents, WeightsCache};
pub use data::migrations;
pub use domain::ChurchDomain;
