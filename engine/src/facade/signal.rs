//! Sends signals from outside to runs. Warns the sender if the run never waits for a signal of that name.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::control::{check_names, wrong_state};
use super::engine::Engine;
use super::runs::unknown_run;
use crate::base::{Digest, Problem, Value, did_you_mean, extent, limits, text};
use crate::library::Bundle;
use crate::method::{Graph, Node, StepAction};
use crate::store::{NewSignal, RunRef, SignalStored};
use crate::transaction;

/// A signal that a run has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentSignal {
    /// Whether the signal is new. False if the run had a signal with the same key before: then nothing was sent.
    pub is_new: bool,
    /// Reason why the run may never read the signal.
    pub warning: Option<String>,
}

impl Engine {
    /// Sends a named signal to a run. Sends nothing if the run has received a signal with the same name
    /// and key before.
    ///
    /// # Errors
    /// `unknown_run`; `wrong_state` if the run has ended; `too_many_signals`;
    /// `key_too_long` if the name or the key is too long; `signal_invalid` if the data is too large.
    pub fn signal<'a>(
        &'a self,
        RunRef { tenant, run }: RunRef<'a>,
        name: &'a str,
        data: &'a Value,
        key: Option<&'a str>,
    ) -> BoxFuture<'a, Result<SentSignal, Problem>> {
        Box::pin(async move {
            check_names([name].into_iter().chain(key))?;
            if let Some(why) = extent::excess(data, limits::SIGNAL_BYTES_MAX) {
                let message = format!("the data of the signal {why}");
                return Err(Problem::caller("signal_invalid", message)
                    .with_hint("pass the ids of long texts and lists instead of their contents"));
            }
            let mut data = data.clone();
            text::replace_nul(&mut data);
            let signal = NewSignal {
                tenant: tenant.to_owned(),
                run,
                name: name.to_owned(),
                dedupe: key.map(str::to_owned),
                payload: data.to_string(),
            };
            let (is_new, bundle) = match self.core.store.signal(signal).await? {
                SignalStored::Stored { bundle } => (true, bundle),
                SignalStored::Known { bundle } => (false, bundle),
                SignalStored::NoRun => return Err(unknown_run(run)),
                SignalStored::Ended(status) => return Err(wrong_state(status, "has ended")),
                SignalStored::TooMany => {
                    let message = "the run has too many open signals";
                    return Err(Problem::caller("too_many_signals", message));
                }
            };
            let warning = self.warning(bundle, name).await;
            self.settle().await?;
            Ok(SentSignal { is_new, warning })
        })
    }

    /// Returns a warning if no `await` step of the run's method waits for a signal of this name. The signal is stored,
    /// so a method that cannot be read must not make its sender send it again: then there is no warning.
    async fn warning(&self, bundle: Digest, name: &str) -> Option<String> {
        match self.bundle(bundle).await {
            Ok(bundle) => warning(&bundle.graph, name),
            Err(problem) => {
                tracing::warn!(?problem, "cannot check the name of a signal");
                None
            }
        }
    }

    async fn bundle(&self, digest: Digest) -> Result<Arc<Bundle>, Problem> {
        if let Some(bundle) = self.core.known_bundle(digest) {
            return Ok(bundle);
        }
        let load = transaction!([core = self.core.clone()], |tx| core.bundle(tx, digest).await);
        self.core.store.read(load).await
    }
}

/// Returns a warning if no `await` step of a graph waits for a signal of this name.
fn warning(graph: &Graph, name: &str) -> Option<String> {
    let awaited = || graph.nodes.iter().flat_map(awaited_signals);
    if awaited().any(|signal| signal == name) {
        return None;
    }
    let awaited: Vec<&str> = awaited().collect();
    let hint = match did_you_mean(name, awaited.iter().copied()) {
        Some(hint) => hint,
        None if awaited.is_empty() => "it awaits no signal at all".to_owned(),
        None => format!("it awaits `{}`", awaited.join("`, `")),
    };
    Some(format!("no `await` of `{}` takes `{name}`; {hint}", graph.method))
}

/// Returns the names of the signals that a step waits for; none unless the step is an `await`.
fn awaited_signals(node: &Node) -> impl Iterator<Item = &str> {
    let signals = match &node.action {
        StepAction::Await(wait) => wait.signals.as_slice(),
        _ => &[],
    };
    signals.iter().map(|awaited| awaited.signal.as_str())
}
