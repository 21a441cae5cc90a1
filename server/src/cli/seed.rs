//! `seed`: loads a demo.

use clap::Args;

/// Arguments of `abide seed`.
#[derive(Debug, Args)]
pub struct SeedArgs {
    /// Domain whose demo is loaded
    #[arg(long, value_name = "DOMAIN", default_value = "church", value_parser = ["church", "trade"])]
    pub domain: String,
}
