//! `insights`: how often and how soon people answer.

use clap::Args;

/// Arguments of `abide insights`.
#[derive(Debug, Args)]
pub struct InsightsArgs {
    /// Maximum number of people, and of customers, leads and suppliers
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}
