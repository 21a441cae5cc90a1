//! Sends quotes and invoices: `quote.send` and `invoice.send` by text or by email, `email.send_quote` and
//! `email.send_invoice` by email.

use abide_engine::adapter::EmailRequest;
use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, ExternalVerb, Prepared, VerbOutcome};
use async_trait::async_trait;
use serde_json::json;

use super::letter::ShownDocument;
use super::mail;
use super::text::{Text, queue};
use crate::cell::Cell;
use crate::data::{self, StoredRow};
use crate::refusal::{self, NamedRow};
use crate::tool::document::DocumentKind;
use crate::tool::input::{Input, known, shown};
use crate::tool::state;

/// The channel of a call that names none.
const EMAIL: &str = "email";

/// A document that the transaction has locked, with the person who gets it.
struct Sending<'a> {
    kind: &'static DocumentKind,
    input: Input<'a>,
    row: StoredRow,
    lines: Vec<StoredRow>,
    /// The customer of the document, or its lead.
    party: Option<StoredRow>,
}

impl<'a> Sending<'a> {
    /// Locks the document that the input names, and finds out who gets it.
    async fn lock(
        tx: &mut Tx,
        kind: &'static DocumentKind,
        input: Input<'a>,
    ) -> Result<Self, Problem> {
        let row = input.lock(tx, known(kind.table)?, input.row(kind.id)?).await?;
        let lines = data::lines_of(tx, &kind.lines_of(input.tenant, row.id())?).await?;
        let mut party = None;
        for (member, table) in [("customer_id", "customers"), ("lead_id", "leads")] {
            let id = row.text(member);
            if party.is_none() && !id.is_empty() {
                party = Some(input.find(tx, known(table)?, NamedRow { member, id }).await?);
            }
        }
        Ok(Self { kind, input, row, lines, party })
    }

    /// Locks a document that is to be sent: it is closed to changes, and neither answered, paid nor void.
    async fn lock_unanswered(
        tx: &mut Tx,
        kind: &'static DocumentKind,
        input: Input<'a>,
    ) -> Result<Self, Problem> {
        let sending = Self::lock(tx, kind, input).await?;
        state::check(&sending.row, "status", &["finalized", "sent"])?;
        Ok(sending)
    }

    /// Returns the phone or the address of the recipient.
    fn to(&self, column: &str) -> Result<String, Problem> {
        let to = self.party.as_ref().map_or("", |party| party.text(column));
        if to.is_empty() {
            let what = format!("is `{}`, and no `{column}` is known for it", self.row.id());
            return Err(refusal::invalid(self.kind.id, &what)
                .with_hint("give the document a customer, and the customer a phone and an email"));
        }
        Ok(to.to_owned())
    }

    fn shown<'s>(&'s self, cx: &'s CallContext<'_>) -> ShownDocument<'s> {
        ShownDocument {
            kind: self.kind,
            row: &self.row,
            lines: &self.lines,
            name: self.party.as_ref().map_or("", |party| party.text("name")),
            settings: cx.settings,
        }
    }

    /// Marks the document as sent. One that was answered, paid or voided in the meantime keeps its status.
    async fn mark(&mut self, tx: &mut Tx, effects: &mut Effects) -> Result<(), Problem> {
        if self.row.text("status") == "finalized" {
            self.row.set("status", Cell::Text("sent".to_owned()));
        }
        self.row.set("sent_at", Cell::Int(self.input.now.micros()));
        self.input.update(tx, &mut self.row, &["status", "sent_at"], effects).await
    }

    /// Queues the document as a text, and marks it as sent.
    async fn text(mut self, tx: &mut Tx, cx: &CallContext<'_>) -> Result<VerbOutcome, Problem> {
        let to = self.to("phone")?;
        let rendered = self.shown(cx).text(cx.templates, self.input.text("template"))?;
        let mut effects = Effects::default();
        self.mark(tx, &mut effects).await?;
        let text = Text { to: to.clone(), rendered, at: cx.now };
        let queued = queue(tx, cx, text, &mut effects).await?;
        let mut result = json!({
            "message_id": queued.id,
            "channel": "sms",
            "to": to,
            "state": queued.state,
        });
        result[self.kind.name] = shown(&self.row)?;
        Ok(VerbOutcome::done(result, effects))
    }

    /// Says which email the mail server must get.
    async fn email(&self, tx: &mut Tx, cx: &CallContext<'_>) -> Result<Prepared, Problem> {
        let to = match self.input.text("to") {
            Some(to) => to.to_owned(),
            None => self.to("email")?,
        };
        let (template, words) = (self.input.text("template"), self.input.text("message"));
        let letter = self.shown(cx).letter(cx.templates, template, words)?;
        let cc = mail::cc(&self.input)?;
        let request = EmailRequest { to, cc, subject: letter.subject, body: letter.body };
        mail::prepare(tx, cx, request).await
    }
}

/// A document that the mail server has accepted, with the row of its email.
struct Emailed {
    document: StoredRow,
    email: StoredRow,
    effects: Effects,
}

/// Records that the mail server has accepted a document.
async fn emailed(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    kind: &'static DocumentKind,
    args: &Value,
) -> Result<Emailed, Problem> {
    let mut sending = Sending::lock(tx, kind, Input::of(cx, args)).await?;
    let mut effects = Effects::default();
    sending.mark(tx, &mut effects).await?;
    let email = mail::conclude(tx, cx, &mut effects).await?;
    Ok(Emailed { document: sending.row, email, effects })
}

/// `quote.send` and `invoice.send`: sends a document by text or by email.
pub(in crate::tool) struct SendDocument(pub(in crate::tool) &'static DocumentKind);

#[async_trait]
impl ExternalVerb for SendDocument {
    async fn prepare(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
    ) -> Result<Prepared, Problem> {
        let sending = Sending::lock_unanswered(tx, self.0, Input::of(cx, args)).await?;
        if sending.input.text("channel").unwrap_or(EMAIL) == EMAIL {
            return sending.email(tx, cx).await;
        }
        sending.text(tx, cx).await.map(Prepared::Done)
    }

    async fn conclude(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _answer: Value,
    ) -> Result<VerbOutcome, Problem> {
        let Emailed { document, email, effects } = emailed(tx, cx, self.0, args).await?;
        let mut result = mail::result(&email);
        result["channel"] = EMAIL.into();
        result[self.0.name] = shown(&document)?;
        Ok(VerbOutcome::done(result, effects))
    }
}

/// `email.send_quote` and `email.send_invoice`: sends a document by email, with words of the sender.
pub(in crate::tool) struct EmailDocument(pub(in crate::tool) &'static DocumentKind);

#[async_trait]
impl ExternalVerb for EmailDocument {
    async fn prepare(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
    ) -> Result<Prepared, Problem> {
        let sending = Sending::lock_unanswered(tx, self.0, Input::of(cx, args)).await?;
        sending.email(tx, cx).await
    }

    async fn conclude(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _answer: Value,
    ) -> Result<VerbOutcome, Problem> {
        let Emailed { document, email, effects } = emailed(tx, cx, self.0, args).await?;
        let mut result = mail::result(&email);
        result["sent_at"] = shown(&email)?["sent_at"].clone();
        result[self.0.id] = document.id().into();
        Ok(VerbOutcome::done(result, effects))
    }
}
