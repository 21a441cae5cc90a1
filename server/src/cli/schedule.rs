//! `schedule …`: methods that start at set times.

use clap::{ArgGroup, Args, Subcommand};

/// Subcommands of `abide schedule`.
#[derive(Debug, Subcommand)]
pub enum ScheduleCommand {
    /// List schedules with their next time and their last run
    List(ScheduleListArgs),
    /// Add a schedule that starts a method repeatedly, or once at a given time
    Add(ScheduleAddArgs),
    /// Remove a schedule; runs that it started continue
    Remove(ScheduleRemoveArgs),
}

/// Arguments of `abide schedule list`.
#[derive(Debug, Args)]
pub struct ScheduleListArgs {
    /// List the messages that this run has scheduled for itself instead
    #[arg(long, value_name = "ID")]
    pub run: Option<String>,
    /// Maximum number of schedules to list
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}

/// Arguments of `abide schedule add`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("when").required(true).args(["cron", "at"]))]
pub struct ScheduleAddArgs {
    /// Name of the method to start
    pub method: String,
    /// Goal of each run, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub goal: String,
    /// Start repeatedly, at the times of a cron expression: minute, hour, day of month, month, day of week
    #[arg(long, value_name = "EXPR")]
    pub cron: Option<String>,
    /// Start once, at this time, such as `2025-10-05T09:00:00-05:00`; immediately if it is in the past
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// Time zone of the schedule [default: the setting `time_zone`]
    #[arg(long, value_name = "ZONE")]
    pub tz: Option<String>,
    /// How to make up for times missed in an outage [default: one]
    ///
    /// `none` skips them, `one` starts a single run for all of them, `all` starts a run for each.
    #[arg(long, value_name = "POLICY", value_parser = ["none", "one", "all"], conflicts_with = "at")]
    pub catch_up: Option<String>,
    /// What to do at a time when the previous run has not ended [default: skip]
    ///
    /// `skip` starts no run, `queue` waits until the previous run has ended, `allow` starts a second run.
    #[arg(long, value_name = "POLICY", value_parser = ["skip", "queue", "allow"], conflicts_with = "at")]
    pub overlap: Option<String>,
    /// Idempotency key: repeating the command with the same key adds no second schedule
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
}

/// Arguments of `abide schedule remove`.
#[derive(Debug, Args)]
pub struct ScheduleRemoveArgs {
    /// Id of the schedule, `tmr_…`
    pub id: String,
}
