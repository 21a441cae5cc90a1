//! `email.send` and `email.status`: send an email, and say what happened to it.

use abide_engine::adapter::EmailRequest;
use abide_engine::base::{CallId, Problem, Value};
use abide_engine::run::OUTCOME_UNKNOWN;
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, ExternalVerb, Prepared, VerbOutcome, WriteVerb};
use async_trait::async_trait;

use super::log::{LoggedMessage, log};
use super::mail;
use crate::data::StoredRow;
use crate::tool::input::{Input, known, shown};

/// `email.send`: sends one email.
pub(in crate::tool) struct SendEmail;

#[async_trait]
impl ExternalVerb for SendEmail {
    async fn prepare(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
    ) -> Result<Prepared, Problem> {
        let input = Input::of(cx, args);
        let request = EmailRequest {
            to: input.required_text("to")?.to_owned(),
            cc: mail::cc(&input)?,
            subject: input.required_text("subject")?.to_owned(),
            body: input.required_text("body")?.to_owned(),
        };
        mail::prepare(tx, cx, request).await
    }

    async fn conclude(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _answer: Value,
    ) -> Result<VerbOutcome, Problem> {
        let (input, mut effects) = (Input::of(cx, args), Effects::default());
        let email = mail::conclude(tx, cx, &mut effects).await?;
        let logged = LoggedMessage {
            channel: "email",
            to: email.text("recipient"),
            subject: Some(email.text("subject")),
            body: input.required_text("body")?,
            at: cx.now,
        };
        log(tx, &input, logged, &mut effects).await?;
        Ok(VerbOutcome::done(mail::result(&email), effects))
    }
}

/// `email.status`: returns what happened to an email.
pub(in crate::tool) struct EmailStatus;

#[async_trait]
impl WriteVerb for EmailStatus {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let input = Input::of(cx, args);
        let email = input.find(tx, known("emails")?, input.row("message_id")?).await?;
        let mut result = mail::result(&email);
        if email.text("state") == mail::SENT {
            result["sent_at"] = shown(&email)?["sent_at"].clone();
        } else if let Some(failure) = failure(tx, cx, &email).await? {
            result["state"] = failure.state.into();
            result["reason"] = failure.reason.into();
        }
        Ok(VerbOutcome::done(result, Effects::default()))
    }
}

/// Why an email was not sent, or may not have been.
struct Failure {
    state: &'static str,
    reason: String,
}

/// Reads why the call that was to send an email failed; `None` if it has not ended.
async fn failure(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    email: &StoredRow,
) -> Result<Option<Failure>, Problem> {
    let hex = email.id().rsplit('_').next().unwrap_or_default();
    let call: CallId =
        format!("call_{hex}").parse().map_err(|_| Problem::bug("an id is broken"))?;
    let Some(receipt) = tx.receipt(cx.tenant, call).await? else { return Ok(None) };
    let error = &receipt.body["error"];
    let unknown = error["code"] == OUTCOME_UNKNOWN;
    let reason = error["message"].as_str().unwrap_or("the call ended without an email");
    let state = if unknown { "unknown" } else { "failed" };
    Ok(Some(Failure { state, reason: reason.to_owned() }))
}
