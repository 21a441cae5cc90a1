//! A stand-in for outside systems, which remembers what it did and can be told how to behave.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abide_engine::adapter::{
    Adapter, AdapterCall, Adapters, CallAnswer, CallLookup, CompletionRequest, NotConfigured, SMTP,
    WEBHOOK,
};
use abide_engine::base::{CallId, Problem, Value};
use abide_engine::verb::REMOTE;
use async_trait::async_trait;
use serde_json::json;
use tokio::sync::Notify;

/// The token that completes every call of the stand-in.
pub(crate) const TOKEN: &str = "a token";

/// What the outside system does with one call.
#[derive(Debug, Clone)]
pub(crate) enum Reaction {
    /// Accepts it, to complete it later.
    Accept,
    /// Does nothing, and says why.
    Refuse(Problem),
    /// Gets nothing, and the caller does not learn that.
    LoseCall,
    /// Does it, and the answer is lost.
    LoseAnswer,
    /// Never answers.
    Hang,
    /// Does it when it is told to.
    Await(Arc<Notify>),
}

/// An outside system. Clones are the same system.
#[derive(Clone, Default)]
pub(crate) struct Outside(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    acts: Vec<CallId>,
    reactions: VecDeque<Reaction>,
    lookups: VecDeque<CallLookup>,
    asked: usize,
}

impl Outside {
    /// Returns adapters that all call this system.
    pub(crate) fn adapters(&self) -> Adapters {
        let to_self = || Arc::new(self.clone());
        Adapters::new().with(SMTP, to_self()).with(WEBHOOK, to_self()).with(REMOTE, to_self())
    }

    /// Says how the system reacts to the next calls. It carries out all calls after these.
    pub(crate) fn react(&self, reactions: impl IntoIterator<Item = Reaction>) {
        self.state().reactions.extend(reactions);
    }

    /// Says what the system answers to the next questions. After these it answers the truth.
    pub(crate) fn answer(&self, lookups: impl IntoIterator<Item = CallLookup>) {
        self.state().lookups.extend(lookups);
    }

    /// Returns the calls that the system has carried out, in sequence.
    pub(crate) fn acts(&self) -> Vec<CallId> {
        self.state().acts.clone()
    }

    /// Returns how often the system was asked whether a call happened.
    pub(crate) fn asked(&self) -> usize {
        self.state().asked
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn answer(call: &AdapterCall) -> Value {
    json!({ "status_code": 200, "response": call.call, "said": "250 accepted" })
}

#[async_trait]
impl Adapter for Outside {
    fn missing(&self, _request: &Value) -> Option<NotConfigured> {
        None
    }

    async fn call(&self, call: &AdapterCall) -> CallAnswer {
        let reaction = self.state().reactions.pop_front();
        let lost = || CallAnswer::Unknown { reason: "the connection broke".to_owned() };
        match reaction {
            None => {
                self.state().acts.push(call.call);
                CallAnswer::Done { answer: answer(call) }
            }
            Some(Reaction::Accept) => CallAnswer::Accepted,
            Some(Reaction::Refuse(problem)) => CallAnswer::NotDone { problem },
            Some(Reaction::LoseCall) => lost(),
            Some(Reaction::LoseAnswer) => {
                self.state().acts.push(call.call);
                lost()
            }
            Some(Reaction::Hang) => std::future::pending().await,
            Some(Reaction::Await(told)) => {
                told.notified().await;
                self.state().acts.push(call.call);
                CallAnswer::Done { answer: answer(call) }
            }
        }
    }

    async fn look_up(&self, call: &AdapterCall) -> CallLookup {
        let mut state = self.state();
        state.asked += 1;
        match state.lookups.pop_front() {
            Some(lookup) => lookup,
            None if state.acts.contains(&call.call) => CallLookup::Done { answer: answer(call) },
            None => CallLookup::NotDone,
        }
    }

    fn may_complete(&self, _request: &Value, completion: CompletionRequest<'_>) -> bool {
        completion.token == TOKEN
    }
}
