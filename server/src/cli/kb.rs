//! `kb …`: what the church holds to be true.

use clap::{Args, Subcommand};

/// The commands on the knowledge base.
#[derive(Debug, Subcommand)]
pub enum KbCommand {
    /// List the facts, with who reviewed them and when
    List(KbList),
    /// Write a fact, or replace the one of that id
    Put(KbPut),
    /// Keep a fact and find it no more
    Retire(KbRetire),
}

/// `abide kb list`.
#[derive(Debug, Args)]
pub struct KbList {
    /// The facts that are found no more, instead of the others
    #[arg(long)]
    pub retired: bool,
}

/// `abide kb put`.
#[derive(Debug, Args)]
pub struct KbPut {
    /// A word for it: small letters, digits and `-`
    pub id: String,
    /// What it is about, or the question that it answers
    #[arg(long, value_name = "TEXT")]
    pub topic: String,
    /// The answer
    #[arg(long, value_name = "TEXT")]
    pub text: String,
    /// Where it is from
    #[arg(long, value_name = "TEXT")]
    pub source: String,
    /// Who says that it holds
    #[arg(long, value_name = "NAME")]
    pub reviewer: String,
    /// When they said so [default: now]
    #[arg(long, value_name = "TIME")]
    pub reviewed_at: Option<String>,
}

/// `abide kb retire`.
#[derive(Debug, Args)]
pub struct KbRetire {
    /// The fact
    pub id: String,
}
