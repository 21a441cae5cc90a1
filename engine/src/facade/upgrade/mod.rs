//! Moves waiting runs to another version of their method. Runs are judged first;
//! then they are given orders, in chunks. The process that drives a run obeys its order.
//! An upgrade can be undone for exactly the runs that it moved.

mod judge;
mod order;
mod progress;
mod undo;

pub use judge::{Judgement, UpgradeGroup, UpgradeView};
pub use order::UpgradeOptions;
pub use progress::UpgradeProgress;
pub use undo::{UndoOptions, UndoTarget};
