//! `tenant …`: settings and the kill switch of a church or business.

use clap::{Args, Subcommand, ValueEnum};

/// Subcommands of `abide tenant`.
#[derive(Debug, Subcommand)]
pub enum TenantCommand {
    /// List the tenants
    List(TenantList),
    /// Show a tenant and its settings
    Show(TenantId),
    /// Change one setting of a tenant
    Set(TenantSet),
    /// Turn the kill switch on: no message is sent and no timer fires until the tenant is resumed
    Pause(TenantId),
    /// Turn the kill switch off, or preview what that would send and start
    Resume(TenantResume),
    /// Turn shadow mode on or off
    Shadow(TenantShadow),
    /// Set the maximum number of messages that a tenant may send per calendar month
    Budget(TenantBudget),
}

/// Arguments of `abide tenant list`.
#[derive(Debug, Args)]
pub struct TenantList {
    /// Maximum number of tenants to list
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}

/// Arguments of `abide tenant show` and `abide tenant pause`.
#[derive(Debug, Args)]
pub struct TenantId {
    /// Id of the tenant [default: the value of --tenant]
    pub id: Option<String>,
}

/// Arguments of `abide tenant set`.
#[derive(Debug, Args)]
pub struct TenantSet {
    /// Id of the tenant
    pub id: String,
    /// Name of a setting, or `name`, `region` or `domains`
    pub key: String,
    /// New value; `null` restores the default of the process
    #[arg(allow_hyphen_values = true)]
    pub value: String,
}

/// Arguments of `abide tenant resume`.
#[derive(Debug, Args)]
pub struct TenantResume {
    /// Id of the tenant [default: the value of --tenant]
    pub id: Option<String>,
    /// Print what a resume would send and start, without changing anything
    #[arg(long)]
    pub preview: bool,
}

/// Arguments of `abide tenant shadow`.
#[derive(Debug, Args)]
pub struct TenantShadow {
    /// New state of shadow mode
    pub switch: Switch,
    /// Id of the tenant [default: the value of --tenant]
    pub id: Option<String>,
}

/// Arguments of `abide tenant budget`.
#[derive(Debug, Args)]
pub struct TenantBudget {
    /// Maximum number of messages per calendar month, or `none` for no limit
    #[arg(value_parser = budget)]
    pub messages: Limit,
    /// Id of the tenant [default: the value of --tenant]
    pub id: Option<String>,
}

/// A limit on the number of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// At most this many messages.
    To(u64),
    /// No limit.
    None,
}

fn budget(text: &str) -> Result<Limit, String> {
    match text {
        "none" => Ok(Limit::None),
        number => number.parse().map(Limit::To).map_err(|_| "write a number, or `none`".to_owned()),
    }
}

/// State of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Turn it on
    On,
    /// Turn it off
    Off,
}
