//! The tools `sms.*`: send a text now or later, and say what happened to it.

use abide_engine::base::{MessageId, Problem, Timestamp, Value};
use abide_engine::store::{MessageState, OutboundRow, Tx};
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::log::{LoggedMessage, log};
use super::text::{Text, queue};
use crate::cell::e164;
use crate::refusal;
use crate::tool::input::Input;

/// The template that shows a text as its writer wrote it.
const TEXT: &str = "text";

/// Sends a text that the caller has written: `sms.send` at once, `sms.schedule` at the time that the input
/// gives.
pub(in crate::tool) enum SendText {
    /// `sms.send`.
    Now,
    /// `sms.schedule`.
    Later,
}

#[async_trait]
impl WriteVerb for SendText {
    async fn reaches_nobody(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
    ) -> Result<bool, Problem> {
        let to = Input::of(cx, args).required_text("to").map(|to| e164(to, cx.settings.region));
        match to {
            Ok(Ok(phone)) => Ok(tx.has_opted_out(cx.tenant, &phone).await?),
            Ok(Err(_)) | Err(_) => Ok(false), // the call itself says what is wrong
        }
    }

    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let input = Input::of(cx, args);
        let at = match self {
            Self::Now => cx.now,
            Self::Later => time_ahead(&input)?,
        };
        let to = e164(input.required_text("to")?, cx.settings.region);
        let to = to.map_err(|what| refusal::invalid_phone("to", &what))?;
        let body = input.required_text("body")?;
        let lines: Vec<&str> = body.lines().collect();
        let rendered = cx.templates.render(TEXT, &json!({ "lines": lines }))?;
        let segments = rendered.segments().segments;
        let mut effects = Effects::default();
        let logged = LoggedMessage { channel: "sms", to: &to, subject: None, body, at };
        log(tx, &input, logged, &mut effects).await?;
        let queued = queue(tx, cx, Text { to: to.clone(), rendered, at }, &mut effects).await?;
        let mut result = json!({
            "message_id": queued.id,
            "to": to,
            "state": queued.state,
            "segments": segments,
        });
        if matches!(self, Self::Later) {
            result["send_at"] = at.to_string().into();
        }
        Ok(VerbOutcome::done(result, effects))
    }
}

/// Returns the time that the input gives, if it lies in the future.
fn time_ahead(input: &Input<'_>) -> Result<Timestamp, Problem> {
    let at = input.instant("send_at")?;
    if at <= input.now {
        return Err(refusal::invalid("send_at", "does not lie in the future")
            .with_hint("give a later time, or send the text now with `sms.send`"));
    }
    Ok(at)
}

/// `sms.status`: returns what happened to a text.
pub(in crate::tool) struct TextStatus;

#[async_trait]
impl WriteVerb for TextStatus {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let named = Input::of(cx, args).row("message_id")?;
        let found = match named.id.parse::<MessageId>() {
            Ok(id) => tx.outbound(cx.tenant, id).await?,
            Err(_) => None,
        };
        let text = found.ok_or_else(|| refusal::not_found(named, "the outbox"))?;
        Ok(VerbOutcome::done(status(&text), Effects::default()))
    }
}

fn status(text: &OutboundRow) -> Value {
    let mut result = json!({ "message_id": text.id, "to": text.to, "state": text.state });
    if text.state == MessageState::Queued {
        result["send_at"] = text.not_before.to_string().into();
    }
    if let Some(reason) = &text.error {
        result["reason"] = reason.as_str().into();
    }
    if let Some(at) = text.sent_at {
        result["sent_at"] = at.to_string().into();
    }
    result
}
