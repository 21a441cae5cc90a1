//! Keeps a claimed run in memory: the head of the run after the last commit, and cached variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::core::TenantSettings;
use crate::base::{Digest, Problem, RequestId, RunId, Timestamp, Value};
use crate::library::Bundle;
use crate::policy::Settings;
use crate::run::{PLAN_STATE_V, RunState, RunStatus, SHADOW_STATE_V, STATE_V, WaitingFor};
use crate::store::{Claim, Fence, NewRun, OpenSignals, RunRow};

/// A run that this process owns, as it is after the last commit.
#[derive(Debug, Clone)]
pub(in crate::driver) struct RunInMemory {
    pub(in crate::driver) id: RunId,
    pub(in crate::driver) tenant: Arc<str>,
    pub(in crate::driver) request: Option<RequestId>,
    pub(in crate::driver) bundle: Arc<Bundle>,
    pub(in crate::driver) settings: Arc<Settings>,
    /// The version number of the tenant's row from which the settings were read.
    pub(in crate::driver) settings_version: i64,
    pub(in crate::driver) version: i64,
    pub(in crate::driver) campaign: i64,
    pub(in crate::driver) created_at: Timestamp,
    pub(in crate::driver) epoch: i64,
    pub(in crate::driver) seq: i64,
    /// Number of times that the run was claimed since its last commit, including the current claim.
    pub(in crate::driver) claims: i64,
    /// The value of the run's wake counter when its signals were last read.
    /// Every wake-up increments the counter.
    pub(in crate::driver) wake_seen: i64,
    /// The signals that the run had not consumed when its signals were last read.
    pub(in crate::driver) signals: OpenSignals,
    pub(in crate::driver) status: RunStatus,
    pub(in crate::driver) state: RunState,
    pub(in crate::driver) last_hash: Digest,
    pub(in crate::driver) last_at: Timestamp,
    /// The variables that were loaded or assigned since this process claimed the run.
    pub(in crate::driver) vars: Vars,
    /// The digest of the stored arguments of the call at which the run was claimed, and the arguments.
    pub(in crate::driver) args: Option<(Digest, Arc<Value>)>,
    /// If the last commit stored the intent of a call to an outside system, the digest of its stored request, and the request.
    pub(in crate::driver) wanted: Option<(Digest, Arc<Value>)>,
}

/// Variables in memory, by name. `None` means that the variable was never assigned.
pub(in crate::driver) type Vars = BTreeMap<String, Option<Arc<Value>>>;

/// What a new run starts with.
pub(in crate::driver) struct FirstValues {
    pub(in crate::driver) state: RunState,
    pub(in crate::driver) vars: Vars,
}

/// The epoch with which the turn of a new run is inserted.
const FIRST_EPOCH: i64 = 1;

/// Builds the error for a run whose stored head this build cannot read.
pub(in crate::driver) fn unreadable(why: String) -> Problem {
    Problem::operator("state_unreadable", "this build cannot read the state of the run")
        .with_detail(why)
        .with_hint("use the version of abide that wrote it")
}

impl RunInMemory {
    /// Builds a claimed run from its stored head.
    ///
    /// # Errors
    /// `state_unreadable` if this build cannot read the stored form of the state.
    pub(in crate::driver) fn load(
        claim: Claim,
        row: RunRow,
        signals: OpenSignals,
        bundle: Arc<Bundle>,
        tenant: TenantSettings,
    ) -> Result<Self, Problem> {
        let known = if row.shadow { SHADOW_STATE_V } else { STATE_V };
        let is_plan = row.state_v == PLAN_STATE_V && !row.shadow;
        if row.state_v != known && !is_plan {
            return Err(unreadable(format!(
                "state form {}, this build knows form {known}",
                row.state_v
            )));
        }
        let state = serde_json::from_value(row.state).map_err(|e| unreadable(e.to_string()))?;
        Ok(Self {
            id: row.id,
            tenant: row.tenant.into(),
            request: row.request,
            bundle,
            settings: tenant.settings,
            settings_version: tenant.version,
            version: row.version,
            campaign: row.campaign,
            created_at: row.created_at,
            epoch: claim.epoch,
            seq: row.seq,
            claims: claim.claims,
            wake_seen: claim.wake,
            signals,
            status: row.status,
            state,
            last_hash: row.last_hash,
            last_at: row.last_at,
            vars: BTreeMap::new(),
            args: None,
            wanted: None,
        })
    }

    /// Builds the `RunInMemory` of a new run that this process starts and drives at once.
    pub(in crate::driver) fn fresh(
        new: &NewRun,
        at: Timestamp,
        bundle: Arc<Bundle>,
        tenant: TenantSettings,
        first: FirstValues,
    ) -> Self {
        Self {
            id: new.id,
            tenant: new.tenant.as_str().into(),
            request: new.request,
            bundle,
            settings: tenant.settings,
            settings_version: tenant.version,
            version: new.version,
            campaign: new.campaign,
            created_at: at,
            epoch: FIRST_EPOCH,
            seq: 0,
            claims: 0,
            wake_seen: 0,
            signals: OpenSignals::default(),
            status: RunStatus::Pending,
            state: first.state,
            last_hash: Digest::ZERO,
            last_at: at,
            vars: first.vars,
            args: None,
            wanted: None,
        }
    }

    /// Returns the run's id and epoch, which prove that this process owns the run.
    pub(in crate::driver) fn fence(&self) -> Fence {
        Fence { run: self.id, epoch: self.epoch }
    }

    /// Returns the run's current time, which never goes backwards.
    pub(super) fn time(&self, now: Timestamp) -> Timestamp {
        now.max(self.last_at)
    }

    /// Returns the instant by which the run must have ended: the end of the time that its method allows,
    /// or an earlier deadline that its parent gave it.
    pub(super) fn must_end_by(&self) -> Timestamp {
        let limit = self.bundle.graph.limits.max_duration.unwrap_or(self.settings.run_max_duration);
        let above = self.state.lineage.as_ref().map(|lineage| lineage.ends_by);
        above.into_iter().fold(self.created_at + limit, Timestamp::min)
    }

    /// Whether the run may have scheduled messages for itself, because its method contains a verb
    /// that can do so.
    pub(super) fn sets_timers(&self) -> bool {
        let contracts = &self.bundle.contracts;
        let mut nodes = self.bundle.graph.nodes.iter();
        nodes.any(|node| {
            contracts.get(node.action_name()).is_some_and(|contract| contract.sets_timers)
        })
    }

    /// Whether the run is a shadow run that is to be played now. A paused run is not played.
    pub(in crate::driver) fn is_to_be_played(&self) -> bool {
        self.state.shadow.is_some()
            && self.state.early_end.is_none()
            && self.status != RunStatus::Paused
    }

    /// Returns the digest of the stored arguments of the current call, if the run needs them when it continues.
    pub(in crate::driver) fn stored_args(&self) -> Option<Digest> {
        let call = self.state.call()?;
        let needs =
            !matches!(call.waiting_for, Some(WaitingFor::Signal { .. } | WaitingFor::Children(_)));
        needs.then_some(call.args)
    }

    /// Whether any step or condition of the run's method reads this variable.
    pub(in crate::driver) fn reads(&self, name: &str) -> bool {
        let graph = &self.bundle.graph;
        let steps = graph.nodes.iter().flat_map(|node| &node.reads);
        steps.chain(&graph.ending_reads).any(|read| read == name)
    }

    /// Returns the run that receives signals from outside: the run itself,
    /// or, for a branch or a round, the run of the whole method.
    pub(super) fn message_target(&self) -> RunId {
        self.state.signal_receiver(self.id)
    }
}
