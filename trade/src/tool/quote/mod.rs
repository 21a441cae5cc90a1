//! What only quotes do.

mod update;

pub(super) use update::Update;
