//! `inbox …`: what waits for a person.

use clap::{Args, Subcommand};

/// The commands on the inbox of staff.
#[derive(Debug, Subcommand)]
pub enum InboxCommand {
    /// List what waits for a person, newest first
    List(InboxList),
    /// Show one text with why it waits
    Show(InboxId),
    /// Take a text off the list: somebody has dealt with it
    Close(InboxId),
}

/// `abide inbox list`.
#[derive(Debug, Args)]
pub struct InboxList {
    /// Which texts
    #[arg(long, value_name = "S", default_value = "open", value_parser = ["open", "closed", "all"])]
    pub state: String,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}

/// The text that is meant.
#[derive(Debug, Args)]
pub struct InboxId {
    /// The message
    #[arg(value_name = "ID")]
    pub id: String,
}
