//! `inbox …`: messages that wait for staff.

use clap::{Args, Subcommand};

/// Subcommands of `abide inbox`.
#[derive(Debug, Subcommand)]
pub enum InboxCommand {
    /// List messages that wait for staff, newest first
    List(InboxListArgs),
    /// Show a message and the reason why it waits
    Show(InboxIdArgs),
    /// Close a message that has been dealt with
    Close(InboxIdArgs),
}

/// Arguments of `abide inbox list`.
#[derive(Debug, Args)]
pub struct InboxListArgs {
    /// State of the messages to list
    #[arg(long, value_name = "STATE", default_value = "open", value_parser = ["open", "closed", "all"])]
    pub state: String,
    /// Maximum number of messages to list
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}

/// Arguments of `abide inbox show` and `abide inbox close`.
#[derive(Debug, Args)]
pub struct InboxIdArgs {
    /// Id of the message, `msg_…`
    #[arg(value_name = "ID")]
    pub id: String,
}
