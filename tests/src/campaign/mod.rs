//! Tests of campaigns through the engine's API.
//! The function that makes a run due also drives the run, before it returns.
//! The engine has a virtual clock and a loopback provider.

pub(crate) mod api;
mod approvals;
mod ask_order;
mod asks;
mod awaits;
mod barrier;
pub(crate) mod church;
mod computed_ends;
mod conflict;
mod deadline;
mod delivery;
mod editing;
pub(crate) mod erasure;
mod failure;
mod folding;
mod fork;
mod goals;
mod inbound;
mod keyed;
mod limits;
mod lost;
mod optout;
mod orders;
pub(crate) mod probe;
pub(crate) mod race;
mod receipts;
mod scale;
mod seed;
mod settings;
mod skip;
mod switch;
mod together;
mod two_roles;
