//! The tools of the calendar that compute free times.

mod find_slots;
mod free;

pub(super) use find_slots::FindSlots;
