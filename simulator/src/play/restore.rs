//! Restores, at the start of a forecast, what happened before the run was copied.
//! The simulation takes these past events into account, but does not report them.

use std::sync::Arc;

use abide_engine::base::{Problem, Span, Timestamp};
use abide_engine::facade::{Direction, MessageFilter, MessageView};
use abide_engine::gateway::SendRequest;
use abide_engine::store::MessageState;
use abide_engine::transaction;

use super::Player;
use super::RunSnapshot;
use super::crowd::PastText;
use super::observe::{PAGE, unless_crashed};

/// The states of messages that the provider has received or may have received.
const AT_PROVIDER: [MessageState; 6] = [
    MessageState::Sending,
    MessageState::Sent,
    MessageState::Delivered,
    MessageState::Undelivered,
    MessageState::Failed,
    MessageState::Unknown,
];

impl Player<'_> {
    /// Restores what happened before the copy was made: gives the provider
    /// the messages that were sent, tells the simulated people what they
    /// were asked, and marks past events, waits and messages as reported.
    pub(super) async fn restore_past(&mut self, snapshot: &RunSnapshot) -> Result<(), Problem> {
        self.learn_names().await?;
        let mut past = self.past_messages().await?;
        past.sort_by_key(|(at, message)| (*at, message.id));
        let mut said = Vec::new();
        for (at, message) in past {
            if message.direction == Direction::Inbound {
                said.push(PastText::ByThem { phone: message.from });
            } else if AT_PROVIDER.contains(&message.state) {
                self.environment.provider.store_past(&send_request(&message, at)).await;
                said.push(PastText::ToThem { phone: message.to, text: message.body, at });
            }
        }
        let tenant = Arc::clone(&self.environment.tenant);
        self.crowd.remember(&tenant, &said, self.environment.now());
        self.observed.skip_past(self.environment.provider.sent_count());
        self.new_events().await?;
        self.new_waits().await?;
        self.recorder.continue_run(snapshot.run, self.now());
        Ok(())
    }

    /// Returns every message of the copy, with the instant at which the message was sent or created.
    async fn past_messages(&self) -> Result<Vec<(Timestamp, MessageView)>, Problem> {
        let mut past = Vec::new();
        let mut before = None;
        loop {
            let filter = MessageFilter { before, limit: PAGE, ..MessageFilter::default() };
            let tenant = Arc::clone(&self.environment.tenant);
            let page = self
                .ask_process(move |engine| async move { engine.messages(&tenant, &filter).await })
                .await;
            let Some(page) = unless_crashed(page)? else { return Ok(past) };
            before = page.items.last().map(|message| message.id);
            past.extend(page.items.into_iter().map(|message| (instant(&message), message)));
            if page.next_cursor.is_none() {
                return Ok(past);
            }
        }
    }

    /// Whether the simulation of a copy is over: the copied run has ended, and no message is queued
    /// or being sent.
    pub(super) async fn forecast_is_over(&self) -> Result<bool, Problem> {
        if self.options.snapshot.is_none() || !self.recorder.has_ended() {
            return Ok(false);
        }
        let tenant = Arc::clone(&self.environment.tenant);
        let read = transaction!([tenant], |tx| {
            Ok(tx.count_queued(&tenant).await? + tx.count_in_flight(&tenant).await?)
        });
        let to_come = self.ask_process(move |engine| async move { engine.read(read).await }).await;
        Ok(unless_crashed(to_come)? == Some(0))
    }
}

fn instant(message: &MessageView) -> Timestamp {
    let at = message.sent_at.as_deref().unwrap_or(&message.created_at);
    at.parse().unwrap_or(Timestamp::EPOCH)
}

fn send_request(message: &MessageView, at: Timestamp) -> SendRequest {
    SendRequest {
        tenant: String::new(),
        id: message.id,
        to: message.to.clone(),
        from: message.from.clone(),
        body: message.body.clone(),
        at,
        deadline: at + Span::from_secs(1),
    }
}
