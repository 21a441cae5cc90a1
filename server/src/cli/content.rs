//! Arguments of the commands `init`, `lint`, `graph`, `schema`, `docs` and `migrate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Arguments of `abide init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Folder to create; an existing one must be empty
    #[arg(default_value = "abide-home", value_name = "DIR")]
    pub folder: PathBuf,
    /// Name of the church or business, with which texts are signed
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Time zone of the church or business, such as `America/Chicago`
    #[arg(long, value_name = "ZONE", visible_alias = "tz")]
    pub time_zone: Option<String>,
    /// A weekly service: its day, time and name, such as `Sunday 9:00 first`; may be repeated
    #[arg(long = "service", value_name = "SERVICE")]
    pub services: Vec<String>,
    /// Ask for name, time zone and services, also if the input is no terminal
    #[arg(long)]
    pub ask: bool,
}

/// Arguments of `abide lint`.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Files or folders to check: methods, templates (`.hbs`), contracts, scenarios
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Treat these findings as errors
    #[arg(long, value_name = "FINDINGS", value_parser = ["warnings"])]
    pub deny: Option<String>,
    /// Check compatibility with the methods of a folder or the live runs of a database
    ///
    /// Reports the contracts that would break a method of the folder, or a live run of the database. With a
    /// database it also warns of waiting runs that could not be moved to the checked methods.
    #[arg(long, value_name = "DIR|DB", conflicts_with = "prove")]
    pub against: Option<String>,
    /// Prove the worst case of each method: that it ends, its messages, its cost and its duration
    ///
    /// A PATH may then also be the name of a built-in method or of one in the home folder.
    #[arg(long, conflicts_with = "deny")]
    pub prove: bool,
    /// Price of one message segment
    #[arg(long, value_name = "PRICE", requires = "prove", value_parser = parse_price)]
    pub price: Option<f64>,
    /// Maximum number of people in the directory
    #[arg(long, value_name = "N", requires = "prove")]
    pub people: Option<u64>,
    /// Maximum number of people who hold an office such as `staff`
    #[arg(long, value_name = "N", requires = "prove")]
    pub staff: Option<u64>,
    /// Start time of the run, such as 2025-09-30T14:20:00-05:00; shows the messages that quiet hours delay
    #[arg(long, value_name = "TIME", requires = "prove")]
    pub start: Option<String>,
}

/// Parses a price: a finite number, at least 0.
fn parse_price(text: &str) -> Result<f64, String> {
    let price: f64 = text.parse().map_err(|_| "write a number such as 0.0079".to_owned())?;
    if price.is_finite() && price >= 0.0 {
        Ok(price)
    } else {
        Err("a price must be at least 0".into())
    }
}

/// Output format of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// SVG picture
    Svg,
    /// Graphviz DOT
    Dot,
    /// Mermaid flowchart
    Mermaid,
    /// Compiled graph as JSON
    Json,
}

/// Arguments of `abide graph`.
#[derive(Debug, Args)]
pub struct GraphArgs {
    /// Name of a method, or a file that contains one
    pub method: String,
    /// Output format [default: svg, or json with --json]
    #[arg(long, value_enum)]
    pub format: Option<GraphFormat>,
    /// Draw the graph of this run instead, and mark its position
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
}

/// Arguments of `abide docs`.
#[derive(Debug, Args)]
pub struct DocsArgs {
    /// Page to print; without it, lists the pages
    pub name: Option<String>,
    /// Write every page to this folder, as `NAME.md`
    #[arg(long, value_name = "DIR", conflicts_with = "name")]
    pub out: Option<PathBuf>,
}

/// Arguments of `abide schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Kind of file [default: list the kinds]
    #[arg(value_name = "KIND", value_parser = ["method", "scenario", "tool", "pack", "inspection_packet_v1"])]
    pub name: Option<String>,
}

/// Arguments of `abide migrate`.
#[derive(Debug, Args)]
pub struct MigrateArgs {
    /// Print the pending migrations without applying them
    #[arg(long, conflicts_with = "status")]
    pub dry_run: bool,
    /// Print which migrations are applied; exit with code 1 unless the schema is current
    #[arg(long)]
    pub status: bool,
}
