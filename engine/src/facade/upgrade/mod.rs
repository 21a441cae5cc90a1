//! Runs that wait are moved to another version of their method: judged first, ordered in chunks, obeyed
//! by whoever works on them, and taken back as exactly.

mod judge;
mod order;
mod progress;
mod undo;

pub use judge::{UpgradeGroup, UpgradeView};
pub use order::UpgradeWish;
pub use progress::UpgradeProgress;
pub use undo::Undo;
