//! Plays shadow runs, outside of any transaction.

use std::sync::Arc;

use super::super::core::{Core, Preview, not_available};
use super::super::step::RunInMemory;
use crate::base::Problem;
use crate::store::is_infrastructure;

/// Returns what a shadow run would do. Anything but a passing failure is part of that: a run that could not
/// start would fail.
pub(super) async fn preview(core: &Arc<Core>, live: &RunInMemory) -> Result<Preview, Problem> {
    let previewer = core.previewer.clone().ok_or_else(not_available)?;
    let _outside = core.claims.go_outside();
    core.bells.ring_runs(); // another run may be driven meanwhile
    match previewer.preview(core, live.id).await {
        Err(problem) if !problem.is_transient() && !is_infrastructure(&problem) => {
            Ok(Preview::refused(problem, core.now()))
        }
        played => played,
    }
}
