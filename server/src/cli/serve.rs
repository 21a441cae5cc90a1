//! `serve` and `worker`: the two that stay.

use abide_engine::base::Timestamp;
use clap::{Args, ValueEnum};

/// Where "now" comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClockKind {
    /// The machine's clock
    Real,
    /// A clock kept in the database that moves only by `POST /v1/clock/advance`
    Virtual,
}

/// Which gateway carries the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SmsKind {
    /// Texts stay inside: they are stored, and nobody's phone rings
    Loopback,
}

/// `abide serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Address to listen on; port 0 takes a free one and prints it
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub listen: std::net::SocketAddr,
    /// Workers of this process; 0 leaves the work to `abide worker`
    #[arg(long, value_name = "N")]
    pub workers: Option<usize>,
    /// Where "now" comes from
    #[arg(long, value_enum, default_value_t = ClockKind::Real)]
    pub clock: ClockKind,
    /// First instant of a new virtual clock, in RFC 3339
    #[arg(long, value_name = "T")]
    pub now: Option<Timestamp>,
    /// Which gateway carries the texts
    #[arg(long, value_enum, default_value_t = SmsKind::Loopback)]
    pub sms: SmsKind,
    /// No token needed from this machine; for development
    #[arg(long)]
    pub dev: bool,
    /// Park the runs that this program cannot carry on, instead of not starting
    #[arg(long)]
    pub hold: bool,
}

/// `abide worker`.
#[derive(Debug, Args)]
pub struct WorkerArgs {
    /// Workers of this process
    #[arg(long, value_name = "N")]
    pub workers: Option<usize>,
    /// Which gateway carries the texts
    #[arg(long, value_enum, default_value_t = SmsKind::Loopback)]
    pub sms: SmsKind,
    /// Park the runs that this program cannot carry on, instead of not starting
    #[arg(long)]
    pub hold: bool,
}
