//! `method …`: methods and their versions.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Subcommands of `abide method`.
#[derive(Debug, Subcommand)]
pub enum MethodCommand {
    /// List the methods, or the versions of one method
    List(MethodListArgs),
    /// Print the YAML source of a method
    Show(MethodShowArgs),
    /// Publish a version of a method; new runs use it, without a restart
    Publish(MethodPublishArgs),
    /// Compare two versions, and check whether live runs could be moved between them
    Diff(MethodDiffArgs),
    /// Make an older version active again
    Rollback(MethodRollbackArgs),
    /// Delete a version that no run uses
    Delete(MethodDeleteArgs),
}

/// Arguments of `abide method list`.
#[derive(Debug, Args)]
pub struct MethodListArgs {
    /// Name of the method whose versions to list
    pub name: Option<String>,
}

/// Arguments of `abide method show`.
#[derive(Debug, Args)]
pub struct MethodShowArgs {
    /// Name of the method
    pub name: String,
    /// Version to print [default: the version that new runs use]
    #[arg(id = "number", value_name = "VERSION")]
    pub version: Option<i64>,
}

/// Arguments of `abide method publish`.
#[derive(Debug, Args)]
pub struct MethodPublishArgs {
    /// File that contains the method
    pub file: PathBuf,
    /// Publish the version for shadow runs only; other new runs do not use it
    #[arg(long)]
    pub shadow: bool,
}

/// Arguments of `abide method diff`.
#[derive(Debug, Args)]
pub struct MethodDiffArgs {
    /// Name of the method
    pub name: String,
    /// Older version [default: the version before TO]
    pub from: Option<i64>,
    /// Newer version [default: the version that new runs use]
    pub to: Option<i64>,
}

/// Arguments of `abide method rollback`.
#[derive(Debug, Args)]
pub struct MethodRollbackArgs {
    /// Name of the method
    pub name: String,
    /// Version to make active [default: the version before the active one]
    #[arg(long, value_name = "VERSION")]
    pub to: Option<i64>,
}

/// Arguments of `abide method delete`.
#[derive(Debug, Args)]
pub struct MethodDeleteArgs {
    /// Name of the method
    pub name: String,
    /// Version to delete
    #[arg(id = "number", value_name = "VERSION")]
    pub version: i64,
}
