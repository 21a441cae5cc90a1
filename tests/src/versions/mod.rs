//! Methods change while they have live runs: versions are published and rolled back, and runs are upgraded.

mod publish;
mod stranded;
mod upgrade;
