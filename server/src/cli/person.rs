//! `person …`: what is stored about one person.

use clap::{Args, Subcommand};

/// Subcommands of `abide person`.
#[derive(Debug, Subcommand)]
pub enum PersonCommand {
    /// Print everything that is stored about a person, as JSON
    Export(PersonArgs),
    /// Erase a person: their name, number and words, everywhere
    ///
    /// Open invitations are withdrawn, and places at coming services become free. Counts stay, and so does the order to send no
    /// more texts to a number that has opted out. It cannot be undone.
    Erase(PersonArgs),
}

/// Arguments of `abide person export` and `abide person erase`.
#[derive(Debug, Args)]
pub struct PersonArgs {
    /// Id of the person, `per_…`, or a phone number that no one else shares
    #[arg(value_name = "ID|PHONE")]
    pub who: String,
}
