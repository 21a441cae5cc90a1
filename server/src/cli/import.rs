//! `import …`: loading data from files.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Subcommands of `abide import`.
#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// Add or update people from a CSV file
    ///
    /// The first line names the columns, in any order: name, phone, external_id, roles (separated
    /// by `;`), campus, active, time_zone, language (en or es), email, household, guardian_phone,
    /// consent_source, consent_at, consent_wording. An empty cell leaves the stored value unchanged. The last three
    /// record the consent to texts; nobody who has opted out is texted because of them. Invalid
    /// rows are listed and skipped; the exit code is then 1.
    People(ImportPeopleArgs),
}

/// Arguments of `abide import people`.
#[derive(Debug, Args)]
pub struct ImportPeopleArgs {
    /// CSV file, encoded in UTF-8
    #[arg(value_name = "FILE.csv")]
    pub file: PathBuf,
}
