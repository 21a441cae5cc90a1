//! The church domain: implements the engine's [`Domain`] for churches. The engine calls it
//! when a run starts or ends, a message arrives, an expression reads data, or a change becomes due.
//!
//! An inbound message is handled in four stages. [`known`] loads the sender's open asks into a [`view`].
//! [`meaning`] determines what the message means, and [`decide`] how to handle it; both are pure.
//! [`apply`] carries out the decision under the request's lock, or [`together`] those of many plain answers.

mod affected_requests;
mod alarm;
mod answer_question;
mod apply;
mod approving;
mod audit;
mod church_words;
mod decide;
mod due;
mod ending;
mod facts;
mod fold;
mod frames;
mod grave;
mod handler;
mod known;
mod meaning;
pub(crate) mod open;
mod order;
mod proposal;
mod question;
mod reply;
mod rule;
mod staff;
mod together;
mod unclear;
mod view;
mod wish;

use std::collections::BTreeMap;
use std::sync::Arc;

use abide_agent::staff::Intents;

use abide_engine::base::{Digest, PersonId, Problem, RequestId, RunId, Timestamp, Value};
use abide_engine::contract::Contract;
use abide_engine::domain::{
    Applied, ApprovalNotice, Breach, Domain, DomainContext, FailedDelivery, Fold, Frames,
    InterpretedMessage, MessageMeaning, MethodChoice, OpenAsks, PreparedStart, RemovedPerson,
    RunEnd, StartRun, TenantSweep, TextedStart,
};
use abide_engine::expr::FactCall;
use abide_engine::model::ModelRequest;
use abide_engine::store::{ContactId, InboundRow, KeyRange, StoredCause, Tx};
use async_trait::async_trait;
use serde_json::json;
use uuid::Uuid;

use self::decide::Focus;
use self::meaning::{Meaning, MessageText};
use self::view::View;
use crate::data;
use crate::data::inbox::InboxEntry;
use crate::inbox::Reason;
use crate::judge::{ForgottenPerson, Judge, NoJudge};
use crate::operations::{OperationContext, removal, requests, staff_inbox};

/// Name of the church among the domains of a tenant.
const DOMAIN: &str = "church";

/// The church domain.
#[derive(Clone)]
pub struct ChurchDomain {
    /// What staff can ask for.
    intents: Arc<Intents>,
    /// Judges what the church does not.
    judge: Arc<dyn Judge>,
}

impl ChurchDomain {
    /// Returns the domain in which staff can ask for what these intents contain.
    #[must_use]
    pub fn with_intents(intents: Arc<Intents>) -> Self {
        Self { intents, judge: Arc::new(NoJudge) }
    }

    /// Returns the domain in which `judge` judges what the church does not.
    #[must_use]
    pub fn with_judge(self, judge: Arc<dyn Judge>) -> Self {
        Self { judge, ..self }
    }
}

/// Whether the tenant is a church. In another tenant, nobody requests volunteers by text: messages answer
/// the asks of runs, or go to the inbox. The words of the carriers work as in a church.
fn has_church(cx: &DomainContext<'_>) -> bool {
    cx.settings.has_domain(DOMAIN)
}

#[async_trait]
impl Domain for ChurchDomain {
    async fn prepare_start(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        start: &StartRun,
    ) -> Result<PreparedStart, Problem> {
        open::open(tx, cx, start).await
    }

    fn prepare_in_memory(&self, cx: &DomainContext<'_>, start: &StartRun) -> Option<PreparedStart> {
        open::without_request(cx, start)
    }

    async fn tenant_time_zone(&self, tx: &mut Tx, tenant: &str) -> Result<Option<String>, Problem> {
        Ok(data::church::find(tx, tenant).await?.map(|church| church.time_zone))
    }

    async fn run_inserted(
        &self,
        tx: &mut Tx,
        _cx: &DomainContext<'_>,
        run: RunId,
        prepared: &PreparedStart,
    ) -> Result<(), Problem> {
        open::note_run(tx, run, prepared).await
    }

    async fn request_view(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        request: RequestId,
    ) -> Result<Value, Problem> {
        let request = requests::load(tx, cx.tenant, request).await?;
        Ok(json!({
            "id": request.id,
            "service_time": request.service_time.to_string(),
            "targets": request.targets.to_value(),
            "status": request.status.as_str(),
            "version": request.version,
        }))
    }

    async fn fact(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        request: Option<RequestId>,
        call: &FactCall,
    ) -> Result<Value, Problem> {
        facts::answer(tx, cx, request, call).await
    }

    async fn open_asks(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        messages: &[&InboundRow],
    ) -> Result<Vec<OpenAsks>, Problem> {
        let views = known::views(tx, cx, messages).await?;
        let of_view = |mut view: View| {
            if !has_church(cx) {
                view.senders.iter_mut().for_each(|sender| sender.staff = false);
            }
            let request = match decide::focus(&view) {
                Focus::One(ask) => Some(ask.request),
                Focus::Several(_) | Focus::Nothing => None,
            };
            let view = view.to_value()?;
            Ok(OpenAsks { digest: Digest::of_value(&view), request, view })
        };
        views.into_iter().map(of_view).collect()
    }

    fn opts_out(&self, text: &str) -> bool {
        abide_agent::reply::opts_out(text)
    }

    fn interpret(&self, cx: &DomainContext<'_>, inbound: &InboundRow, asks: &OpenAsks) -> Value {
        let Ok(view) = View::from_value(&asks.view) else { return Value::Null };
        json!(meaning::of(&MessageText::of(cx, inbound, &self.intents), &view))
    }

    fn model_request(
        &self,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
        own: MessageMeaning<'_>,
    ) -> Option<ModelRequest> {
        let view = View::from_value(&own.asks.view).ok()?;
        let meaning = Meaning::from_value(own.meaning);
        proposal::request(&MessageText::of(cx, inbound, &self.intents), &view, &meaning)
    }

    async fn frames(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
        own: MessageMeaning<'_>,
    ) -> Result<Frames, Problem> {
        frames::load(tx, cx, inbound, own, self.judge.as_ref()).await
    }

    fn with_proposal(
        &self,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
        own: MessageMeaning<'_>,
        proposed: &Value,
    ) -> Value {
        let Ok(view) = View::from_value(&own.asks.view) else { return own.meaning.clone() };
        let meaning = Meaning::from_value(own.meaning);
        let text = MessageText::of(cx, inbound, &self.intents);
        json!(proposal::merged(&text, &view, meaning, proposed))
    }

    async fn affected_requests(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
        reading: MessageMeaning<'_>,
    ) -> Result<Vec<RequestId>, Problem> {
        affected_requests::of(tx, cx, inbound, reading.asks, reading.meaning).await
    }

    async fn awaits_answer(
        &self,
        tx: &mut Tx,
        tenant: &str,
        senders: &[ContactId],
        requests: &[RequestId],
    ) -> Result<bool, Problem> {
        Ok(data::due::awaits_answer(tx, tenant, senders, requests).await?)
    }

    async fn set_aside(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
    ) -> Result<(), Problem> {
        let entry = InboxEntry::of_message(inbound.id, inbound.received_at, Reason::NotApplied);
        Ok(data::inbox::put(tx, cx.tenant, &entry).await?)
    }

    async fn apply(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
        reading: MessageMeaning<'_>,
    ) -> Result<Applied, Problem> {
        apply::apply(tx, cx, inbound, reading, self.judge.as_ref()).await
    }

    fn is_plain_answer(&self, inbound: &InboundRow, reading: MessageMeaning<'_>) -> bool {
        together::is_plain(&InterpretedMessage { inbound, reading })
    }

    async fn apply_together(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        answers: &[InterpretedMessage<'_>],
    ) -> Result<Vec<Applied>, Problem> {
        together::apply(tx, cx, answers).await
    }

    async fn tell_started(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
        started: TextedStart<'_>,
    ) -> Result<(), Problem> {
        if started.wanted.outside_plan.is_some() {
            return Ok(()); // the judge says what became of its plan
        }
        staff::tell_started(tx, cx, inbound, started, &self.intents).await
    }

    async fn ask_method(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
        choice: MethodChoice<'_>,
    ) -> Result<(), Problem> {
        staff::ask_method(tx, cx, inbound, choice).await
    }

    async fn opted_out(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
    ) -> Result<(), Problem> {
        ending::opted_out(tx, cx, inbound).await
    }

    async fn remove_person(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        person: PersonId,
    ) -> Result<Option<RemovedPerson>, Problem> {
        let removed = removal::remove(tx, &OperationContext::of_domain(cx), person).await?;
        if let Some(removed) = &removed {
            let forgotten = ForgottenPerson { person, contact: removed.contact };
            self.judge.forget(tx, cx.tenant, forgotten).await?;
        }
        Ok(removed)
    }

    async fn causes_hold(&self, tx: &mut Tx, causes: &[StoredCause]) -> Result<Vec<bool>, Problem> {
        due::causes_hold(tx, causes).await
    }

    async fn time_zones(
        &self,
        tx: &mut Tx,
        people: &[PersonId],
    ) -> Result<BTreeMap<PersonId, String>, Problem> {
        Ok(data::person::time_zones(tx, people).await?)
    }

    async fn sends_postponed(
        &self,
        tx: &mut Tx,
        causes: &[StoredCause],
        at: Timestamp,
    ) -> Result<(), Problem> {
        due::sends_postponed(tx, causes, at).await
    }

    async fn delivery_failed(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        delivery: &FailedDelivery,
    ) -> Result<(), Problem> {
        ending::undelivered(tx, cx, delivery).await
    }

    async fn delivery_unknown(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        delivery: &FailedDelivery,
    ) -> Result<(), Problem> {
        let entry = InboxEntry::of_message(delivery.message, cx.now, Reason::UnknownDelivery);
        let entry = InboxEntry { person: delivery.person, ..entry };
        Ok(data::inbox::put(tx, cx.tenant, &entry).await?)
    }

    async fn approval_asked(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        notice: ApprovalNotice<'_>,
    ) -> Result<(), Problem> {
        approving::tell(tx, &OperationContext::of_domain(cx), notice).await
    }

    async fn approver(
        &self,
        tx: &mut Tx,
        tenant: &str,
        person: PersonId,
        role: &str,
    ) -> Result<Option<String>, Problem> {
        approving::approver(tx, tenant, person, role).await
    }

    async fn run_ended(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        end: RunEnd<'_>,
    ) -> Result<(), Problem> {
        if self.judge.run_ended(tx, cx, &end).await? {
            return Ok(());
        }
        if end.cancelled {
            return ending::run_cancelled(tx, cx, end.run, end.request).await;
        }
        ending::run_ended(tx, end.run).await?;
        match end.failure {
            Some(failure) => alarm::run_failed(tx, cx, &end, failure).await,
            None => Ok(()),
        }
    }

    async fn before_call(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        contract: &Contract,
    ) -> Result<(), Problem> {
        self.judge.before_call(tx, cx, contract).await
    }

    async fn after_call(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        contract: &Contract,
        run: RunId,
    ) -> Result<(), Problem> {
        self.judge.after_call(tx, cx, contract, run).await
    }

    async fn budget_reached(&self, tx: &mut Tx, cx: &DomainContext<'_>) -> Result<(), Problem> {
        alarm::budget_reached(tx, cx).await
    }

    async fn awaited_people(
        &self,
        tx: &mut Tx,
        request: RequestId,
        open_cells: &[String],
    ) -> Result<Value, Problem> {
        ending::silent(tx, request, open_cells).await
    }

    async fn asked_people(
        &self,
        tx: &mut Tx,
        request: RequestId,
        askings: &[String],
    ) -> Result<Value, Problem> {
        ending::asked(tx, request, askings).await
    }

    async fn next_due(&self, tx: &mut Tx) -> Result<Vec<(String, Timestamp)>, Problem> {
        Ok(data::due::next(tx).await?)
    }

    async fn due_requests(
        &self,
        tx: &mut Tx,
        tenant: &str,
        by: Timestamp,
        limit: i64,
    ) -> Result<Vec<RequestId>, Problem> {
        Ok(data::due::requests(tx, tenant, by, limit).await?)
    }

    async fn tenant_is_due(
        &self,
        tx: &mut Tx,
        tenant: &str,
        by: Timestamp,
    ) -> Result<bool, Problem> {
        let told = data::notice::is_due(tx, tenant, by).await?;
        Ok(told || self.judge.is_due(tx, tenant, by).await?)
    }

    async fn next_tenant_due(&self, tx: &mut Tx) -> Result<Vec<(String, Timestamp)>, Problem> {
        self.judge.next_due(tx).await
    }

    async fn sweep_tenant(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        by: Timestamp,
    ) -> Result<TenantSweep, Problem> {
        let told = staff_inbox::tell_due(tx, &OperationContext::of_domain(cx), by).await?;
        let mut swept = self.judge.sweep(tx, cx, by).await?;
        swept.done += told;
        Ok(swept)
    }

    async fn sweep(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        request: RequestId,
    ) -> Result<u64, Problem> {
        due::sweep(tx, cx, request).await
    }

    fn fold(&self) -> Box<dyn Fold> {
        Box::new(fold::RequestFold::default())
    }

    async fn audit_range(&self, tx: &mut Tx, first: Uuid) -> Result<KeyRange, Problem> {
        audit::range(tx, first).await
    }

    async fn audit(&self, tx: &mut Tx, range: KeyRange) -> Result<Vec<Breach>, Problem> {
        audit::audit(tx, range).await
    }

    async fn audit_rest(&self, tx: &mut Tx) -> Result<Vec<Breach>, Problem> {
        audit::rest(tx).await
    }
}
