//! What a store must guarantee: the name of each test states a law.
//! The tests run on SQLite and on PostgreSQL through [`Store`] and [`Tx`], as the driver uses them.
//! A database that passes all tests can be used for abide.
//! [`complete`] checks that every public function of a store has a law.
//!
//! Some laws hold for only one kind of database: [`claims`] and [`loss`] are about a PostgreSQL server,
//! [`log`] and some laws of [`migrations`] are about an embedded file.
//!
//! [`Store`]: abide_engine::store::Store
//! [`Tx`]: abide_engine::store::Tx

mod approvals;
mod archives;
mod atomicity;
mod attempts;
mod barrier;
mod children;
mod claims;
mod complete;
mod conversation;
mod copies;
mod correlation;
mod crashes;
mod durability;
mod feed;
mod inbound;
mod lane_a;
mod lane_b;
mod lists;
mod log;
mod loss;
mod migrations;
mod notifications;
mod nouns;
mod outbox;
mod paging;
mod partition_work;
mod read_steps;
mod redaction;
mod reports;
mod responses;
mod rewording;
mod send_limits;
mod shadows;
mod signals;
mod starts;
mod support;
mod tenants;
mod texts;
mod timers;
mod tools;
mod topics;
mod versions;
mod vital;
mod wakes;

pub(crate) use texts::hostile;
