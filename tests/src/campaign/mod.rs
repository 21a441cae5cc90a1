//! Tests of campaigns through the engine's API.
//! The engine works inline, with a virtual clock and a loopback provider.

pub(crate) mod api;
mod asks;
mod barrier;
pub(crate) mod church;
mod conflict;
mod deadline;
mod delivery;
mod editing;
mod failure;
mod folding;
mod fork;
mod inbound;
mod keyed;
mod limits;
mod lost;
mod optout;
mod orders;
pub(crate) mod probe;
mod race;
mod receipts;
mod scale;
mod seed;
mod settings;
mod skip;
mod switch;
mod two_roles;
