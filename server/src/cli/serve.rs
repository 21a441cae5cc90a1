//! `serve` and `worker`: the commands that keep running.

use abide_engine::base::Timestamp;
use clap::{Args, ValueEnum};

/// Source of the current time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClockKind {
    /// The machine's clock
    Real,
    /// A clock kept in the database, advanced only by `POST /v1/clock/advance`
    Virtual,
}

/// Gateway that carries text messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SmsKind {
    /// Stores messages locally and sends nothing to a phone
    Loopback,
    /// Sends through a Twilio account; not available in this version
    Twilio,
}

/// Arguments of `abide serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub listen: std::net::SocketAddr,
    /// Maximum number of runs to work on at a time [default: 256]; 0 leaves the work to `abide worker`
    #[arg(long, value_name = "N")]
    pub workers: Option<usize>,
    /// Source of the current time
    #[arg(long, value_enum, default_value_t = ClockKind::Real)]
    pub clock: ClockKind,
    /// Initial time of a new virtual clock, in RFC 3339 format
    #[arg(long, value_name = "TIME")]
    pub now: Option<Timestamp>,
    /// Gateway that carries text messages
    #[arg(long, value_enum, default_value_t = SmsKind::Loopback)]
    pub sms: SmsKind,
    /// Accept requests from this machine without a token; for development
    #[arg(long)]
    pub dev: bool,
    /// Park live runs that this version cannot continue, instead of refusing to start
    #[arg(long)]
    pub hold: bool,
}

/// Arguments of `abide worker`.
#[derive(Debug, Args)]
pub struct WorkerArgs {
    /// Maximum number of runs to work on at a time [default: 256]
    #[arg(long, value_name = "N")]
    pub workers: Option<usize>,
    /// Gateway that carries text messages
    #[arg(long, value_enum, default_value_t = SmsKind::Loopback)]
    pub sms: SmsKind,
    /// Park live runs that this version cannot continue, instead of refusing to start
    #[arg(long)]
    pub hold: bool,
}
