//! `goals …`: what conversations are about.

use clap::{Args, Subcommand};

/// Subcommands of `abide goals`.
#[derive(Debug, Subcommand)]
pub enum GoalsCommand {
    /// List the goals of a conversation, best first
    List(GoalsArgs),
    /// List what has happened to the goals of a conversation
    Journal(GoalsJournalArgs),
}

/// Arguments of `abide goals list`.
#[derive(Debug, Args)]
pub struct GoalsArgs {
    /// Session of `abide ask` or `abide operator`, or the phone number of somebody who texts
    #[arg(long, value_name = "SESSION")]
    pub session: String,
}

/// Arguments of `abide goals journal`.
#[derive(Debug, Args)]
pub struct GoalsJournalArgs {
    /// Session of `abide ask` or `abide operator`, or the phone number of somebody who texts
    #[arg(long, value_name = "SESSION")]
    pub session: String,
    /// Maximum number of entries
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}
