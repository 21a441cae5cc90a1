//! What the engine needs goes away, or takes its time, and comes back.

mod database;
mod fairness;
mod provider;
mod quiet;
