//! Reads the data from which the explanation of a run is built.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::next_steps::NextSteps;
use super::wording::Reader;
use crate::base::problem::Blame;
use crate::base::{Problem, RunId, Timestamp, limits};
use crate::driver::{self, Core};
use crate::facade::run_view::{self, RunView};
use crate::facade::waiting_on::{AwaitedSignals, WaitKind};
use crate::policy::{Month, Settings, Skew};
use crate::run::Phase;
use crate::store::{Dialect, LiveNode, PostponedMessage, RunRow, Tx};

/// A run, and all data about it from which the explanation is built.
pub(super) struct Diagnosis {
    /// The run, as the API shows it.
    pub(super) run: RunView,
    /// The tenant that owns the run.
    pub(super) tenant: String,
    /// Whether this run is a branch or a round of another run. False for a run that was started
    /// by a person, a schedule or a call of a method.
    pub(super) branch: bool,
    /// Steps that the run executes after its current step.
    pub(super) next: NextSteps,
    /// Names of the signals that the run needs from somebody, apart from answers to its questions.
    pub(super) signals: Vec<String>,
    /// Whether the run waits for a message that it has scheduled for itself.
    pub(super) scheduled: bool,
    /// Whether the tenant's kill switch is on.
    pub(super) switched_off: bool,
    /// The run's messages that must not be sent yet; `None` if there are none.
    pub(super) held: Option<HeldBack>,
    /// Whether the run is in quarantine. False for a run that was paused by an order.
    pub(super) quarantined: bool,
    /// Who must act on the run's failure; `None` if the run has not failed.
    pub(super) blame: Option<Blame>,
    /// Number of child runs that have not ended; 0 unless the run waits for its child runs.
    pub(super) children: usize,
    /// Diagnosis of the first child run that has not ended; `None` if there is none.
    pub(super) child: Option<Box<Diagnosis>>,
    /// Whether any process can work on the run.
    pub(super) workers: Workers,
}

/// Whether any process can work on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Workers {
    /// A process can work on the run. This is always assumed if no other process uses the database.
    Present,
    /// No process drives runs of the database.
    Missing,
    /// Processes drive runs of the database, but their clocks differ too much from the database's clock.
    /// So these processes claim no runs.
    ClocksOff,
}

impl Workers {
    /// Determines whether any process can work on runs of this database.
    /// If the database is a SQLite file or the clock is virtual, only this process uses the database,
    /// so the result is [`Workers::Present`].
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

/// Messages of a run that must not be sent yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeldBack {
    pub(super) count: i64,
    pub(super) until: Timestamp,
    pub(super) reason: HoldReason,
}

/// Why messages must not be sent yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HoldReason {
    /// The recipients are in their quiet hours, so no message is sent to them.
    QuietHours,
    /// The month's budget is used up.
    Budget,
    /// The maximum number of messages per minute is reached.
    Rate,
    /// A message was handed to the provider before, but the provider did not accept it.
    Provider,
    /// The messages are planned for later.
    Plan,
}

impl HeldBack {
    /// Determines which rule delays the postponed messages of a run. The caller must sort the messages
    /// by the time from which they may be sent. Returns `None` if there are no messages,
    /// or if the first message may be sent now.
    fn of(held: &[PostponedMessage], settings: &Settings, reader: &Reader) -> Option<Self> {
        let until = held.first().map(|first| first.until).filter(|until| *until > reader.now)?;
        let count = i64::try_from(held.len()).unwrap_or(i64::MAX);
        let tried = held.iter().any(|message| message.tried);
        let month_ends = Month::of(reader.now, &reader.zone).until;
        let reason = if tried {
            HoldReason::Provider
        } else if settings.messages_per_month.is_some() && until == month_ends {
            HoldReason::Budget
        } else if settings.quiet_hours.permitted(reader.now, &reader.zone) > reader.now {
            HoldReason::QuietHours
        } else if settings.fan_out_per_minute.is_some() {
            HoldReason::Rate
        } else {
            HoldReason::Plan
        };
        Some(Self { count, until, reason })
    }
}

impl Diagnosis {
    /// Reads the data about a run and, recursively, about the first child run that it waits for.
    /// Sets the field `workers` to [`Workers::Present`]; the caller must replace this value.
    pub(super) fn of<'a>(
        core: &'a Arc<Core>,
        tx: &'a mut Tx,
        row: RunRow,
        reader: &'a Reader,
    ) -> BoxFuture<'a, Result<Self, Problem>> {
        Box::pin(async move {
            let state = row.parsed_state()?;
            let (id, tenant) = (row.id, row.tenant.clone());
            let bundle = core.bundle(tx, row.bundle).await?;
            let run = run_view::full(core, tx, row).await?;
            let settings = core.settings(tx, &tenant).await?;
            let waiting = run.waiting_on.as_ref().map(|wait| wait.kind);
            let open = match waiting {
                Some(WaitKind::Child) => tx.live_children(id).await?,
                _ => Vec::new(),
            };
            let depth = state.lineage.as_ref().map_or(0, |lineage| lineage.depth);
            let first = match open.first() {
                Some(child) if depth <= limits::CHILDREN_DEPTH_MAX => tx.run(*child).await?,
                _ => None,
            };
            let awaited = AwaitedSignals::of(tx, id, &bundle.graph, &state).await?;
            let answered = |name: &str| {
                waiting == Some(WaitKind::Answer) && driver::is_asked_for(&bundle, name)
            };
            Ok(Self {
                branch: matches!(state.phase, Phase::Branch { .. } | Phase::Item { .. }),
                next: NextSteps::of(&bundle.graph, &state),
                signals: awaited.sent_by_others().filter(|name| !answered(name)).cloned().collect(),
                scheduled: awaited.scheduled_at.is_some(),
                switched_off: tx.tenant(&tenant).await?.is_some_and(|tenant| tenant.paused),
                held: HeldBack::of(&held_messages(core, tx, id).await?, &settings, reader),
                quarantined: waiting == Some(WaitKind::Quarantine),
                blame: state.error.map(|error| error.problem.blame),
                children: open.len(),
                child: match first {
                    Some(row) => Some(Box::new(Self::of(core, tx, row, reader).await?)),
                    None => None,
                },
                run,
                tenant,
                workers: Workers::Present,
            })
        })
    }
}

/// Returns the postponed messages of a run. Leaves out messages that will not be sent
/// because the offer or question that they belong to has ended.
async fn held_messages(
    core: &Core,
    tx: &mut Tx,
    run: RunId,
) -> Result<Vec<PostponedMessage>, Problem> {
    let held = tx.postponed_messages(run).await?;
    let causes: Vec<_> = held.iter().map(|message| message.cause.clone()).collect();
    let open = core.domain.causes_hold(tx, &causes).await?;
    Ok(held.into_iter().zip(open).filter(|(_, open)| *open).map(|(message, _)| message).collect())
}
