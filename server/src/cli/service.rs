//! `service …`: the weekly services of the church.

use clap::{Args, Subcommand};

/// Subcommands of `abide service`.
#[derive(Debug, Subcommand)]
pub enum ServiceCommand {
    /// List the weekly services, from Monday to Sunday
    List,
    /// Add a weekly service, or replace the service with the same name, day and time
    Put(ServicePutArgs),
    /// Remove the weekly services with a name; requests and runs stay
    Remove(ServiceRemoveArgs),
}

/// Arguments of `abide service put`.
#[derive(Debug, Args)]
pub struct ServicePutArgs {
    /// Name of the service
    pub name: String,
    /// Day of the service, such as `sunday`
    #[arg(long, value_name = "DAY")]
    pub weekday: String,
    /// Local time at which the service begins
    #[arg(long, value_name = "HH:MM")]
    pub time: String,
    /// What people call the service besides its name; repeat it, or separate several with commas
    #[arg(long = "alias", visible_alias = "aliases", value_name = "TEXT", value_delimiter = ',')]
    pub aliases: Vec<String>,
    /// How long the service lasts [default: 1h 15m]
    #[arg(long, value_name = "DURATION")]
    pub duration: Option<String>,
    /// Time zone in which the service begins [default: the church's]
    #[arg(long, value_name = "ZONE", visible_alias = "tz")]
    pub time_zone: Option<String>,
    /// Campus of the service
    #[arg(long, value_name = "CAMPUS")]
    pub campus: Option<String>,
}

/// Arguments of `abide service remove`.
#[derive(Debug, Args)]
pub struct ServiceRemoveArgs {
    /// Name of the service
    pub name: String,
    /// Remove only the service of this day
    #[arg(long, value_name = "DAY")]
    pub weekday: Option<String>,
    /// Remove only the service that begins at this time
    #[arg(long, value_name = "HH:MM")]
    pub time: Option<String>,
}
