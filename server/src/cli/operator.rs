//! `operator …`: a message becomes a plan, and perhaps a run of it.

use abide_engine::base::Span;
use clap::{Args, Subcommand};

/// Subcommands of `abide operator`.
#[derive(Debug, Subcommand)]
pub enum OperatorCommand {
    /// Plan how to make up for what a plan has done, and do it with --approve
    Rollback(RollbackArgs),
}

/// Arguments of `abide operator rollback`.
#[derive(Debug, Args)]
pub struct RollbackArgs {
    /// Id of the plan, `plan_…`
    #[arg(value_name = "PLAN")]
    pub plan: String,
    /// Approve the calls that make up for the plan, if your role may
    #[arg(long)]
    pub approve: bool,
}

/// Arguments of `abide operator`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct OperatorArgs {
    /// What to do instead of reading a message
    #[command(subcommand)]
    pub command: Option<OperatorCommand>,
    /// What is wanted, in words
    #[arg(value_name = "MESSAGE", required_unless_present_any = ["message", "interactive"])]
    pub words: Vec<String>,
    /// The same, as an option
    #[arg(short, long, value_name = "MESSAGE", conflicts_with = "words")]
    pub message: Option<String>,
    /// How far to go
    #[arg(short = 'M', long, value_name = "MODE", default_value = "analyze",
        value_parser = ["analyze", "plan", "enqueue", "enqueue_and_wait", "execute"])]
    pub mode: String,
    /// Approve the plan that this call computes, if your role may; without, a plan of risk T2 or above waits for an
    /// approval
    #[arg(long)]
    pub approve: bool,
    /// Read messages line by line; `:mode MODE`, `:approve` and `:quit` are commands
    #[arg(long, conflicts_with_all = ["words", "message"])]
    pub interactive: bool,
    /// What is known besides the message: a JSON object, or `@` and the name of a file with one
    #[arg(long, value_name = "JSON|@FILE")]
    pub context: Option<String>,
    /// The conversation that the message belongs to
    #[arg(long, value_name = "NAME")]
    pub session: Option<String>,
    /// Print each receipt as it comes, instead of all at the end
    #[arg(long)]
    pub follow: bool,
    /// Idempotency key: a later message with the same key is the same message
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// How long to wait for the receipts, at most 60s
    #[arg(long, value_name = "DURATION", default_value = "30s")]
    pub wait: Span,
}
