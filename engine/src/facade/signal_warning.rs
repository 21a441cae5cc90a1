//! Warns a sender if the run that gets a signal never waits for a signal of that name.

use super::engine::Engine;
use crate::base::{Problem, RunId, did_you_mean};
use crate::boxed;
use crate::method::{Node, StepAction};

impl Engine {
    /// Returns a warning if no `await` step of a run's method waits for a signal of this name.
    ///
    /// # Errors
    /// `unknown_run`.
    #[boxed]
    pub async fn signal_warning(
        &self,
        tenant: &str,
        run: RunId,
        name: &str,
    ) -> Result<Option<String>, Problem> {
        let graph = self.graph(tenant, run).await?;
        let awaited: Vec<&str> = graph.nodes.iter().flat_map(awaited_signals).collect();
        Ok((!awaited.contains(&name)).then(|| {
            let hint = match did_you_mean(name, awaited.iter().copied()) {
                Some(hint) => hint,
                None if awaited.is_empty() => "it awaits no signal at all".to_owned(),
                None => format!("it awaits `{}`", awaited.join("`, `")),
            };
            format!("no `await` of `{}` takes `{name}`; {hint}", graph.method)
        }))
    }
}

/// Returns the names of the signals that a step waits for; none unless the step is an `await`.
fn awaited_signals(node: &Node) -> impl Iterator<Item = &str> {
    let signals = match &node.action {
        StepAction::Await(wait) => wait.signals.as_slice(),
        _ => &[],
    };
    signals.iter().map(|awaited| awaited.signal.as_str())
}
