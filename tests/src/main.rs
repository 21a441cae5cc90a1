//! Whole stories through the public surface, on both databases, and the rules of the house.
//!
//! One program for all of them, so that everything links once. Support stands beside the stories
//! that use it: [`postgres`] hands out databases, [`process`] runs the real `abide` program.

mod against;
mod bad_input;
mod campaign;
mod church;
mod corpus;
mod differential;
mod explain;
mod faults;
mod forecast;
mod kill;
mod language;
mod nodes;
mod operate;
mod outages;
mod patterns;
mod pictures;
mod place;
mod postgres;
mod process;
mod prove;
mod reference;
mod scenarios;
mod schedules;
mod schema;
mod steer;
mod store;
mod swarm;
mod tidy;
mod torture;
mod versions;
mod yaml;
