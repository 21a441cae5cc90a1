//! `people …`: the directory.

use clap::{Args, Subcommand};

/// The commands on the directory.
#[derive(Debug, Subcommand)]
pub enum PeopleCommand {
    /// List people, in the order in which they were added
    List(PeopleList),
    /// Show one person
    Show(PeopleShow),
}

/// `abide people list`.
#[derive(Debug, Args)]
pub struct PeopleList {
    /// Only those with this role
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// Only those of this campus
    #[arg(long, value_name = "CAMPUS")]
    pub campus: Option<String>,
    /// Only those with this in their name
    #[arg(long, value_name = "TEXT")]
    pub q: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}

/// `abide people show`.
#[derive(Debug, Args)]
pub struct PeopleShow {
    /// The person's id, or a phone number that is theirs alone
    #[arg(value_name = "ID|PHONE")]
    pub who: String,
}
