//! `capacity …`: the capacity of resources that runs can reserve.

use clap::{Args, Subcommand};

/// Subcommands of `abide capacity`.
#[derive(Debug, Subcommand)]
pub enum CapacityCommand {
    /// List the resources with their capacity and use
    List,
    /// Set the capacity of a resource
    Set(CapacitySetArgs),
}

/// Arguments of `abide capacity set`.
#[derive(Debug, Args)]
pub struct CapacitySetArgs {
    /// Key of the resource, as methods name it
    pub key: String,
    /// Number of units in total
    pub total: u32,
}
