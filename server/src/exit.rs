//! How the process ends.

use std::process::ExitCode;

/// What a command that did not fail has to tell by its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done, and all is well.
    Done,
    /// Done, and what was looked for is not well: findings, breaches, a failed or cancelled run.
    Unwell,
    /// The run that was waited for completed, and fell short of its goal.
    FellShort,
    /// An approval is needed first.
    Approval,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => Self::SUCCESS,
            Exit::Unwell => Self::from(1),
            Exit::FellShort => Self::from(3),
            Exit::Approval => Self::from(4),
        }
    }
}
