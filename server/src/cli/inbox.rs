//! `inbox …`: messages that wait for staff.

use clap::{Args, Subcommand};

/// Subcommands of `abide inbox`.
#[derive(Debug, Subcommand)]
pub enum InboxCommand {
    /// List messages that wait for staff, newest first
    List(InboxListArgs),
    /// Show a message and the reason why it waits
    Show(InboxIdArgs),
    /// Answer a message with a text, and close it
    Answer(InboxAnswerArgs),
    /// Assign a message to a member of staff
    Assign(InboxAssignArgs),
    /// Take over the thread with the number of a message: it gets no automatic answers
    ///
    /// What the number writes is put in the inbox and changes nothing until `abide inbox hand-back`. Opting out,
    /// such as STOP, works as usual.
    TakeOver(InboxIdArgs),
    /// Hand back the thread with the number of a message: it gets automatic answers again
    HandBack(InboxIdArgs),
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

/// Arguments of `abide inbox answer`.
#[derive(Debug, Args)]
pub struct InboxAnswerArgs {
    /// Id of the message, `msg_…`
    #[arg(value_name = "ID")]
    pub id: String,
    /// Text of the answer
    #[arg(required = true, value_name = "TEXT")]
    pub text: Vec<String>,
}

/// Arguments of `abide inbox assign`.
#[derive(Debug, Args)]
pub struct InboxAssignArgs {
    /// Id of the message, `msg_…`
    #[arg(value_name = "ID")]
    pub id: String,
    /// Id, phone number or name of a member of staff
    #[arg(value_name = "PERSON")]
    pub person: String,
}

/// Arguments of the commands that take only the id of a message.
#[derive(Debug, Args)]
pub struct InboxIdArgs {
    /// Id of the message, `msg_…`
    #[arg(value_name = "ID")]
    pub id: String,
}
