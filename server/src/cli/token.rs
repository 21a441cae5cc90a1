//! `token …`: the tokens with which clients call the API.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use crate::role::Role;

/// Subcommands of `abide token`.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Create a token for the tenant of --tenant, and print its secret; it is shown only once
    Create(TokenCreateArgs),
    /// List the tokens of the tenant, without their secrets
    List(TokenListArgs),
    /// Revoke a token: the next request with it is refused
    Revoke(TokenRevokeArgs),
}

/// Arguments of `abide token create`.
#[derive(Debug, Args)]
pub struct TokenCreateArgs {
    /// What a client with the token may do
    ///
    /// A `viewer` reads, with phone numbers and texts of people redacted. `staff` does the daily work. A
    /// `supervisor` also writes facts and capacities, and may read events in full. An `admin` also changes
    /// the tenant, its tokens, schedules and methods.
    #[arg(long, value_parser = PossibleValuesParser::new(Role::ALL.iter().map(|role| role.as_str())))]
    pub role: String,
    /// What the token is for, as a reminder in the list
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
    /// When the token expires: after a duration such as `90d`, or at a time such as `2026-12-31T00:00:00Z`
    /// [default: never]
    #[arg(long, value_name = "WHEN")]
    pub expires: Option<String>,
}

/// Arguments of `abide token list`.
#[derive(Debug, Args)]
pub struct TokenListArgs {
    /// Maximum number of tokens to list
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}

/// Arguments of `abide token revoke`.
#[derive(Debug, Args)]
pub struct TokenRevokeArgs {
    /// Id of the token, which begins with `tok_`
    pub id: String,
}
