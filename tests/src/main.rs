//! End-to-end tests through the public interfaces, on both databases, and the rules of the house.
//!
//! All of them are one program, so that everything is linked once. Support code is next to the stories that
//! use it: [`postgres`] provides databases, and [`process`] runs the real `abide` program.

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
