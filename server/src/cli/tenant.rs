//! `tenant …`: settings and the kill switch of a church or business.

use clap::{Args, Subcommand, ValueEnum};

/// The commands on tenants.
#[derive(Debug, Subcommand)]
pub enum TenantCommand {
    /// List the tenants
    List(TenantList),
    /// Show a tenant and its settings
    Show(TenantId),
    /// Change one setting of a tenant
    Set(TenantSet),
    /// Turn the kill switch on: nothing leaves and no timer fires until it is resumed
    Pause(TenantId),
    /// Turn the kill switch off, or say what that would send and start
    Resume(TenantResume),
    /// Turn shadow mode on or off
    Shadow(TenantShadow),
    /// Set how many messages the tenant may send in a calendar month
    Budget(TenantBudget),
}

/// `abide tenant list`.
#[derive(Debug, Args)]
pub struct TenantList {
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}

/// `abide tenant show|pause`.
#[derive(Debug, Args)]
pub struct TenantId {
    /// The tenant [default: that of --tenant]
    pub id: Option<String>,
}

/// `abide tenant set`.
#[derive(Debug, Args)]
pub struct TenantSet {
    /// The tenant
    pub id: String,
    /// A setting, or `name`, `region`, `domains`
    pub key: String,
    /// The value; `null` goes back to the process's own
    #[arg(allow_hyphen_values = true)]
    pub value: String,
}

/// `abide tenant resume`.
#[derive(Debug, Args)]
pub struct TenantResume {
    /// The tenant [default: that of --tenant]
    pub id: Option<String>,
    /// Change nothing: print what a resume would send and start
    #[arg(long)]
    pub preview: bool,
}

/// `abide tenant shadow`.
#[derive(Debug, Args)]
pub struct TenantShadow {
    /// Whether it is on
    pub switch: Switch,
    /// The tenant [default: that of --tenant]
    pub id: Option<String>,
}

/// `abide tenant budget`.
#[derive(Debug, Args)]
pub struct TenantBudget {
    /// Messages in a calendar month, or `none`
    #[arg(value_parser = budget)]
    pub messages: Limit,
    /// The tenant [default: that of --tenant]
    pub id: Option<String>,
}

/// A number of messages, or no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// So many.
    To(u64),
    /// As many as there are.
    None,
}

fn budget(text: &str) -> Result<Limit, String> {
    match text {
        "none" => Ok(Limit::None),
        number => number.parse().map(Limit::To).map_err(|_| "give a number, or `none`".to_owned()),
    }
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// It is to be on.
    On,
    /// It is to be off.
    Off,
}
