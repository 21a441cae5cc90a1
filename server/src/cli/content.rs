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
    /// Also whether contracts would break the methods of this folder, or the live runs of this
    /// database
    #[arg(long, value_name = "DIR|DB", conflicts_with = "prove")]
    pub against: Option<String>,
    /// Say what each method can do at the worst; a PATH may be a method's name then
    #[arg(long, conflicts_with = "deny")]
    pub prove: bool,
    /// What one segment of a message costs
    #[arg(long, value_name = "PRICE", requires = "prove", value_parser = price)]
    pub price: Option<f64>,
    /// So many people are in the directory at most
    #[arg(long, value_name = "N", requires = "prove")]
    pub people: Option<u64>,
    /// So many people stand behind an office such as `staff` at most
    #[arg(long, value_name = "N", requires = "prove")]
    pub staff: Option<u64>,
    /// When it would be started, such as 2025-09-30T14:20:00-05:00
    #[arg(long, value_name = "TIME", requires = "prove")]
    pub start: Option<String>,
}

/// A price: a number, and not less than nothing.
fn price(text: &str) -> Result<f64, String> {
    let price: f64 = text.parse().map_err(|_| "write a number such as 0.0079".to_owned())?;
    if price.is_finite() && price >= 0.0 {
        Ok(price)
    } else {
        Err("no price is less than 0".into())
    }
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
    #[arg(value_name = "KIND", value_parser = ["method", "scenario"])]
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
