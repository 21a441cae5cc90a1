//! Applies the stored inbound messages of all tenants.

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream;

use super::super::core::{Core, Pumped, TRIED_EVERY};
use super::apply::{ApplyOutcome, apply_locked};
use super::order::{ApplyUnit, MessageChain, ReadMessage};
use super::reading::Interpretation;
use super::rest::Rest;
use super::{order, reading, set_aside, together};
use crate::base::{Problem, limits};
use crate::store::{Dialect, InboundRow, is_conflict, is_fatal, is_infrastructure};
use crate::transaction;

/// Maximum number of times that a message is interpreted, if the asks of its sender keep changing.
const READINGS_MAX: u32 = 3;

/// Number of pieces of work that are queued at a time. On PostgreSQL, those that apply messages to one request share a
/// transaction, which keeps the request locked until the last of them is done.
const ABREAST: usize = 32;

/// How many times the rest of a unit is tried together, after a message that had to be applied by itself. Each time, what
/// all its senders can answer is read.
const TOGETHER_MAX: usize = 4;

/// Applies stored inbound messages until only messages that must wait are left.
pub(in crate::driver) async fn pump(core: Arc<Core>) -> Result<Pumped, Problem> {
    let core = &core;
    let mut pumped = Pumped::default();
    loop {
        let (began, received) = (core.now(), core.received());
        let (mut waits, mut done) = (false, 0);
        let rounds = tenants(core).await?.into_iter().map(|tenant| round(core, tenant));
        let mut rounds = stream::iter(rounds).buffer_unordered(limits::APPLY_TENANTS_MAX);
        while let Some(round) = rounds.next().await {
            let round = round?;
            done += round.done;
            waits |= round.waits;
        }
        pumped.did += done;
        pumped.due = waits.then(|| core.now() + TRIED_EVERY);
        if done == 0 || core.is_stopping() {
            return Ok(pumped);
        }
        let now = core.now();
        give_way(core, Rest::after(now - began, now, received)).await;
    }
}

/// On an embedded database, one writer stores messages and applies them. While many messages are delivered, this part of the
/// driver therefore rests between its rounds of work.
async fn give_way(core: &Core, mut rest: Rest) {
    while core.store.dialect() == Dialect::Sqlite
        && let Some(at) = rest.next_look(core.now(), core.received())
    {
        core.until(Some(at)).await;
    }
}

async fn tenants(core: &Core) -> Result<Vec<String>, Problem> {
    let read_one = transaction!(|tx| Ok(tx.tenants_with_inbound().await?));
    core.store.read_one(read_one).await
}

/// The result of applying some messages of a tenant.
#[derive(Default)]
struct Round {
    done: u64,
    /// Whether any message could not be applied yet and must be tried again later.
    waits: bool,
}

impl Round {
    fn add(&mut self, other: Self) {
        self.done += other.done;
        self.waits |= other.waits;
    }

    /// Counts a message, which is applied or must wait.
    fn count(&mut self, is_applied: bool) {
        match is_applied {
            true => self.done += 1,
            false => self.waits = true,
        }
    }
}

/// Applies the oldest messages of a tenant. Groups the messages that may affect each other into chains.
/// The messages of one chain are applied one after another; the chains are processed concurrently.
async fn round(core: &Arc<Core>, tenant: String) -> Result<Round, Problem> {
    let limit = match core.store.dialect() {
        Dialect::Sqlite => limits::APPLY_MESSAGES_MAX,
        Dialect::Postgres => limits::APPLY_MESSAGES_OF_SERVER_MAX,
    };
    let limit = i64::try_from(limit).unwrap_or(1);
    let read_one = transaction!([tenant], |tx| Ok(tx.unapplied(&tenant, limit).await?));
    let messages = core.store.read_one(read_one).await?;
    let holds_up = messages.len() > 1;
    let chains = order::chains(core, messages).await;
    let chains = chains.into_iter().map(|chain| apply_chain(core, chain, holds_up));
    let mut chains = stream::iter(chains).buffer_unordered(ABREAST);
    let mut round = Round::default();
    while let Some(chain) = chains.next().await {
        round.add(chain?);
    }
    Ok(round)
}

/// Applies the messages of a chain in their order. The units of a group are queued one after another and share commits.
/// A message is not applied before an earlier one that it depends on, because each transaction looks for earlier
/// messages. Stops after a group with a message that must wait. `holds_up` says whether messages of other chains may wait
/// for these.
async fn apply_chain(
    core: &Arc<Core>,
    chain: MessageChain,
    holds_up: bool,
) -> Result<Round, Problem> {
    let mut round = Round::default();
    for group in chain.groups {
        if core.is_stopping() || round.waits {
            break;
        }
        let each = group.into_iter().map(|unit| apply_unit(core, unit, holds_up));
        let mut applied = stream::iter(each).buffered(ABREAST);
        while let Some(applied) = applied.next().await {
            round.add(applied?);
        }
    }
    Ok(round)
}

/// Applies the messages of a unit: as many as possible together, and the others one by one.
async fn apply_unit(core: &Arc<Core>, unit: ApplyUnit, holds_up: bool) -> Result<Round, Problem> {
    let (mut round, mut messages) = (Round::default(), unit.messages);
    for _ in 0..TOGETHER_MAX {
        if messages.len() < 2 {
            break;
        }
        let Some(together) = try_together(core, &messages).await? else {
            return Ok(Round { waits: true, ..round });
        };
        messages.drain(..together).for_each(|read| settled(core, &read.message));
        round.done += together as u64;
        // The next one is no plain answer after all. Those after it may be.
        if !messages.is_empty() {
            round.count(apply_one(core, messages.remove(0), holds_up).await?);
        }
    }
    let each = messages.into_iter().map(|read| apply_one(core, read, holds_up));
    let mut applied = stream::iter(each).buffered(ABREAST);
    while let Some(applied) = applied.next().await {
        round.count(applied?);
    }
    Ok(round)
}

/// Applies the first of several messages together. Returns how many, or `None` if the database is not available, so that
/// all must wait. What keeps a message from being applied is found out when it is tried alone.
async fn try_together(
    core: &Arc<Core>,
    messages: &[ReadMessage],
) -> Result<Option<usize>, Problem> {
    match together::apply_together(core, messages).await {
        Ok(applied) => Ok(Some(applied)),
        Err(problem) if is_fatal(&problem) => Err(problem),
        Err(problem) => {
            tracing::warn!(code = %problem.code, "messages are not applied together: {problem}");
            Ok((!is_away(&problem)).then_some(0))
        }
    }
}

/// Whether the database is not available for a while.
fn is_away(problem: &Problem) -> bool {
    is_infrastructure(problem) && !is_conflict(problem)
}

/// Applies a message, and forgets what was remembered of it. Returns false if the message must wait.
async fn apply_one(core: &Arc<Core>, read: ReadMessage, holds_up: bool) -> Result<bool, Problem> {
    let ReadMessage { message, understood } = read;
    if !one(core, &message, understood, holds_up).await? {
        return Ok(false);
    }
    settled(core, &message);
    Ok(true)
}

/// Forgets what was remembered of a message, because it is applied. Tells who waits for that.
fn settled(core: &Core, message: &InboundRow) {
    core.tries.forget(message.id);
    core.proposals.forget(message.id);
    core.awaited.tell(message);
}

/// Applies a message, or sets it aside for staff if it cannot be applied. Returns false if the message
/// must wait. `understood` is the latest interpretation of the message. If it is `None`, this function
/// interprets the message first. `holds_up` says whether later messages wait for this one.
async fn one(
    core: &Arc<Core>,
    message: &Arc<InboundRow>,
    mut understood: Option<Arc<Interpretation>>,
    holds_up: bool,
) -> Result<bool, Problem> {
    for _ in 0..READINGS_MAX {
        let read = match understood.take() {
            Some(understood) => Ok(understood),
            None => reading::understand(core, message).await.map(Arc::new),
        };
        let settled = match read {
            Ok(understood) => reading::settle_doubt(core, message, understood, holds_up).await,
            Err(problem) => Err(problem),
        };
        let tried = match settled {
            Ok(Some(understood)) => apply_locked(core, message, understood).await,
            Ok(None) => return Ok(false),
            Err(problem) => Err(problem),
        };
        match tried {
            Ok(ApplyOutcome::Applied) => return Ok(true),
            Ok(ApplyOutcome::NotNow) => return Ok(false),
            Ok(ApplyOutcome::Reinterpret | ApplyOutcome::Rehearsed(_)) => {}
            Err(problem) => return failed(core, message, problem).await,
        }
    }
    let problem =
        Problem::transient("asks_kept_changing", "the open asks of the sender kept changing");
    failed(core, message, problem).await
}

/// Handles a message that could not be applied. If the failure is permanent or has occurred too often,
/// sets the message aside and returns true. Otherwise returns false; the message is tried again later.
/// Failures while the database is unavailable or full are not counted.
async fn failed(
    core: &Arc<Core>,
    message: &Arc<InboundRow>,
    problem: Problem,
) -> Result<bool, Problem> {
    if is_fatal(&problem) {
        return Err(problem);
    }
    if is_away(&problem)
        || (problem.is_transient() && !core.tries.count_and_check(message.id, core.now()))
    {
        tracing::warn!(message = %message.id, code = %problem.code, "the message is not applied yet: {problem}");
        return Ok(false);
    }
    match set_aside::set_aside(core, message, &problem).await {
        Err(problem) if !is_fatal(&problem) => {
            tracing::warn!(message = %message.id, code = %problem.code, "the message is not set aside yet: {problem}");
            Ok(false)
        }
        other => other,
    }
}
