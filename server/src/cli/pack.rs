//! `pack …`: folders of methods, templates, contracts and scenarios that are installed together.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Subcommands of `abide pack`.
#[derive(Debug, Subcommand)]
pub enum PackCommand {
    /// Check all files of a pack
    ///
    /// The files are checked as those of a home folder, together with the built-in content and the home. The
    /// exit code is 1 if there is an error, or any warning with `--deny warnings`.
    Lint(PackLintArgs),
    /// Check a pack and play all its scenarios
    ///
    /// The scenarios are played in virtual time, and no one is texted. The exit code is 1 if there is an
    /// error, or an expectation of a scenario is not met.
    Test(PackTestArgs),
    /// Check and test a pack, and copy its files into the home folder
    ///
    /// Replaces exactly the files of the version that is installed. Refuses to replace a file that the pack
    /// did not install, or that was edited since. Needs `--home`.
    Install(PackInstallArgs),
    /// List the packs that ship with abide, and those installed in the home folder
    List,
}

/// Arguments of `abide pack lint`.
#[derive(Debug, Args)]
pub struct PackLintArgs {
    /// Folder of the pack
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Treat these findings as errors
    #[arg(long, value_name = "FINDINGS", value_parser = ["warnings"])]
    pub deny: Option<String>,
}

/// Arguments of `abide pack test`.
#[derive(Debug, Args)]
pub struct PackTestArgs {
    /// Folder of the pack
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Arguments of `abide pack install`.
#[derive(Debug, Args)]
pub struct PackInstallArgs {
    /// Folder of the pack
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Replace files that the pack did not install or that were edited since
    #[arg(long)]
    pub force: bool,
    /// Print what would be done without doing it
    #[arg(long)]
    pub dry_run: bool,
    /// Copy the files of folders that are links; only for packs that you trust
    #[arg(long)]
    pub follow_links: bool,
}
