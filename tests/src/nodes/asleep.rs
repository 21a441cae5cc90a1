//! A process is suspended after it has released messages, and before it has sent any of these messages.

use std::sync::Arc;

use abide_engine::base::{Span, Timestamp};
use abide_engine::clock::{Clock as _, VirtualClock};
use abide_engine::gateway::{
    Gateway, GatewayError, LookupAnswer, LookupRequest, Loopback, SendAnswer, SendRequest,
};
use abide_engine::store::NewInbound;
use async_trait::async_trait;

use crate::campaign::church::{Church, Setup, on_both};

/// A gateway whose first send takes so long that the other released messages may no longer be sent.
/// They must then be released again.
struct SlowFirstSend {
    provider: Loopback,
    clock: Arc<VirtualClock>,
}

const SUSPENDED_FOR: Span = Span::from_secs(6);

#[async_trait]
impl Gateway for SlowFirstSend {
    fn name(&self) -> &'static str {
        "loopback"
    }

    async fn send(&self, send: &SendRequest) -> SendAnswer {
        if self.provider.sent().is_empty() {
            self.clock.set(self.clock.now() + SUSPENDED_FOR);
        }
        self.provider.send(send).await
    }

    async fn look_up(&self, lookup: &LookupRequest) -> LookupAnswer {
        self.provider.look_up(lookup).await
    }

    async fn inbound_since(&self, _since: Timestamp) -> Result<Vec<NewInbound>, GatewayError> {
        Ok(Vec::new())
    }
}

fn setup() -> Setup {
    Setup {
        gateway: |provider, clock| Arc::new(SlowFirstSend { provider, clock }),
        ..Setup::default()
    }
}

on_both!(a_suspended_sender_does_not_send_what_it_had_released, with setup(), async |church: Church| {
    church.fill(5).await;
    let first = "SELECT COUNT(*) FROM outbox WHERE state = 'sent' AND attempt = 1";
    assert_eq!(church.number(first).await, 1, "only the first is sent on its first release");
    let second = "SELECT COUNT(*) FROM outbox WHERE state = 'sent' AND attempt = 2";
    assert_eq!(church.number(second).await, 11, "the others are sent on a second release");
    assert_eq!(church.provider.sent().len(), 12);
    church.assert_consistent().await;
});
