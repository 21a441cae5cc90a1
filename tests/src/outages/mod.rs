//! Outages and delays of the systems that the engine depends on: the database and the provider.

mod database;
mod fairness;
mod idle_clock;
mod provider;
mod slow_database;
