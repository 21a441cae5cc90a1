//! `file …`: stored files.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Subcommands of `abide file`.
#[derive(Debug, Subcommand)]
pub enum FileCommand {
    /// Store a file and print its digest
    ///
    /// Storing the same file again changes nothing. `media.create_asset` takes the digest.
    Put(FilePutArgs),
    /// Return a stored file
    Get(FileGetArgs),
}

/// Arguments of `abide file put`.
#[derive(Debug, Args)]
pub struct FilePutArgs {
    /// File to store, at most 20 MiB
    pub path: PathBuf,
}

/// Arguments of `abide file get`.
#[derive(Debug, Args)]
pub struct FileGetArgs {
    /// Digest of the file
    pub digest: String,
    /// File to write to [default: stdout, unless it is a terminal]
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Replace the file at `--out` if it exists
    #[arg(long, requires = "out")]
    pub force: bool,
}
