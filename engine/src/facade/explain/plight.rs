//! Gathers the facts that the explanation of a run is built from.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::ahead::Ahead;
use super::saying::Eyes;
use crate::base::problem::Blame;
use crate::base::{Problem, RunId, Timestamp, limits};
use crate::driver::{self, Core};
use crate::facade::view::{self, RunView};
use crate::policy::{Month, Settings, Skew};
use crate::run::{Phase, SCHEDULED_SIGNAL};
use crate::store::{Dialect, LiveNode, PostponedMessage, RunRow, Tx};

/// A run, and everything that may keep it from moving.
pub(super) struct Plight {
    /// The run, as the API shows it.
    pub(super) run: RunView,
    /// The tenant that owns the run.
    pub(super) tenant: String,
    /// Whether it is a branch or a round of the run that waits for it, not a run of a method of its own.
    pub(super) branch: bool,
    /// What it does after its current step.
    pub(super) ahead: Ahead,
    /// Whether it waits for a message that it has scheduled for itself.
    pub(super) scheduled: bool,
    /// Whether the tenant's kill switch is on.
    pub(super) switched_off: bool,
    /// Its messages that may not leave yet, if there are any.
    pub(super) held: Option<Held>,
    /// Whether it is paused because it crashed the processes that worked on it, and not by an order.
    pub(super) poison: bool,
    /// Who must act on its failure, if it has failed.
    pub(super) blame: Option<Blame>,
    /// Number of its child runs that have not ended; 0 unless it waits for them.
    pub(super) children: usize,
    /// The first of these child runs.
    pub(super) child: Option<Box<Plight>>,
    /// Whether any process can work on it.
    pub(super) workers: Workers,
}

/// Whether any process can work on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Workers {
    /// At least one can, or the process that asks is the only one.
    Present,
    /// No process drives the database.
    Missing,
    /// Processes drive the database, but their clocks are too far off, so they take no work.
    ClocksOff,
}

impl Workers {
    /// Determines this for the database. With an embedded file or a virtual clock, the process that asks is
    /// the only one.
    pub(super) async fn of(core: &Core, tx: &mut Tx) -> Result<Self, Problem> {
        if tx.dialect() == Dialect::Sqlite || core.virtual_time {
            return Ok(Self::Present);
        }
        let nodes = tx.live_nodes().await?;
        let off =
            |node: &LiveNode| node.skew.is_some_and(|skew| Skew::classify(skew) == Skew::Excessive);
        Ok(match nodes.iter().all(off) {
            true if nodes.is_empty() => Self::Missing,
            true => Self::ClocksOff,
            false => Self::Present,
        })
    }
}

/// Messages of a run that may not leave yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) count: i64,
    pub(super) until: Timestamp,
    pub(super) by: HeldBy,
}

/// Why messages are held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeldBy {
    /// Quiet hours: nobody is texted now.
    QuietHours,
    /// The month's budget is used up.
    Budget,
    /// The maximum number of messages per minute is reached.
    Rate,
    /// The provider did not accept them at the last attempt.
    Provider,
    /// They are planned for later.
    Plan,
}

impl Plight {
    /// Gathers the facts about a run and, recursively, about the first child run that it waits for.
    /// `workers` is left to the caller.
    pub(super) fn of<'a>(
        core: &'a Arc<Core>,
        tx: &'a mut Tx,
        (row, eyes): (RunRow, &'a Eyes),
    ) -> BoxFuture<'a, Result<Self, Problem>> {
        Box::pin(async move {
            let state = view::state_of(&row)?;
            let (id, tenant) = (row.id, row.tenant.clone());
            let bundle = core.bundle(tx, row.bundle).await?;
            let run = view::whole(core, tx, row).await?;
            let settings = core.settings(tx, &tenant).await?;
            let waiting = run.waiting_on.as_ref().map(|wait| wait.kind.as_str());
            let open = match waiting {
                Some("child") => tx.live_children(id).await?,
                _ => Vec::new(),
            };
            let depth = state.lineage.as_ref().map_or(0, |lineage| lineage.depth);
            let first = match open.first() {
                Some(child) if depth <= limits::CHILDREN_DEPTH_MAX => tx.run(*child).await?,
                _ => None,
            };
            let mut ahead = Ahead::of(&bundle.graph, &state);
            let timer = view::timer(tx, (id, &state), &ahead.signals).await?;
            // Nobody has to send the signal that its own timer sends.
            ahead.signals.retain(|name| timer.is_none() || name != SCHEDULED_SIGNAL);
            if waiting == Some("answer") {
                ahead.signals.retain(|name| !driver::is_asked_for(&bundle, name));
            }
            let poison = waiting == Some("quarantine");
            Ok(Self {
                branch: matches!(state.phase, Phase::Branch { .. } | Phase::Item { .. }),
                ahead,
                scheduled: timer.is_some(),
                switched_off: tx.tenant(&tenant).await?.is_some_and(|tenant| tenant.paused),
                held: held_by(&held(core, tx, id).await?, &settings, eyes),
                poison,
                blame: state.error.map(|error| error.problem.blame),
                children: open.len(),
                child: match first {
                    Some(row) => Some(Box::new(Self::of(core, tx, (row, eyes)).await?)),
                    None => None,
                },
                run,
                tenant,
                workers: Workers::Present,
            })
        })
    }
}

/// Returns the held messages of a run that are still going to leave: those whose cause still holds.
async fn held(core: &Core, tx: &mut Tx, run: RunId) -> Result<Vec<PostponedMessage>, Problem> {
    let held = tx.postponed_messages(run).await?;
    let causes: Vec<_> = held.iter().map(|message| message.cause.clone()).collect();
    let open = core.domain.causes_hold(tx, &causes).await?;
    Ok(held.into_iter().zip(open).filter(|(_, open)| *open).map(|(message, _)| message).collect())
}

/// Determines which rule holds these messages, which are sorted by the time at which they may leave.
pub(super) fn held_by(held: &[PostponedMessage], settings: &Settings, eyes: &Eyes) -> Option<Held> {
    let until = held.first().map(|first| first.until).filter(|until| *until > eyes.now)?;
    let count = i64::try_from(held.len()).unwrap_or(i64::MAX);
    let tried = held.iter().any(|message| message.tried);
    let month_ends = Month::of(eyes.now, &eyes.zone).until;
    let by = if tried {
        HeldBy::Provider
    } else if settings.messages_per_month.is_some() && until == month_ends {
        HeldBy::Budget
    } else if settings.quiet_hours.permitted(eyes.now, &eyes.zone) > eyes.now {
        HeldBy::QuietHours
    } else if settings.fan_out_per_minute.is_some() {
        HeldBy::Rate
    } else {
        HeldBy::Plan
    };
    Some(Held { count, until, by })
}
