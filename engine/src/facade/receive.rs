//! Receives inbound messages. Before a message is acknowledged to the gateway, it is stored
//! and deduplicated, and a carrier keyword such as STOP is obeyed.
//! The driver applies the message afterwards.

use serde::Serialize;
use utoipa::ToSchema;

use super::engine::Engine;
use crate::base::{Problem, RunId, Span, Timestamp, Value, limits};
use crate::boxed;
use crate::domain::HandledAs;
use crate::driver::{self, Core, DriveMode};
use crate::policy::CarrierWord;
use crate::store::{InboundRow, NewInbound, NewReceived, ReceivedStored};
use crate::transaction;

/// An inbound message, as a gateway delivers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboundMessage {
    /// The gateway's id of the message. A message with an id that is stored already is a duplicate.
    pub id: String,
    /// Phone number of the sender, in E.164.
    pub from: String,
    /// Phone number that the message was sent to.
    pub to: String,
    /// Text of the message.
    pub body: String,
    /// Time at which the gateway received the message. If this time is absent or in the future,
    /// the current time is used.
    pub received_at: Option<Timestamp>,
}

/// The result of receiving a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Received {
    /// Whether a message with this id was received before.
    pub duplicate: bool,
    /// How the message was handled; `stored` if it is not applied yet.
    pub handled_as: HandledAs,
    /// Id of the run that the message concerned or started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
}

/// After a STOP: interval at which to check whether messages to the person who sent it are still about to
/// be sent.
const POLL_INTERVAL: Span = Span::from_micros(20_000);
/// Maximum time to wait until a received message is applied. After that time, the gateway gets its answer
/// even if the message is not applied yet.
const APPLY_TIMEOUT: Span = Span::from_secs(2);

impl Engine {
    /// Receives a message. When this function returns without an error, the message is stored durably.
    /// For a STOP, returns only when no message to the sender is about to be sent any more.
    /// Whether or not the message is a STOP, waits up to two seconds for it to be applied, unless many others wait.
    ///
    /// # Errors
    /// `message_invalid` if the id, the sender or the recipient is malformed;
    /// `unknown_tenant`; `overloaded` or `database_unavailable` if the message could not be stored.
    /// After the last two errors, the gateway must deliver the message again.
    #[boxed]
    pub async fn receive(
        &self,
        tenant: &str,
        message: InboundMessage,
    ) -> Result<Received, Problem> {
        let new = validated(self, message)?;
        let awaited = self.core.awaited.expect(tenant, &new.provider_id);
        let duplicate = self.store_received(tenant, new.clone()).await? == ReceivedStored::Known;
        self.core.bells.ring_inbox();
        if new.carrier_word == Some(CarrierWord::OptOut) {
            driver::within(
                &self.core,
                driver::START_WITHIN,
                self.wait_until_none_leaves(tenant, &new.from),
            )
            .await?;
        }
        if self.core.drive_mode == DriveMode::InLine {
            self.tick().await?;
        } else if let Some(awaited) = awaited {
            driver::within(&self.core, APPLY_TIMEOUT, async {
                let mut applied = duplicate && self.is_applied(tenant, &new).await?;
                let mut look_after = driver::LOOK_ELSEWHERE;
                while !applied {
                    applied = driver::applied_somewhere(&self.core, &awaited, look_after).await
                        || self.is_applied(tenant, &new).await?;
                    look_after = look_after + look_after;
                }
                Ok(())
            })
            .await?;
        } else if !duplicate {
            return Ok(Received { duplicate, handled_as: HandledAs::Stored, run_id: None });
        }
        let row = self.stored_inbound(tenant, &new).await?;
        let handled_as = match row.as_ref().and_then(|row| row.handled_as.as_deref()) {
            Some(stored) => parse_handled_as(stored)?,
            None => HandledAs::Stored,
        };
        Ok(Received { duplicate, handled_as, run_id: row.and_then(|row| row.run) })
    }

    /// Stores a message, and obeys it if it is a carrier keyword, unless it is stored already.
    pub(super) async fn store_received(
        &self,
        tenant: &str,
        message: NewInbound,
    ) -> Result<ReceivedStored, Problem> {
        let new = NewReceived { tenant: tenant.to_owned(), message };
        self.core.count_received();
        match self.core.store.receive(new).await? {
            ReceivedStored::NoTenant => {
                Err(Problem::caller("unknown_tenant", format!("there is no tenant `{tenant}`")))
            }
            stored => Ok(stored),
        }
    }

    /// Waits until no message to this number is about to be sent. Messages that were released before
    /// the opt-out may still be sent, but the driver must begin to send them within one second.
    async fn wait_until_none_leaves(&self, tenant: &str, number: &str) -> Result<(), Problem> {
        loop {
            let task =
                transaction!([tenant = tenant.to_owned(), number = number.to_owned()], |tx| {
                    let contact = tx.contact_id(&tenant, &number);
                    Ok(tx.count_in_flight_to(&tenant, contact).await?)
                });
            if self.core.store.read(task).await? == 0 {
                return Ok(());
            }
            driver::pause(&self.core, POLL_INTERVAL).await;
        }
    }

    async fn is_applied(&self, tenant: &str, new: &NewInbound) -> Result<bool, Problem> {
        Ok(self.stored_inbound(tenant, new).await?.is_some_and(|row| row.applied_at.is_some()))
    }

    /// Looks up a received message in the database. Returns the stored message that came
    /// from the same gateway under the same id; `None` if there is no such message.
    pub(super) async fn stored_inbound(
        &self,
        tenant: &str,
        new: &NewInbound,
    ) -> Result<Option<InboundRow>, Problem> {
        let task = transaction!([tenant = tenant.to_owned(), new = new.clone()], |tx| {
            Ok(tx.inbound_by_provider(&tenant, &new.gateway, &new.provider_id).await?)
        });
        self.core.store.read_one(task).await
    }
}

/// Parses the stored form of [`HandledAs`].
fn parse_handled_as(text: &str) -> Result<HandledAs, Problem> {
    serde_json::from_value(Value::from(text)).map_err(|e| Problem::bug(e.to_string()))
}

/// Checks an inbound message, and adds the gateway's name, the carrier keyword and the time of receipt.
fn validated(engine: &Engine, message: InboundMessage) -> Result<NewInbound, Problem> {
    let InboundMessage { id, from, to, body, received_at } = message;
    let invalid = |what: &str| Problem::caller("message_invalid", what.to_owned());
    if id.is_empty() || id.len() > limits::KEY_BYTES_MAX {
        let what = format!("`id` must have 1 to {} bytes", limits::KEY_BYTES_MAX);
        return Err(invalid(&what).with_hint("pass the gateway's own id of the message"));
    }
    let digits = from.strip_prefix('+').unwrap_or("");
    if digits.len() < 5 || digits.len() > 15 || !digits.chars().all(|c| c.is_ascii_digit()) {
        return Err(invalid("`from` is not a phone number in E.164")
            .with_hint("write it as `+15125550101`"));
    }
    if to.len() > limits::KEY_BYTES_MAX {
        let what = format!("`to` has at most {} bytes", limits::KEY_BYTES_MAX);
        return Err(invalid(&what).with_hint("pass the number that the text was sent to"));
    }
    let carrier_word = carrier_word(&engine.core, &body);
    let now = engine.now();
    Ok(NewInbound {
        gateway: engine.core.gateway.name().to_owned(),
        provider_id: id,
        from,
        to,
        body: body.chars().take(limits::INBOUND_CHARS_MAX).collect(),
        carrier_word,
        received_at: received_at.unwrap_or(now).min(now),
    })
}

/// Returns what a message does before any other interpretation: what carriers define for the word that it
/// consists of, or an opt-out in other words.
pub(super) fn carrier_word(core: &Core, body: &str) -> Option<CarrierWord> {
    let opts_out = || core.domain.opts_out(body).then_some(CarrierWord::OptOut);
    CarrierWord::of(body).or_else(opts_out)
}
