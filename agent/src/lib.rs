//! Understands what people text: what a volunteer's reply means, and what staff ask for.
//!
//! The reader is deterministic and needs no network. A linear classifier, whose weights are a file of this crate,
//! proposes a meaning; rules decide what must never be missed, such as an opt-out. All functions are pure.

use abide_language::words;

pub mod agenda;
pub mod church;
pub mod classify;
pub mod examples;
pub mod language;
pub mod mention;
pub mod number;
pub mod obligations;
pub mod operator;
pub mod phone;
pub mod reply;
pub mod ruling;
pub mod staff;
pub mod text;
pub mod times;
