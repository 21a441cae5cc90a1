//! `schedule …`: what starts by itself.

use clap::{ArgGroup, Args, Subcommand};

/// The commands on schedules.
#[derive(Debug, Subcommand)]
pub enum ScheduleCommand {
    /// List what starts by itself: when next, and what it started last
    List(ScheduleList),
    /// Have a method started again and again, or once at a time to come
    Add(ScheduleAdd),
    /// Take a schedule away; what it started goes on
    Remove(ScheduleRemove),
}

/// `abide schedule list`.
#[derive(Debug, Args)]
pub struct ScheduleList {
    /// The messages that a run has scheduled for itself, instead
    #[arg(long, value_name = "ID")]
    pub run: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}

/// `abide schedule add`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("when").required(true).args(["cron", "at"]))]
pub struct ScheduleAdd {
    /// The method's name
    pub method: String,
    /// What each run is to reach, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub goal: String,
    /// When, again and again: minute, hour, day of month, month, day of week
    #[arg(long, value_name = "EXPR")]
    pub cron: Option<String>,
    /// When, once, such as `2025-10-05T09:00:00-05:00`; what has passed starts at once
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// The zone whose clock counts [default: the setting `time_zone`]
    #[arg(long, value_name = "TZ")]
    pub tz: Option<String>,
    /// What becomes of times that were missed in an outage: none of them is made up for, one run
    /// stands for all, or each is made up for [default: one]
    #[arg(long, value_name = "P", value_parser = ["none", "one", "all"], conflicts_with = "at")]
    pub catch_up: Option<String>,
    /// What becomes of a time at which the last run is still at work: it is left out, it waits, or
    /// it starts all the same [default: skip]
    #[arg(long, value_name = "P", value_parser = ["skip", "queue", "allow"], conflicts_with = "at")]
    pub overlap: Option<String>,
    /// The same key adds the same schedule once
    #[arg(long, value_name = "K")]
    pub key: Option<String>,
}

/// `abide schedule remove`.
#[derive(Debug, Args)]
pub struct ScheduleRemove {
    /// The schedule's id, `tmr_…`
    pub id: String,
}
