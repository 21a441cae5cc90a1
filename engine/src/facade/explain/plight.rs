//! What is known of a run that somebody asks about.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::ahead::Ahead;
use super::saying::Eyes;
use crate::base::problem::Blame;
use crate::base::{Problem, RunId, Timestamp, limits};
use crate::driver::{self, Core};
use crate::facade::view::{self, RunView};
use crate::policy::{Month, Settings, Skew};
use crate::run::{Phase, SCHEDULED};
use crate::store::{Dialect, HeldBack, LiveNode, RunRow, Tx};

/// A run and everything round it that keeps it where it is.
pub(super) struct Plight {
    /// The run as it is shown.
    pub(super) run: RunView,
    /// The tenant whose it is.
    pub(super) tenant: String,
    /// It is a branch or a round of the run that waits for it, not a run of a method of its own.
    pub(super) branch: bool,
    /// What follows.
    pub(super) ahead: Ahead,
    /// It waits for a time that it has scheduled.
    pub(super) scheduled: bool,
    /// The kill switch is on.
    pub(super) switched_off: bool,
    /// Messages of it that may not leave yet.
    pub(super) held: Option<Held>,
    /// It was set aside because it brought its worker down, not paused by somebody.
    pub(super) poison: bool,
    /// Who must act on its failure.
    pub(super) blame: Option<Blame>,
    /// How many of the runs that it started are still at work.
    pub(super) children: usize,
    /// The first of them.
    pub(super) child: Option<Box<Plight>>,
    /// Who could work on it.
    pub(super) workers: Workers,
}

/// Which processes could work on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Workers {
    /// There are some, or whoever asks is the one.
    Present,
    /// No process drives this database.
    Missing,
    /// Some do, but their clocks are too far off to take work.
    ClocksOff,
}

impl Workers {
    /// Of this database. An embedded file, and a virtual clock, have one process.
    pub(super) async fn of(core: &Core, tx: &mut Tx) -> Result<Self, Problem> {
        if tx.dialect() == Dialect::Sqlite || core.virtual_time {
            return Ok(Self::Present);
        }
        let nodes = tx.live_nodes().await?;
        let off = |node: &LiveNode| node.skew.is_some_and(|skew| Skew::of(skew) == Skew::TooMuch);
        Ok(match nodes.iter().all(off) {
            true if nodes.is_empty() => Self::Missing,
            true => Self::ClocksOff,
            false => Self::Present,
        })
    }
}

/// Messages that may not leave yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) count: i64,
    pub(super) until: Timestamp,
    pub(super) by: HeldBy,
}

/// What holds messages back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeldBy {
    /// Nobody is texted at this hour.
    QuietHours,
    /// The month's budget is used up.
    Budget,
    /// Only so many leave a minute.
    Rate,
    /// The provider did not take them the last time.
    Provider,
    /// They were meant for later.
    Plan,
}

impl Plight {
    /// Of a run, and of what it waits for, down to the youngest.
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
            // Nobody has to say what its timer says.
            ahead.signals.retain(|name| timer.is_none() || name != SCHEDULED);
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

/// The messages of a run that are held back and will leave: those whose reason still stands.
async fn held(core: &Core, tx: &mut Tx, run: RunId) -> Result<Vec<HeldBack>, Problem> {
    let held = tx.held_back(run).await?;
    let causes: Vec<_> = held.iter().map(|message| message.cause.clone()).collect();
    let open = core.domain.causes_open(tx, &causes).await?;
    Ok(held.into_iter().zip(open).filter(|(_, open)| *open).map(|(message, _)| message).collect())
}

/// Which rule it is that holds messages, of which the first leaves first.
pub(super) fn held_by(held: &[HeldBack], settings: &Settings, eyes: &Eyes) -> Option<Held> {
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
