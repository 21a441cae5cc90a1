//! Moves waiting runs to another version of their method. First, each run is judged: can it move?
//! Then the runs that can move are given orders, many runs per commit. The process that drives a run
//! obeys the order. An upgrade can be undone for exactly the runs that it moved.

mod judge;
mod order;
mod progress;
mod undo;

pub use judge::{Judgement, UpgradeGroup, UpgradeView};
pub use order::UpgradeOptions;
pub use progress::UpgradeProgress;
pub use undo::{UndoOptions, UndoTarget};
