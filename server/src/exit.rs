//! Exit codes of the process.

use std::process::ExitCode;

/// Result of a command that ran to its end. A command that was stopped early returns a problem instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Success (exit code 0).
    Success,
    /// The command found something wrong: findings, breaches, a failed or cancelled run (exit code 1).
    Failure,
    /// The awaited run completed, but fell short of its goal (exit code 3).
    FellShort,
    /// An approval is needed before the run starts (exit code 4).
    ApprovalNeeded,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => Self::SUCCESS,
            Exit::Failure => Self::from(1),
            Exit::FellShort => Self::from(3),
            Exit::ApprovalNeeded => Self::from(4),
        }
    }
}
