//! `kb …`: the knowledge base.

use clap::{Args, Subcommand};

/// Subcommands of `abide kb`.
#[derive(Debug, Subcommand)]
pub enum KbCommand {
    /// List facts with their reviewers and review dates
    List(KbListArgs),
    /// Add a fact, or replace the fact with the same id
    ///
    /// The fact records who wrote it: the label of the token, or `an operator` without a token.
    Put(KbPutArgs),
    /// Retire a fact: it stays on record but is no longer used
    Retire(KbRetireArgs),
}

/// Arguments of `abide kb list`.
#[derive(Debug, Args)]
pub struct KbListArgs {
    /// List retired facts instead of current ones
    #[arg(long)]
    pub retired: bool,
}

/// Arguments of `abide kb put`.
#[derive(Debug, Args)]
pub struct KbPutArgs {
    /// Id of the fact: lower-case letters, digits and `-`
    pub id: String,
    /// Topic of the fact, or the question that it answers
    #[arg(long, value_name = "TEXT")]
    pub topic: String,
    /// Text of the answer
    #[arg(long, value_name = "TEXT")]
    pub text: String,
    /// Source of the fact
    #[arg(long, value_name = "TEXT")]
    pub source: String,
    /// Name of the person who confirmed the fact [default: the writer]
    #[arg(long, value_name = "NAME")]
    pub reviewer: Option<String>,
    /// Time of the review [default: now]
    #[arg(long, value_name = "TIME")]
    pub reviewed_at: Option<String>,
}

/// Arguments of `abide kb retire`.
#[derive(Debug, Args)]
pub struct KbRetireArgs {
    /// Id of the fact
    pub id: String,
}
