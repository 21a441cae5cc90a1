//! Tests of the church's methods on both databases: who is asked, who gets a place, who gets which message.
//!
//! Each test runs in a [`demo_church::DemoChurch`].
//! A `DemoChurch` is a real engine with a virtual clock and a loopback provider.

mod answers;
mod demo_church;
mod directory;
mod fill;
mod forecast;
mod inbox;
mod inbox_actions;
mod knowledge;
mod languages;
mod logged;
mod moved;
mod own_intents;
mod requests;
mod reserve;
mod scale;
mod services;
mod staff;
mod unassign;
mod update_record;
