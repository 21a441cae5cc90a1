//! Audits the database and its archives. Checks that hash chains are unbroken, that each call has at most one receipt,
//! and that something will wake every live run. Also checks that the tables agree with the events,
//! and that the domain's own rules hold.
//!
//! An audit reads in pages, each in a transaction of its own, so that it needs little memory and no long transaction.
//! What seems to break a rule because rows have changed between two pages is checked again in one transaction.

mod chain;

mod archives;
mod file;
mod pages;
mod records;
mod state;
mod stream;

use std::sync::Arc;

pub(super) use archives::path_of;
pub use state::{AuditReport, AuditScope, UnfinishedAudit};

use self::chain::breach;
use self::pages::Streams;
use self::state::{AuditState, Phase};
use super::engine::Engine;
use crate::base::{Problem, Timestamp, TypedId as _};
use crate::boxed;
use crate::driver::Core;
use crate::store::{KeyRange, SealName};
use crate::transaction;

/// Number of runs whose rows one transaction checks.
const RUNS_PER_PAGE: i64 = 1_000;
/// Number of streams after which an audit stores how far it has come.
const STREAMS_PER_SAVE: u64 = 5_000;

impl Engine {
    /// Checks everything, and stores nothing.
    #[boxed]
    pub async fn audit(&self) -> Result<AuditReport, Problem> {
        let now = self.core.now();
        let mut state = AuditState::new(AuditScope::Everything, now);
        let mut streams = Streams::default();
        while state.phase != Phase::End {
            step(&self.core, &mut state, &mut streams).await?;
        }
        Ok(state.report(now))
    }

    /// Checks a part: at most about `streams_max` streams, and the rest of what `scope` says if there are fewer. Stores
    /// how far it has come, for [`AuditScope::Resume`]; when it has ended without a breach, stores a seal, for
    /// [`AuditScope::SinceSeal`].
    #[boxed]
    pub async fn audit_part(
        &self,
        scope: AuditScope,
        streams_max: u64,
    ) -> Result<AuditReport, Problem> {
        let mut state = self.begin(scope).await?;
        let until = state.streams.saturating_add(streams_max);
        let mut save_at = state.streams + STREAMS_PER_SAVE;
        let mut streams = Streams::default();
        while state.phase != Phase::End && (state.streams < until || !streams.is_between()) {
            step(&self.core, &mut state, &mut streams).await?;
            if state.streams >= save_at && streams.is_between() {
                self.save(&state).await?;
                save_at = state.streams + STREAMS_PER_SAVE;
            }
        }
        self.save(&state).await?;
        Ok(state.report(self.core.now()))
    }

    /// Returns the state with which an audit begins or goes on.
    async fn begin(&self, scope: AuditScope) -> Result<AuditState, Problem> {
        let name = match scope {
            AuditScope::Everything => None,
            AuditScope::SinceSeal => Some(SealName::Last),
            AuditScope::Resume => Some(SealName::Progress),
        };
        let read = transaction!(|tx| {
            Ok(match name {
                Some(name) => tx.seal(name).await?,
                None => None,
            })
        });
        let stored = self.core.store.read(read).await?.map(AuditState::stored).transpose()?;
        let now = self.core.now();
        Ok(match (scope, stored) {
            (AuditScope::SinceSeal, Some(last)) => last.successor(now),
            (AuditScope::Resume, Some(progress)) => progress,
            _ => AuditState::new(AuditScope::Everything, now),
        })
    }

    /// Stores how far an audit has come, or its seal if it has ended without a breach.
    async fn save(&self, state: &AuditState) -> Result<(), Problem> {
        let (ended, clean) = (state.phase == Phase::End, state.breaches.is_empty());
        let task = transaction!([body = state.to_value()?], |tx| {
            if !ended {
                return Ok(tx.put_seal(SealName::Progress, &body).await?);
            }
            if clean {
                tx.put_seal(SealName::Last, &body).await?;
            }
            Ok(tx.end_seal(SealName::Progress).await?)
        });
        self.core.store.write(task).await
    }
}

/// Checks the next page.
async fn step(
    core: &Arc<Core>,
    state: &mut AuditState,
    streams: &mut Streams,
) -> Result<(), Problem> {
    match state.phase {
        Phase::Streams(after) => streams.next(core, state, after).await,
        Phase::Archives(after) => archives::next(core, state, after).await,
        Phase::Bases => archives::check_bases(core, state).await,
        Phase::Heads(first) => {
            if let Some(since) = state.since {
                return check_changed(core, state, streams, since).await;
            }
            let task = transaction!(|tx| {
                let range = tx.run_range(first, RUNS_PER_PAGE).await?;
                Ok(Checked { range, broken: tx.broken_heads(range).await? })
            });
            let Checked { range, broken } = core.store.read(task).await?;
            state.add_breaches(broken.into_iter().map(|(rule, run)| breach(rule, run)));
            state.phase = match range.next() {
                Some(first) => Phase::Heads(first),
                None => Phase::Requests(uuid::Uuid::nil()),
            };
            Ok(())
        }
        Phase::Requests(first) => {
            let task = transaction!([core = Arc::clone(core)], |tx| {
                let range = core.domain.audit_range(tx, first).await?;
                Ok(Checked { range, broken: core.domain.audit(tx, range).await? })
            });
            let Checked { range, broken } = core.store.read(task).await?;
            state.add_breaches(broken);
            state.phase = range.next().map_or(Phase::Rest, Phase::Requests);
            Ok(())
        }
        Phase::Rest => check_rest(core, state).await,
        Phase::End => Ok(()),
    }
}

/// A range that was checked, and what was found.
struct Checked<T> {
    range: KeyRange,
    broken: Vec<T>,
}

/// Checks the rules about the runs and requests whose streams have changed since an audit.
async fn check_changed(
    core: &Arc<Core>,
    state: &mut AuditState,
    streams: &mut Streams,
    since: i64,
) -> Result<(), Problem> {
    let changed = streams.changed(core, Timestamp::from_micros(since)).await?;
    for stream in changed.iter() {
        let range = KeyRange::one(stream.uuid());
        let task = transaction!([core = Arc::clone(core)], |tx| {
            let broken = tx.broken_heads(range).await?.into_iter();
            let mut found: Vec<_> = broken.map(|(rule, run)| breach(rule, run)).collect();
            found.extend(core.domain.audit(tx, range).await?);
            Ok(found)
        });
        let found = core.store.read(task).await?;
        state.add_breaches(found);
    }
    state.phase = Phase::Rest;
    Ok(())
}

/// Checks the rules about schedules, the domain's rules about everything but requests, and those of the tools.
async fn check_rest(core: &Arc<Core>, state: &mut AuditState) -> Result<(), Problem> {
    let task = transaction!([core = Arc::clone(core)], |tx| {
        let schedules = tx.broken_schedules().await?.into_iter();
        let mut found: Vec<_> = schedules.map(|(rule, id)| breach(rule, id.to_string())).collect();
        found.extend(core.domain.audit_rest(tx).await?);
        let broken = core.verbs.audit(tx).await?.into_iter();
        found.extend(broken.map(|row| breach(row.rule, row.id)));
        Ok(found)
    });
    let found = core.store.read(task).await?;
    state.add_breaches(found);
    state.phase = Phase::End;
    Ok(())
}
