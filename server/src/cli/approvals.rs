//! `approvals …`: calls that a person must decide about.

use clap::{Args, Subcommand};

/// Subcommands of `abide approvals`.
#[derive(Debug, Subcommand)]
pub enum ApprovalsCommand {
    /// List approvals, newest first
    List(ApprovalsListArgs),
    /// Show what a call would do, and whether it was approved
    Show(ApprovalIdArgs),
    /// Approve a call; the approval is for the shown arguments alone
    Approve(ApprovalDecideArgs),
    /// Refuse a call; the step that makes it fails with the code `denied`
    Deny(ApprovalDecideArgs),
}

/// Arguments of `abide approvals list`.
#[derive(Debug, Args)]
pub struct ApprovalsListArgs {
    /// State of the approvals to list
    #[arg(long, value_name = "STATE", default_value = "pending",
        value_parser = ["pending", "approved", "denied", "expired", "void", "all"])]
    pub state: String,
    /// Maximum number of approvals to list
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}

/// Arguments of `abide approvals show`.
#[derive(Debug, Args)]
pub struct ApprovalIdArgs {
    /// Id of the approval, `apr_…`
    #[arg(value_name = "ID")]
    pub id: String,
}

/// Arguments of `abide approvals approve` and `abide approvals deny`.
#[derive(Debug, Args)]
pub struct ApprovalDecideArgs {
    /// Id of the approval, `apr_…`
    #[arg(value_name = "ID")]
    pub id: String,
    /// Why; the receipt of a refused call says it
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}
