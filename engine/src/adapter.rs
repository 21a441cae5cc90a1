//! Defines the interface to outside systems, such as mail servers and web services.
//!
//! An adapter makes calls to one kind of outside system. It holds a client and no transaction. The engine
//! commits the intent to call before it hands the call to the adapter. If it does not learn the outcome,
//! because the process died or the answer was lost, it asks the adapter whether the call happened.

mod request;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;

pub use self::request::{EmailRequest, SMTP, WEBHOOK, WebhookRequest};
use crate::base::{CallId, RunId, Timestamp, Value};
pub use crate::contract::NotConfigured;
pub use crate::run::{CallAnswer, CallLookup};

/// A call to an outside system.
#[derive(Debug, Clone, PartialEq)]
pub struct AdapterCall {
    /// Id of the call, the same for each attempt. Outside systems that tell repeated requests apart by a
    /// key get this id as the key.
    pub call: CallId,
    /// Run that makes the call.
    pub run: RunId,
    /// Id of the tenant.
    pub tenant: String,
    /// Name of the tool.
    pub tool: String,
    /// What to do, in the form that the adapter defines.
    pub request: Value,
    /// Time at which the call is handed to the adapter.
    pub at: Timestamp,
    /// Time at which the engine stops waiting for the answer.
    pub deadline: Timestamp,
}

/// A request to complete a call that an outside system has accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletionRequest<'a> {
    /// Id of the call.
    pub call: CallId,
    /// Run that makes the call.
    pub run: RunId,
    /// The token of the caller.
    pub token: &'a str,
}

/// Makes calls to one kind of outside system.
#[async_trait]
pub trait Adapter: Send + Sync {
    /// Returns what is missing before the adapter can carry out this request; `None` if nothing is.
    fn missing(&self, request: &Value) -> Option<NotConfigured>;

    /// Makes a call. The engine drops the future at the deadline of the call, and then asks whether the
    /// call happened.
    async fn call(&self, call: &AdapterCall) -> CallAnswer;

    /// Answers whether a call happened, after an attempt to make it had no clear result. An adapter whose
    /// outside system tells repeated requests apart may send the request once more to find out.
    async fn look_up(&self, call: &AdapterCall) -> CallLookup;

    /// Whether the token of a completion belongs to a call that was made with this request.
    fn may_complete(&self, _request: &Value, _completion: CompletionRequest<'_>) -> bool {
        false
    }
}

/// The adapters of a process, by name.
#[derive(Clone, Default)]
pub struct Adapters(BTreeMap<&'static str, Arc<dyn Adapter>>);

impl Adapters {
    /// Creates an empty registry. Each tool that needs an adapter is then not configured.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an adapter under the name by which verbs refer to it.
    #[must_use]
    pub fn with(mut self, name: &'static str, adapter: Arc<dyn Adapter>) -> Self {
        self.0.insert(name, adapter);
        self
    }

    /// Returns a registry with the same names, in which `change` has replaced each adapter.
    #[must_use]
    pub fn map(
        &self,
        change: impl Fn(&'static str, &Arc<dyn Adapter>) -> Arc<dyn Adapter>,
    ) -> Self {
        Self(self.0.iter().map(|(name, adapter)| (*name, change(name, adapter))).collect())
    }

    /// Returns the adapter with this name; `None` if this process has no such adapter.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<dyn Adapter>> {
        self.0.get(name).cloned()
    }
}
