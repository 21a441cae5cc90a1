//! Methods that change while they have live runs: publishing, rolling back and upgrading runs.

mod publish;
mod stranded;
mod upgrade;
