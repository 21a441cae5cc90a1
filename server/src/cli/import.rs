//! `import …`: what others wrote down before.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// The commands that read files of others.
#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// Add people to the directory, or change them, from a file of comma-separated values
    ///
    /// The first line names the columns, in any order: name, phone, external_id, roles (separated
    /// by `;`), campus, active, time_zone, email, household, guardian_phone. An empty cell leaves
    /// what is known as it is. Bad rows are listed and left out; the exit code is 1 then.
    People(ImportPeople),
}

/// `abide import people`.
#[derive(Debug, Args)]
pub struct ImportPeople {
    /// The file, in UTF-8
    #[arg(value_name = "FILE.csv")]
    pub file: PathBuf,
}
