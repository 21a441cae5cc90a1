//! `capacity …`: how much there is of what runs reserve.

use clap::{Args, Subcommand};

/// The commands on capacities.
#[derive(Debug, Subcommand)]
pub enum CapacityCommand {
    /// List what can be reserved, and how much of it is
    List,
    /// Say how much there is of something
    Set(CapacitySet),
}

/// `abide capacity set`.
#[derive(Debug, Args)]
pub struct CapacitySet {
    /// What it is called in methods
    pub key: String,
    /// How much there is
    pub total: u32,
}
