//! What every store must do: each test runs on SQLite and on PostgreSQL alike, through [`Store`] and
//! [`Tx`] as the driver uses them. A database that passes is a database for abide.
//!
//! [`Store`]: abide_engine::store::Store
//! [`Tx`]: abide_engine::store::Tx

mod claims;
mod crashes;
mod durability;
mod inbound;
mod lane_a;
mod lane_b;
mod log;
mod loss;
mod migrations;
mod nouns;
mod outbox;
mod starts;
mod support;
mod texts;
mod wakes;
