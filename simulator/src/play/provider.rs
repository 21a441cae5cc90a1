//! Simulates the provider, which carries the messages. The provider outlives all
//! processes, and stores the messages that it accepted and the messages that people wrote.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abide_engine::base::{MessageId, Timestamp};
use abide_engine::clock::{Clock as _, VirtualClock};
use abide_engine::gateway::{
    Gateway, GatewayError, LookupAnswer, LookupRequest, Loopback, SendAnswer, SendRequest,
    SentMessage,
};
use abide_engine::store::NewInbound;
use async_trait::async_trait;

use super::crash::CrashSite;
use super::crash_switch::CrashSwitch;
use super::faults::{FaultInjector, FaultKind};
use super::process::ProcessRole;

/// The simulated provider, which all processes of a simulation share.
#[derive(Default)]
pub(super) struct Provider {
    outbound: Loopback,
    /// The tenant that sent each message.
    senders: Mutex<BTreeMap<MessageId, Arc<str>>>,
    inbound: Mutex<Vec<InboundText>>,
    /// The last request to send each message.
    requests: Mutex<BTreeMap<MessageId, SendBegin>>,
    /// Number of requests to send that have begun.
    begun: AtomicUsize,
}

/// The moment at which a process began to hand a message to the provider, which may get it later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SendBegin {
    /// Number of requests to send that had begun before.
    pub(crate) nth: usize,
    pub(crate) at: Timestamp,
}

/// A message that a person wrote to a tenant.
#[derive(Debug, Clone)]
pub(crate) struct InboundText {
    pub(crate) tenant: Arc<str>,
    pub(crate) message: NewInbound,
}

impl Provider {
    /// Stores a message to a tenant.
    /// Returns `true`, and stores nothing, if a message with the same id is stored already.
    pub(super) fn store_inbound(&self, tenant: &Arc<str>, message: NewInbound) -> bool {
        let mut inbound = self.inbound();
        let again = inbound.iter().any(|kept| kept.message.provider_id == message.provider_id);
        if !again {
            inbound.push(InboundText { tenant: Arc::clone(tenant), message });
        }
        again
    }

    /// Stores a message that the live run sent before the simulation began.
    pub(super) async fn store_past(&self, send: &SendRequest) {
        self.accept(send).await;
    }

    /// Records that a process begins to hand over a message.
    fn begin(&self, message: MessageId, at: Timestamp) {
        let nth = self.begun.fetch_add(1, Ordering::SeqCst);
        self.requests().insert(message, SendBegin { nth, at });
    }

    /// Returns the number of requests to send that have begun.
    pub(super) fn begun_count(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }

    /// Returns the last request to send a message; `None` if the live run sent it before the simulation began.
    pub(super) fn request(&self, message: MessageId) -> Option<SendBegin> {
        self.requests().get(&message).copied()
    }

    fn requests(&self) -> MutexGuard<'_, BTreeMap<MessageId, SendBegin>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn accept(&self, send: &SendRequest) -> SendAnswer {
        self.senders().insert(send.id, send.tenant.as_str().into());
        self.outbound.send(send).await
    }

    /// Returns the tenant that sent a message; `None` if the provider does not know the message.
    pub(super) fn sender(&self, message: MessageId) -> Option<Arc<str>> {
        self.senders().get(&message).cloned()
    }

    /// Returns all messages that the provider accepted, oldest first.
    pub(super) fn sent(&self) -> Vec<SentMessage> {
        self.outbound.sent()
    }

    /// Returns the number of messages that the provider accepted.
    pub(super) fn sent_count(&self) -> usize {
        self.outbound.sent_count()
    }

    /// Returns the messages that the provider accepted, without the first `known` messages.
    pub(super) fn sent_since(&self, known: usize) -> Vec<SentMessage> {
        self.outbound.sent_since(known)
    }

    /// Returns all messages that people wrote to tenants, oldest first.
    pub(super) fn inbound_texts(&self) -> Vec<InboundText> {
        self.inbound().clone()
    }

    fn senders(&self) -> MutexGuard<'_, BTreeMap<MessageId, Arc<str>>> {
        self.senders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn inbound(&self) -> MutexGuard<'_, Vec<InboundText>> {
        self.inbound.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A process's connection to the provider. The connection breaks when the process crashes.
pub(super) struct Connection {
    pub(super) provider: Arc<Provider>,
    pub(super) switch: Arc<CrashSwitch>,
    pub(super) faults: Arc<FaultInjector>,
    pub(super) clock: Arc<VirtualClock>,
    /// The role of the process. A reader must not fetch messages from the provider.
    pub(super) role: ProcessRole,
}

#[async_trait]
impl Gateway for Connection {
    fn name(&self) -> &'static str {
        "loopback"
    }

    async fn send(&self, send: &SendRequest) -> SendAnswer {
        self.provider.begin(send.id, self.clock.now());
        // Let other tasks run between the release and the send, and between the send and its answer.
        drop(self.switch.turns().turn().await);
        let answer = self.answer(send).await;
        drop(self.switch.turns().turn().await);
        answer
    }

    async fn look_up(&self, lookup: &LookupRequest) -> LookupAnswer {
        drop(self.switch.turns().turn().await);
        if self.faults.occurs(FaultKind::LookUpFails) {
            return LookupAnswer::CannotTellYet {
                reason: "the provider cannot tell now".to_owned(),
            };
        }
        if self.faults.occurs(FaultKind::LookUpImpossible) {
            return LookupAnswer::CanNeverTell {
                reason: "the provider keeps no records".to_owned(),
            };
        }
        self.provider.outbound.look_up(lookup).await
    }

    async fn inbound_since(&self, since: Timestamp) -> Result<Vec<NewInbound>, GatewayError> {
        if self.role == ProcessRole::Reader {
            return Ok(Vec::new());
        }
        let inbound = self.provider.inbound();
        let messages = inbound.iter().map(|heard| &heard.message);
        Ok(messages.filter(|message| message.received_at >= since).cloned().collect())
    }
}

impl Connection {
    /// Decides whether the provider accepts a message, and which answer the process gets.
    async fn answer(&self, send: &SendRequest) -> SendAnswer {
        if self.switch.is_dead() {
            return std::future::pending().await;
        }
        let lost = || SendAnswer::Unknown { reason: "the connection broke".to_owned() };
        if self.faults.occurs(FaultKind::ProviderBusy) {
            return SendAnswer::NotSent { reason: "the provider is busy".to_owned() };
        }
        for (fault, code, later) in
            [(FaultKind::Refused, "30003", false), (FaultKind::RefusedForNow, "30001", true)]
        {
            if self.faults.occurs(fault) {
                return SendAnswer::Refused { code: code.to_owned(), later };
            }
        }
        if self.faults.occurs(FaultKind::CallLost) {
            return lost();
        }
        let hangs = self.faults.occurs(FaultKind::ProviderHangs);
        if hangs && !self.faults.accepts_silently() {
            return std::future::pending().await;
        }
        let answer = self.provider.accept(send).await;
        if self.switch.reached(CrashSite::Send)
            || self.switch.crashes_by(FaultKind::CrashWhileSending, CrashSite::Send)
        {
            // The process has crashed after the provider accepted
            // the message, so the process gets no answer.
            return std::future::pending().await;
        }
        if hangs {
            return std::future::pending().await;
        }
        if self.faults.occurs(FaultKind::AnswerLate) {
            self.clock.until(self.clock.now() + self.faults.answers_after()).await;
        }
        if self.faults.occurs(FaultKind::ProviderSlow) {
            self.faults.wait_for_slow_provider();
        }
        if self.faults.occurs(FaultKind::AnswerLost) { lost() } else { answer }
    }
}
