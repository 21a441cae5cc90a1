//! What every store must do: each test is a law, by its name, and runs on SQLite and on PostgreSQL
//! alike, through [`Store`] and [`Tx`] as the driver uses them. A database that passes is a database
//! for abide. [`complete`] sees to it that nothing can be asked of a store without a law about it.
//!
//! What only one of the two has stands apart: [`claims`] and [`loss`] are about a server, [`log`] and
//! parts of [`migrations`] about a file.
//!
//! [`Store`]: abide_engine::store::Store
//! [`Tx`]: abide_engine::store::Tx

mod atomicity;
mod barrier;
mod children;
mod claims;
mod complete;
mod copies;
mod crashes;
mod durability;
mod feed;
mod inbound;
mod lane_a;
mod lane_b;
mod log;
mod loss;
mod migrations;
mod nouns;
mod outbox;
mod paging;
mod plans;
mod reports;
mod starts;
mod support;
mod tenants;
mod texts;
mod timers;
mod versions;
mod wakes;

pub(crate) use texts::hostile;
