//! `method …`: the versions of methods.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// The commands on methods.
#[derive(Debug, Subcommand)]
pub enum MethodCommand {
    /// List the methods that runs can be started of, or the versions of one
    List(MethodList),
    /// Print the text of a method, as it is or as it was
    Show(MethodShow),
    /// Publish a method: new runs begin with it from now on, and no process need be restarted
    Publish(MethodPublish),
    /// Compare two versions, and say for the runs at work whether they could be moved
    Diff(MethodDiff),
    /// Let new runs begin with an older version again
    Rollback(MethodRollback),
    /// Delete a version that no run goes by
    Delete(MethodDelete),
}

/// `abide method list`.
#[derive(Debug, Args)]
pub struct MethodList {
    /// The versions of this method
    pub name: Option<String>,
}

/// `abide method show`.
#[derive(Debug, Args)]
pub struct MethodShow {
    /// The method's name
    pub name: String,
    /// The version [default: the one that new runs begin with]
    #[arg(id = "number", value_name = "VERSION")]
    pub version: Option<i64>,
}

/// `abide method publish`.
#[derive(Debug, Args)]
pub struct MethodPublish {
    /// The file with the method
    pub file: PathBuf,
    /// Only for runs that say what they would do and do nothing
    #[arg(long)]
    pub shadow: bool,
}

/// `abide method diff`.
#[derive(Debug, Args)]
pub struct MethodDiff {
    /// The method's name
    pub name: String,
    /// The older version [default: the one before the other]
    pub from: Option<i64>,
    /// The newer version [default: the one that new runs begin with]
    pub to: Option<i64>,
}

/// `abide method rollback`.
#[derive(Debug, Args)]
pub struct MethodRollback {
    /// The method's name
    pub name: String,
    /// The version [default: the one before the present]
    #[arg(long, value_name = "VERSION")]
    pub to: Option<i64>,
}

/// `abide method delete`.
#[derive(Debug, Args)]
pub struct MethodDelete {
    /// The method's name
    pub name: String,
    /// The version
    #[arg(id = "number", value_name = "VERSION")]
    pub version: i64,
}
