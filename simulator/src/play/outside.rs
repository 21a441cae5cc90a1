//! Simulates the outside systems that tools call. They outlive all processes, and remember what they did.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abide_engine::adapter::{
    Adapter, AdapterCall, Adapters, CallAnswer, CallLookup, NotConfigured, SMTP, WEBHOOK,
};
use abide_engine::base::{CallId, Problem, Value};
use abide_engine::verb::REMOTE;
use async_trait::async_trait;

use super::crash::CrashSite;
use super::crash_switch::CrashSwitch;
use super::faults::{FaultInjector, FaultKind};

/// The simulated outside systems, which all processes of a simulation share.
#[derive(Debug, Default)]
pub(super) struct OutsideWorld {
    /// The calls that were carried out.
    done: Mutex<BTreeMap<CallId, Done>>,
}

/// A call that was carried out.
#[derive(Debug, Clone)]
struct Done {
    tenant: String,
    times: u32,
}

impl OutsideWorld {
    fn act(&self, call: &AdapterCall) {
        let first = Done { tenant: call.tenant.clone(), times: 0 };
        self.all().entry(call.call).or_insert(first).times += 1;
    }

    fn has_done(&self, call: CallId) -> bool {
        self.all().contains_key(&call)
    }

    /// Returns how often each call of a tenant was carried out; other calls are missing.
    pub(super) fn done_for(&self, tenant: &str) -> BTreeMap<CallId, u32> {
        let all = self.all();
        let own = all.iter().filter(|(_, done)| done.tenant == tenant);
        own.map(|(call, done)| (*call, done.times)).collect()
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<CallId, Done>> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a process needs to call the outside systems. The connection breaks when the process crashes.
#[derive(Clone)]
pub(super) struct OutsideConnection {
    pub(super) world: Arc<OutsideWorld>,
    pub(super) switch: Arc<CrashSwitch>,
    pub(super) faults: Arc<FaultInjector>,
}

impl OutsideConnection {
    /// Returns the adapters of a process.
    pub(super) fn adapters(&self) -> Adapters {
        let to = |answer| Arc::new(Simulated { connection: self.clone(), answer });
        Adapters::new()
            .with(SMTP, to(serde_json::json!({ "said": "250 accepted" })))
            .with(WEBHOOK, to(serde_json::json!({ "status_code": 200 })))
            .with(REMOTE, Arc::new(NoServer))
    }
}

/// An outside system that gives the same answer to each call.
struct Simulated {
    connection: OutsideConnection,
    answer: Value,
}

#[async_trait]
impl Adapter for Simulated {
    fn missing(&self, _request: &Value) -> Option<NotConfigured> {
        None
    }

    async fn call(&self, call: &AdapterCall) -> CallAnswer {
        let OutsideConnection { world, switch, faults } = &self.connection;
        // Let other tasks run between the commit of the intent and the call, and between the call and its
        // answer.
        drop(switch.turns().turn().await);
        if switch.is_dead() {
            return std::future::pending().await;
        }
        let not_done = |problem| CallAnswer::NotDone { problem };
        let lost = || CallAnswer::Unknown { reason: "the connection broke".to_owned() };
        if faults.occurs(FaultKind::ProviderBusy) {
            return not_done(Problem::transient("unavailable", "the outside system is busy"));
        }
        if faults.occurs(FaultKind::Refused) {
            return not_done(Problem::caller("refused", "the outside system refused the call"));
        }
        if faults.occurs(FaultKind::CallLost) {
            return lost();
        }
        world.act(call);
        if switch.reached(CrashSite::Send)
            || switch.crashes_by(FaultKind::CrashWhileSending, CrashSite::Send)
        {
            return std::future::pending().await;
        }
        drop(switch.turns().turn().await);
        match faults.occurs(FaultKind::AnswerLost) {
            true => lost(),
            false => CallAnswer::Done { answer: self.answer.clone() },
        }
    }

    async fn look_up(&self, call: &AdapterCall) -> CallLookup {
        let OutsideConnection { world, switch, faults } = &self.connection;
        drop(switch.turns().turn().await);
        if faults.occurs(FaultKind::LookUpFails) {
            return CallLookup::NotNow { reason: "it cannot tell now".to_owned() };
        }
        if faults.occurs(FaultKind::LookUpImpossible) {
            return CallLookup::NeverKnown { reason: "it keeps no records".to_owned() };
        }
        match world.has_done(call.call) {
            true => CallLookup::Done { answer: self.answer.clone() },
            false => CallLookup::NotDone,
        }
    }
}

/// Stands for the servers of a home, which a simulation does not call.
struct NoServer;

#[async_trait]
impl Adapter for NoServer {
    fn missing(&self, _request: &Value) -> Option<NotConfigured> {
        Some(NotConfigured {
            reason: "A simulation calls no servers.".to_owned(),
            required_env: Vec::new(),
            next_steps: vec!["Try the tool with `abide tools call`.".to_owned()],
        })
    }

    async fn call(&self, _call: &AdapterCall) -> CallAnswer {
        let problem = Problem::operator("not_configured", "a simulation calls no servers");
        CallAnswer::NotDone { problem }
    }

    async fn look_up(&self, _call: &AdapterCall) -> CallLookup {
        CallLookup::NotDone
    }
}
