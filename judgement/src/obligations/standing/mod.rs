//! Orders that a run keeps up or brings about: MAINTAIN, AVOID, ACHIEVE of a state that can be sensed, and whatever is to
//! be done later.
//!
//! `times` reads when an order binds, `order` finds the tools for it, `method` writes the method of its run. All three
//! are pure, and so is `later`, which reads the times of a text. `keep` stores the order and starts the run; `watch` guards
//! avoided states and settles what has ended.

mod keep;
mod later;
mod method;
mod order;
mod times;
mod watch;

pub(super) use later::OrderText;
pub(super) use order::Seeker;
pub(crate) use watch::{after_call, before_call, cancel, refusal, run_ended, take_up};
