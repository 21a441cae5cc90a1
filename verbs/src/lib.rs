//! The church's side of abide: people, requests, offers and assignments, the verbs that change
//! them, and the small reader of texts.
//!
//! Pure: [`transition`], [`request`], [`offer`], [`assignment`], [`ask`], [`directory`],
//! [`inbox`], [`knowledge`], [`reader`].
//! **Invariant:** SQL stands under `data/` alone.

pub mod api;
pub mod ask;
pub mod assignment;
pub mod data;
pub mod desk;
pub mod directory;
pub mod domain;
pub mod inbox;
pub mod knowledge;
pub mod offer;
pub mod reader;
pub mod request;
pub mod transition;
pub mod verb;

pub use data::migrations;
pub use domain::ChurchDomain;
