//! Commands on content and schema: `init lint graph schema migrate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `abide init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The folder to make; one that is there must be empty
    #[arg(default_value = "abide-home", value_name = "DIR")]
    pub folder: PathBuf,
}

/// `abide lint`.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Files or folders: methods, templates (`.hbs`), contracts, scenarios
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Treat these as errors: `warnings`
    #[arg(long, value_name = "WHAT", value_parser = ["warnings"])]
    pub deny: Option<String>,
}

/// How a graph is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A picture
    Svg,
    /// Graphviz
    Dot,
    /// Mermaid
    Mermaid,
    /// The compiled graph
    Json,
}

/// `abide graph`.
#[derive(Debug, Args)]
pub struct GraphArgs {
    /// A method's name, or a file that holds one
    pub method: String,
    /// How it is written [default: svg, or json with --json]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Mark where this run stands
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
}

/// `abide schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// The kind of file; without it they are listed
    #[arg(value_name = "KIND", value_parser = ["method"])]
    pub name: Option<String>,
}

/// `abide migrate`.
#[derive(Debug, Args)]
pub struct MigrateArgs {
    /// Say what would be done and do nothing
    #[arg(long, conflicts_with = "status")]
    pub dry_run: bool,
    /// Say which migrations are applied
    #[arg(long)]
    pub status: bool,
}
