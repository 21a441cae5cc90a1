//! Handles the texts of staff of a trade, tells them what became of what they asked for, and keeps the agenda of
//! conversations by text.

use abide_agent::agenda::{Profile, classify};
use abide_agent::operator::{OperatorIntent, OperatorReading};
use abide_engine::base::{MessageId, PersonId, PlanId, Problem, RunId, Timestamp, Value};
use abide_engine::contract::{Contract, Handler, Risk};
use abide_engine::domain::{Applied, DomainContext, HandledAs, RunEnd, StartRun, TenantSweep};
use abide_engine::facade::PlanRunView;
use abide_engine::planted::PlantedFault;
use abide_engine::store::{ContactId, InboundRow, Tx};
use abide_verbs::data::person;
use abide_verbs::judge::{ForgottenPerson, Judge, JudgedText};
use abide_verbs::operations::OperationContext;
use abide_verbs::operations::messages::{self, MessageDraft};
use async_trait::async_trait;
use serde_json::{Map, json};

use crate::agenda::evaluate_queued;
use crate::conversation;
use crate::customer;
use crate::data::agenda::{self as agenda_data, PendingTurn, SessionKey};
use crate::data::due;
use crate::data::operator::{self as data, ClassificationRow, OperatorStage, PlanRow};
use crate::follow_ups::follow_ups;
use crate::obligations::standing;
use crate::operator::{
    Layers, MessageSource, OperatorMode, OperatorRequest, PlanStatus, ReadMessage,
    failure_in_words, plan_in_words, receipt_in_words, start_of,
};

/// Maximum number of messages to the operator that one sweep takes up.
const MESSAGES_MAX: i64 = 20;
/// The domain whose tenants have an operator that reads texts.
const TRADE: &str = "trade";

/// How the names of the files begin in which a home has contracts.
const OF_HOME: &str = "home/";

/// Judges texts with the operator, and keeps the agenda.
pub struct TextJudge {
    layers: Layers,
}

impl TextJudge {
    /// Creates a judge.
    #[must_use]
    pub const fn new(layers: Layers) -> Self {
        Self { layers }
    }

    /// Whether the tenant has tools that its staff can ask for by text.
    fn serves(&self, cx: &DomainContext<'_>) -> bool {
        let is_of_home = |file: &String| file.starts_with(OF_HOME);
        let has_own = || self.layers.contracts.iter().any(|it| it.files().iter().any(is_of_home));
        cx.settings.has_domain(TRADE) || has_own()
    }

    /// Answers a text of staff that is classified and planned. Returns the run to start, if one is.
    async fn answer(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        row: &ClassificationRow,
        planned: &PlanRow,
    ) -> Result<Option<StartRun>, Problem> {
        let plan = &planned.plan;
        let words = || plan_in_words(plan);
        match plan.status {
            PlanStatus::Ready => {}
            PlanStatus::AwaitingApproval if !self.asks(planned) => {}
            PlanStatus::AwaitingApproval => {
                self.tell(
                    tx,
                    cx,
                    row,
                    Said { template: "operator_waits", vars: json!({ "what": words() }) },
                )
                .await?;
            }
            PlanStatus::QualityGateFailed => {
                let failure = planned.verdict.quality.failures.first();
                let why = failure.map_or("a check failed", |failure| &failure.reason);
                self.tell(
                    tx,
                    cx,
                    row,
                    Said { template: "operator_refused", vars: json!({ "why": why }) },
                )
                .await?;
            }
            PlanStatus::Rejected => match &planned.verdict.conflict {
                Some(conflict) => {
                    let why = json!({ "why": conflict.reason });
                    self.tell(tx, cx, row, Said { template: "operator_refused", vars: why })
                        .await?;
                }
                None => {
                    let spaced = |member: &String| member.replace('_', " ");
                    let missing: Vec<String> = plan.missing_evidence.iter().map(spaced).collect();
                    let choices = planned.verdict.choices.iter().zip(1..);
                    let choices: Vec<String> =
                        choices.map(|(choice, n)| format!("{n}: {}", choice.said)).collect();
                    let vars = match (choices.is_empty(), missing.is_empty()) {
                        (false, _) => json!({ "choices": choices }),
                        (true, false) => json!({ "missing": missing, "what": words() }),
                        (true, true) => json!({}),
                    };
                    self.tell(tx, cx, row, Said { template: "operator_clarify", vars }).await?;
                }
            },
        }
        data::set_stage(tx, row.id, OperatorStage::Done, None).await?;
        Ok(start_of(row, planned))
    }

    /// Whether somebody is asked before a plan runs: a tool that is not configured does nothing that needs it.
    fn asks(&self, planned: &PlanRow) -> bool {
        let tools =
            planned.plan.calls.iter().filter_map(|call| self.layers.contracts.get(&call.tool));
        let acts = |it: &&Contract| !matches!(it.handler, Handler::NotConfigured(_));
        tools.filter(acts).any(|it| it.risk_unplanned() >= Risk::T2)
    }

    /// Texts the person who wrote a message.
    async fn tell(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        row: &ClassificationRow,
        said: Said,
    ) -> Result<(), Problem> {
        let (Some(person), Some(inbound)) = (row.person, row.inbound) else { return Ok(()) };
        self.tell_person(tx, cx, Told { person, inbound }, said).await
    }

    /// Texts somebody who wrote a message.
    async fn tell_person(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        told: Told,
        said: Said,
    ) -> Result<(), Problem> {
        let Told { person, inbound } = told;
        let context = OperationContext::of_domain(cx).answering(inbound);
        let draft = MessageDraft::answer(person, inbound);
        messages::send(tx, &context, said.template, &[draft], &said.vars).await.map(drop)
    }

    /// Does what is left to do for a message to the operator.
    async fn take_up(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        row: &ClassificationRow,
    ) -> Result<Vec<StartRun>, Problem> {
        if row.stage == OperatorStage::Ended {
            data::set_stage(tx, row.id, OperatorStage::Done, None).await?;
            let Some(planned) = data::plan_of(tx, row.id).await? else { return Ok(Vec::new()) };
            let key = planned.plan.plan_id.to_string();
            let run = PlanRunView::by_key(tx, cx.tenant, &key).await?;
            let Some(run) = run else { return Ok(Vec::new()) };
            if row.person.is_some() {
                self.report(tx, cx, row, &run).await?;
            }
            return follow_ups(tx, cx, &planned, &run).await;
        }
        let planned = self.layers.plan(tx, cx, row).await?;
        if row.person.is_some() {
            return Ok(self.answer(tx, cx, row, &planned).await?.into_iter().collect());
        }
        data::set_stage(tx, row.id, OperatorStage::Done, None).await?;
        Ok(start_of(row, &planned).filter(|_| row.mode.runs()).into_iter().collect())
    }

    /// Tells the person who texted what became of the plan.
    async fn report(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        row: &ClassificationRow,
        run: &PlanRunView,
    ) -> Result<(), Problem> {
        let is_done = |receipt: &&Value| receipt["status"] == "succeeded";
        let (done, rest): (Vec<&Value>, Vec<&Value>) = run.receipts.iter().partition(is_done);
        let mut lines: Vec<String> = done.iter().map(|receipt| receipt_in_words(receipt)).collect();
        lines.dedup();
        let mut vars = json!({ "lines": lines });
        if let Some(failed) = rest.first() {
            vars["failed"] = failure_in_words(failed).into();
        }
        if lines.is_empty() && rest.is_empty() {
            return Ok(());
        }
        self.tell(tx, cx, row, Said { template: "operator_done", vars }).await
    }
}

/// Somebody who wrote a message.
#[derive(Clone, Copy)]
struct Told {
    person: PersonId,
    inbound: MessageId,
}

/// Whether a text wants to file an inspection packet: its photos do not come by text.
fn wants_packet(text: &str, reading: &OperatorReading) -> bool {
    let words = abide_agent::text::words(text);
    let says = |all: &[&str]| words.iter().any(|word| all.contains(&word.as_str()));
    let inspects = reading.calls.iter().any(|call| call.tool == "inspection.create");
    says(&["packet"]) && says(&["inspection", "file", "photo", "photos"])
        || inspects && says(&["photo", "photos"])
}

/// Says that a packet does not come by text.
fn no_packet() -> Said {
    let why = "photos do not come by text. Send the packet with the program or the API, as the \
               context `inspection_packet` of the operator; or tell me the findings";
    Said { template: "operator_refused", vars: json!({ "why": why }) }
}

/// What a person is told.
struct Said {
    template: &'static str,
    vars: Value,
}

/// Returns the conversation with a phone number. Its name tells nobody the number.
#[must_use]
pub fn session_of(contact: ContactId) -> String {
    format!("sms:{}", contact.digest())
}

/// Returns the conversation of a person at their number.
fn key_of(text: &JudgedText<'_>) -> SessionKey {
    SessionKey { user: text.sender.to_string(), session: session_of(text.inbound.sender) }
}

#[async_trait]
impl Judge for TextJudge {
    async fn staff_text(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        text: JudgedText<'_>,
    ) -> Result<Option<Applied>, Problem> {
        if !self.serves(cx) {
            return Ok(None);
        }
        let JudgedText { inbound, sender } = text;
        let mut request = OperatorRequest {
            message: inbound.body.clone(),
            mode: OperatorMode::Execute,
            consented: false,
            context: Map::new(),
            session: Some(session_of(inbound.sender)),
            key: Some(format!("inbound:{}", inbound.id)),
        };
        if request.check().is_err() {
            return Ok(None);
        }
        let reading = self.layers.classify_in_session(tx, cx, &mut request).await?;
        if wants_packet(&inbound.body, &reading) {
            self.tell_person(tx, cx, Told { person: sender, inbound: inbound.id }, no_packet())
                .await?;
            return Ok(Some(Applied {
                handled_as: HandledAs::StaffRequest,
                run: None,
                starts: Vec::new(),
            }));
        }
        let intent = reading.classification.intent;
        if reading.calls.is_empty()
            && !(intent == OperatorIntent::Refuse && reading.conflict.is_some())
        {
            return Ok(None);
        }
        let source = MessageSource {
            inbound: Some(inbound.id),
            person: Some(sender),
            correlation: Some(inbound.id.into()),
        };
        let row = self
            .layers
            .store_classification(tx, cx, ReadMessage { request: &request, reading, source })
            .await?;
        let planned = self.layers.plan(tx, cx, &row).await?;
        let start = self.answer(tx, cx, &row, &planned).await?;
        let starts = start.into_iter().collect();
        Ok(Some(Applied { handled_as: HandledAs::StaffRequest, run: None, starts }))
    }

    async fn outside_text(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
    ) -> Result<Option<Applied>, Problem> {
        if !cx.settings.has_domain(TRADE) {
            return Ok(None);
        }
        customer::take(&self.layers, tx, cx, inbound).await
    }

    async fn heard(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        text: JudgedText<'_>,
    ) -> Result<(), Problem> {
        let JudgedText { inbound, sender } = text;
        let key = key_of(&text);
        let turn = PendingTurn {
            at: inbound.received_at.micros(),
            text: inbound.body.clone(),
            classification: classify(&inbound.body),
            profile: profile(tx, cx.tenant, sender).await?,
            answer: None,
            proposals: Vec::new(),
        };
        Ok(agenda_data::queue(tx, cx.tenant, &key, &turn, cx.now).await?)
    }

    async fn forget(
        &self,
        tx: &mut Tx,
        tenant: &str,
        person: ForgottenPerson,
    ) -> Result<(), Problem> {
        agenda_data::forget(tx, tenant, &person.person.to_string()).await?;
        Ok(data::forget_session(tx, tenant, &session_of(person.contact)).await?)
    }

    async fn goals(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        text: JudgedText<'_>,
    ) -> Result<Vec<String>, Problem> {
        let key = key_of(&text);
        conversation::goals(tx, cx.tenant, &key, &self.layers.goals, cx.now).await
    }

    async fn run_ended(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        end: &RunEnd<'_>,
    ) -> Result<bool, Problem> {
        if end.request.is_some() {
            return Ok(false);
        }
        let goal = tx.vars(end.run, &["goal".to_owned()]).await?;
        if let Some((_, goal)) = goal.first()
            && standing::run_ended(tx, cx, end, goal).await?
        {
            return Ok(false); // the domain reports the end of such a run as it does that of others
        }
        let plan = goal.first().and_then(|(_, goal)| goal.get("plan_id")?.as_str()?.parse().ok());
        let Some(plan) = plan else { return Ok(false) };
        let plan: PlanId = plan;
        let Some(planned) = data::plan(tx, cx.tenant, plan).await? else { return Ok(false) };
        let id = planned.plan.classification_id;
        let Some(row) = data::classification(tx, cx.tenant, id).await? else { return Ok(false) };
        if row.person.is_some() || !cx.settings.follow_ups.is_empty() {
            data::set_stage(tx, id, OperatorStage::Ended, Some(cx.now)).await?;
        }
        Ok(row.person.is_some() || row.mode.waits()) // a caller who waits sees how the run ends
    }

    async fn before_call(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        contract: &Contract,
    ) -> Result<(), Problem> {
        standing::before_call(tx, cx, contract).await
    }

    async fn after_call(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        contract: &Contract,
        run: RunId,
    ) -> Result<(), Problem> {
        standing::after_call(tx, cx, contract, run).await
    }

    async fn next_due(&self, tx: &mut Tx) -> Result<Vec<(String, Timestamp)>, Problem> {
        let due = due::tenants(tx).await?;
        Ok(due.into_iter().map(|it| (it.tenant, it.at)).collect())
    }

    async fn is_due(&self, tx: &mut Tx, tenant: &str, by: Timestamp) -> Result<bool, Problem> {
        Ok(due::of_tenant(tx, tenant).await?.is_some_and(|at| at <= by))
    }

    async fn sweep(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        by: Timestamp,
    ) -> Result<TenantSweep, Problem> {
        let mut swept = TenantSweep::default();
        for row in data::due(tx, cx.tenant, by, MESSAGES_MAX).await? {
            if PlantedFault::LayerForgotten.is_active() {
                data::set_stage(tx, row.id, OperatorStage::Done, None).await?;
                continue;
            }
            swept.starts.extend(self.take_up(tx, cx, &row).await?);
            swept.done += 1;
        }
        let taken = standing::take_up(tx, cx.tenant, by).await?;
        swept.starts.extend(taken.starts);
        swept.done += taken.orders + evaluate_queued(tx, cx, &self.layers.goals, by).await?;
        Ok(swept)
    }
}

/// Returns what is known about a person.
async fn profile(tx: &mut Tx, tenant: &str, id: PersonId) -> Result<Profile, Problem> {
    let people = person::by_ids(tx, tenant, &[id]).await?;
    let known = people.first();
    Ok(Profile {
        display_name: known.map(|person| person.name.clone()),
        home_location: known.and_then(|person| person.campus.clone()),
    })
}
