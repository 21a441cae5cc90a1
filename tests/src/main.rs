//! End-to-end tests through the public interfaces on both databases,
//! and tests of the repository's own rules.
//!
//! All tests are one program, so that the libraries are linked only once.
//! Many tests share the modules [`postgres`] (databases), [`engines`] (engines in this process),
//! [`process`] (the real `abide` program),
//! [`deployment`] (a database with several processes) and [`support`].
//! Other helpers are next to the tests that use them.

mod access;
mod adapters;
mod against;
mod archive;
mod bad_input;
mod campaign;
mod church;
mod command_line;
mod corpus;
mod deployment;
mod differential;
mod engines;
mod explain;
mod external;
mod faults;
mod forecast;
mod gates;
mod how_to;
mod insights;
mod joint;
mod judgement;
mod kill;
mod language;
mod model;
mod nodes;
mod operate;
mod outages;
mod outside;
mod outside_plan;
mod own_tool;
mod patterns;
mod pictures;
mod planning;
mod postgres;
mod process;
mod prove;
mod reference;
mod rules;
mod scenarios;
mod schedules;
mod schema;
mod shadow;
mod simulations;
mod skip_and_fork;
mod statements;
mod store;
mod support;
mod swarm;
mod tidy;
mod tools;
mod torture;
mod trade;
mod versions;
mod yaml;
