//! The part of the driver that works on runs: it claims due runs,
//! takes the steps of each run one after another, and commits each step.

mod actor;
mod heads;
mod outside;
mod shadow;

mod pump;

mod lane_a;

pub(crate) use lane_a::start_in_lane_a;
pub(super) use pump::{has_room_for_claims, pump};
