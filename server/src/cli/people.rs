//! `people …`: the directory of people.

use clap::{Args, Subcommand};

/// Subcommands of `abide people`.
#[derive(Debug, Subcommand)]
pub enum PeopleCommand {
    /// List people in the order in which they were added
    List(PeopleListArgs),
    /// Show one person
    Show(PeopleShowArgs),
}

/// Arguments of `abide people list`.
#[derive(Debug, Args)]
pub struct PeopleListArgs {
    /// List only people with this role
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// List only people of this campus
    #[arg(long, value_name = "CAMPUS")]
    pub campus: Option<String>,
    /// List only people whose name contains this text
    #[arg(long, value_name = "TEXT")]
    pub q: Option<String>,
    /// Maximum number of people to list
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}

/// Arguments of `abide people show`.
#[derive(Debug, Args)]
pub struct PeopleShowArgs {
    /// Id of the person, `per_…`, or a phone number that no one else shares
    #[arg(value_name = "ID|PHONE")]
    pub who: String,
}
