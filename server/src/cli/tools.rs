//! `tools …`: the registry of tools, calls and receipts.

use abide_engine::base::Span;
use clap::{Args, Subcommand};

/// Subcommands of `abide tools`.
#[derive(Debug, Subcommand)]
pub enum ToolsCommand {
    /// List tools
    List(ToolsListArgs),
    /// Show a tool: what it does, its input and result, its risk, and what a second call does
    Show(ToolNameArgs),
    /// Count the tools that do something, and those that are not configured
    Coverage,
    /// Call a tool and print the receipt
    ///
    /// The exit code is 0 if the call succeeded, and 1 if it did not.
    Call(ToolCallArgs),
    /// List receipts of calls, newest first
    Receipts(ToolReceiptsArgs),
}

/// Arguments of `abide tools list`.
#[derive(Debug, Args)]
pub struct ToolsListArgs {
    /// List only tools of this domain
    #[arg(long, value_name = "DOMAIN")]
    pub domain: Option<String>,
}

/// Arguments of `abide tools show`.
#[derive(Debug, Args)]
pub struct ToolNameArgs {
    /// Name of the tool
    pub name: String,
}

/// Arguments of `abide tools call`.
#[derive(Debug, Args)]
pub struct ToolCallArgs {
    /// Name of the tool
    pub name: String,
    /// Input of the call, as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub input: String,
    /// Idempotency key: a later call with the same key and input does not act again
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// Request that the call works on
    #[arg(long, value_name = "ID")]
    pub request: Option<String>,
    /// Approve exactly this call, if your role may; without, a call of risk T2 or above waits for an approval
    #[arg(long)]
    pub approve: bool,
    /// How long to wait for the receipt, at most 60s
    #[arg(long, value_name = "DURATION", default_value = "10s")]
    pub wait: Span,
}

/// Arguments of `abide tools receipts`.
#[derive(Debug, Args)]
pub struct ToolReceiptsArgs {
    /// List only receipts of this tool
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// List only receipts with this status
    #[arg(long, value_name = "STATUS",
        value_parser = ["succeeded", "failed", "not_configured", "shadowed"])]
    pub status: Option<String>,
    /// Maximum number of receipts
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}
