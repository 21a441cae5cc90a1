//! The provider is unreachable or slow.

use std::sync::Arc;

use abide_engine::base::{Span, Timestamp};
use abide_engine::clock::{Clock as _, VirtualClock};
use abide_engine::gateway::{
    Gateway, GatewayError, LookupAnswer, LookupRequest, Loopback, SendAnswer, SendRequest,
};
use abide_engine::run::RunOutcome;
use abide_engine::store::NewInbound;
use async_trait::async_trait;

use crate::campaign::church::{Church, PAT, START, Setup, on_both};

/// A provider that is unreachable for the first hours of a test, and then takes some time for each send.
struct FaultyProvider {
    provider: Loopback,
    clock: Arc<VirtualClock>,
    away: Span,
    delay: Span,
}

impl FaultyProvider {
    fn is_away(&self) -> bool {
        let start: Timestamp = START.parse().expect("an instant");
        self.clock.now() < start + self.away
    }
}

#[async_trait]
impl Gateway for FaultyProvider {
    fn name(&self) -> &'static str {
        "loopback"
    }

    async fn send(&self, send: &SendRequest) -> SendAnswer {
        if self.is_away() {
            return SendAnswer::NotSent { reason: "connection refused".to_owned() };
        }
        self.clock.set(self.clock.now() + self.delay);
        self.provider.send(send).await
    }

    async fn look_up(&self, lookup: &LookupRequest) -> LookupAnswer {
        match self.is_away() {
            true => LookupAnswer::CannotTellYet { reason: "connection refused".to_owned() },
            false => self.provider.look_up(lookup).await,
        }
    }

    async fn inbound_since(&self, _since: Timestamp) -> Result<Vec<NewInbound>, GatewayError> {
        Ok(Vec::new())
    }
}

const AWAY: Span = Span::from_secs(3 * 3_600);
const DELAY: Span = Span::from_secs(3);

fn away() -> Setup {
    let gateway = |provider, clock| {
        Arc::new(FaultyProvider { provider, clock, away: AWAY, delay: Span::ZERO })
            as Arc<dyn Gateway>
    };
    Setup { gateway, ..Setup::default() }
}

fn slow() -> Setup {
    let gateway = |provider, clock| {
        Arc::new(FaultyProvider { provider, clock, away: Span::ZERO, delay: DELAY })
            as Arc<dyn Gateway>
    };
    Setup { gateway, ..Setup::default() }
}

on_both!(during_a_provider_outage_texts_wait_and_then_each_is_sent_once, with away(), async |mut church: Church| {
    let run = church.fill(5).await.id;
    church.advance("2h 59m").await;
    assert_eq!(church.provider.sent().len(), 0);
    let queued = "SELECT COUNT(*) FROM outbox WHERE state = 'queued' AND error = 'connection refused'";
    assert_eq!(church.number(queued).await, 12, "they wait, with the reason");
    let heard = church.text(PAT, "HELP").await;
    assert!(!heard.duplicate, "messages are received during the outage");

    church.advance("16min").await;
    assert_eq!(church.provider.sent().len(), 13, "the invitations, and the answer to Pat");
    church.say("ABC", "yes").await;
    church.advance("5h 30m").await;
    assert_eq!(church.run(run).await.status.as_str(), "waiting", "the six hours count from the sending");
    church.say("DE", "yes").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    church.assert_consistent().await;
});

on_both!(a_slow_provider_gets_each_text_and_none_is_given_up, with slow(), async |church: Church| {
    church.add_people(100, "nursery").await;
    church.fill(5).await;
    church.advance("30min").await;
    assert_eq!(church.provider.sent().len(), 112);
    assert_eq!(church.number("SELECT COUNT(*) FROM outbox WHERE state <> 'sent'").await, 0);
    church.assert_consistent().await;
});

/// Duration of an outage from the start of the test until shortly after the quiet hours have begun.
const AWAY_UNTIL_NIGHT: Span = Span::from_secs(11 * 3_600 + 19 * 60);

fn away_until_night() -> Setup {
    let gateway = |provider, clock| {
        let (away, delay) = (AWAY_UNTIL_NIGHT, Span::ZERO);
        Arc::new(FaultyProvider { provider, clock, away, delay }) as Arc<dyn Gateway>
    };
    Setup { gateway, ..Setup::default() }
}

on_both!(an_invitation_sent_in_the_morning_is_open_for_its_full_time, with away_until_night(), async |mut church: Church| {
    church.advance("10h 59min").await;
    let run = church.fill(5).await.id;
    church.advance("8h").await;
    assert_eq!(church.provider.sent().len(), 0, "nobody is texted at night");
    let over = "SELECT COUNT(*) FROM offer WHERE state <> 'pending'";
    assert_eq!(church.number(over).await, 0, "no invitation ends before it is sent");
    assert_eq!(church.run(run).await.status.as_str(), "waiting");
    church.advance("3h 10min").await;
    assert_eq!(church.provider.sent().len(), 12, "they are sent at eight");
    church.advance("2h").await;
    assert_eq!(church.number(over).await, 0, "they are still open two hours later");
    church.say("ABCDE", "yes").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    church.assert_consistent().await;
});
