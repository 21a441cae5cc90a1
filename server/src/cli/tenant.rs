//! `tenant …`: settings and the kill switch of a church or business.

use abide_engine::base::Span;
use clap::{Args, Subcommand, ValueEnum};

/// Subcommands of `abide tenant`.
#[derive(Debug, Subcommand)]
pub enum TenantCommand {
    /// List the tenants
    List(TenantListArgs),
    /// Show a tenant and its settings
    Show(TenantIdArgs),
    /// Change one setting of a tenant
    Set(TenantSetArgs),
    /// Turn the kill switch on: no message is sent and no timer fires until the tenant is resumed
    Pause(TenantIdArgs),
    /// Turn the kill switch off, or preview what that would send and start
    Resume(TenantResumeArgs),
    /// Turn shadow mode on or off, or compare shadow runs with real runs
    Shadow(TenantShadowArgs),
    /// Set the maximum number of messages that a tenant may send per calendar month
    Budget(TenantBudgetArgs),
}

/// Arguments of `abide tenant list`.
#[derive(Debug, Args)]
pub struct TenantListArgs {
    /// Maximum number of tenants to list
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}

/// Arguments of `abide tenant show` and `abide tenant pause`.
#[derive(Debug, Args)]
pub struct TenantIdArgs {
    /// Id of the tenant [default: the value of --tenant]
    pub id: Option<String>,
}

/// Arguments of `abide tenant set`.
#[derive(Debug, Args)]
pub struct TenantSetArgs {
    /// Id of the tenant
    pub id: String,
    /// Name of a setting, or `name` or `domains`
    pub key: String,
    /// New value; `null` restores the default of the process
    #[arg(allow_hyphen_values = true)]
    pub value: String,
}

/// Arguments of `abide tenant resume`.
#[derive(Debug, Args)]
pub struct TenantResumeArgs {
    /// Id of the tenant [default: the value of --tenant]
    pub id: Option<String>,
    /// Print what a resume would send and start, without changing anything
    #[arg(long)]
    pub preview: bool,
}

/// Arguments of `abide tenant shadow`.
#[derive(Debug, Args)]
pub struct TenantShadowArgs {
    /// New state of shadow mode; `report` compares what shadow runs would have done with what real runs did
    pub action: ShadowAction,
    /// Id of the tenant [default: the value of --tenant]
    pub id: Option<String>,
    /// Report only runs younger than this, such as `3days`
    #[arg(long, value_name = "DURATION", default_value = "7days")]
    pub since: Span,
}

/// Arguments of `abide tenant budget`.
#[derive(Debug, Args)]
pub struct TenantBudgetArgs {
    /// Maximum number of messages per calendar month, or `none` for no limit
    #[arg(value_parser = parse_limit)]
    pub messages: MessageLimit,
    /// Id of the tenant [default: the value of --tenant]
    pub id: Option<String>,
}

/// A limit on the number of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageLimit {
    /// At most this many messages.
    AtMost(u64),
    /// No limit.
    Unlimited,
}

fn parse_limit(text: &str) -> Result<MessageLimit, String> {
    match text {
        "none" => Ok(MessageLimit::Unlimited),
        number => number
            .parse()
            .map(MessageLimit::AtMost)
            .map_err(|_| "write a number, or `none`".to_owned()),
    }
}

/// What to do with the shadow mode of a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShadowAction {
    /// Turn it on
    On,
    /// Turn it off
    Off,
    /// Compare shadow runs with real runs
    Report,
}
