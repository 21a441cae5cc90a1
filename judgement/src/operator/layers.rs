//! Takes a message through the layers. Each layer is stored before the next begins, so that another process can
//! continue where one has died.

use std::sync::Arc;

use abide_agent::operator::{self, OperatorIntent, OperatorIntents, OperatorReading};
use abide_engine::base::{
    ClassificationId, CorrelationId, MessageId, PersonId, PlanId, Problem, Span, Value,
};
use abide_engine::contract::{Contract, Contracts};
use abide_engine::domain::{DomainContext, StartRun};
use abide_engine::planted::PlantedFault;
use abide_engine::proof;
use abide_engine::quality::{self, PlannedCall};
use abide_engine::run::StartConsent;
use abide_engine::store::Tx;
use abide_engine::verb::Verbs;

use super::approval_text::ApprovalText;
use super::directive::{DirectiveInput, conflict};
use super::evidence::{complete, gather, lacks_address, unknown_ids};
use super::expected::expected_answers;
use super::look::Looker;
use super::method::method_of;
use super::named::Finder;
use super::plan::{PlanIds, PlanStatus, RunPlan};
use super::request::OperatorRequest;
use crate::agenda::GoalCache;
use crate::data::operator::{
    self as data, ClassificationRow, OperatorStage, PlanRow, StoredVerdict,
};

/// How long an unanswered question of the operator is completed by the next message of its session.
const SESSION_SPAN: Span = Span::from_secs(24 * 3600);

/// If a process takes longer from one layer to the next, another one takes the message up.
const TAKEN_UP_AFTER: Span = Span::from_secs(5);

/// What the layers need besides the database.
#[derive(Clone)]
pub struct Layers {
    /// The contracts of the tools.
    pub contracts: Arc<Contracts>,
    /// The code of the tools, of which only those that read are called.
    pub verbs: Arc<Verbs>,
    /// What staff can ask for.
    pub intents: Arc<OperatorIntents>,
    /// The goals of the conversations that were read last.
    pub goals: Arc<GoalCache>,
}

/// From where a message comes.
#[derive(Debug, Clone, Copy, Default)]
pub struct MessageSource {
    /// The text, if it was texted.
    pub inbound: Option<MessageId>,
    /// Who texted it.
    pub person: Option<PersonId>,
    /// What set it going.
    pub correlation: Option<CorrelationId>,
}

/// A message that is read.
#[derive(Debug, Clone)]
pub struct ReadMessage<'a> {
    /// The message.
    pub request: &'a OperatorRequest,
    /// The reading.
    pub reading: OperatorReading,
    /// From where it comes.
    pub source: MessageSource,
}

impl Layers {
    /// Layer 1: reads a message.
    #[must_use]
    pub fn classify(&self, cx: &DomainContext<'_>, request: &OperatorRequest) -> OperatorReading {
        let now = cx.now.to_jiff().to_zoned(cx.settings.zone());
        operator::read(&request.message, &request.context, &self.contracts, &self.intents, &now)
    }

    /// Layer 1 with what the conversation says: a message that only answers the operator's last question is read
    /// together with the message that it completes.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn classify_in_session(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        request: &mut OperatorRequest,
    ) -> Result<OperatorReading, Problem> {
        let read = self.classify(cx, request);
        let Some(session) = request.session.clone() else { return Ok(read) };
        if !read.calls.is_empty() || read.conflict.is_some() {
            return Ok(read);
        }
        let earlier = data::latest_of_session(tx, cx.tenant, &session).await?;
        let Some(earlier) = earlier.filter(|it| cx.now < it.created_at + SESSION_SPAN) else {
            return Ok(read);
        };
        // Only what the plan lacked is a question: a record that is named by a person may be found by the plan.
        let planned = data::plan_of(tx, earlier.id).await?;
        let Some(planned) = planned.filter(PlanRow::is_open_question) else { return Ok(read) };
        let joined = joined(&earlier, &planned, request);
        if joined.check().is_err() {
            return Ok(read);
        }
        let both = self.classify(cx, &joined);
        let lacked = planned.plan.missing_evidence.len();
        let still = |member: &&String| both.classification.missing_evidence.contains(member);
        let answers = planned.plan.missing_evidence.iter().filter(still).count() < lacked;
        let same = planned.plan.tool_sequence.iter().eq(both.calls.iter().map(|call| &call.tool));
        if !answers || !same {
            return Ok(read);
        }
        *request = joined;
        Ok(both)
    }

    /// Stores layer 1. Returns the row, or the earlier one with the same key.
    ///
    /// # Errors
    /// `key_clash` if the key was used for another message; errors from the store.
    pub async fn store_classification(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        read: ReadMessage<'_>,
    ) -> Result<ClassificationRow, Problem> {
        let ReadMessage { request, reading, source } = read;
        let new = ClassificationRow {
            id: tx.mint::<ClassificationId>(),
            key: request.key.clone(),
            session: request.session.clone(),
            inbound: source.inbound,
            person: source.person,
            correlation: source.correlation,
            message: request.message.clone(),
            context: request.context.clone(),
            mode: request.mode,
            // What was approved before anybody saw it is no tool that a model proposes.
            consented: request.consented && !reading.is_proposed,
            reading,
            stage: OperatorStage::Classified,
            due_at: Some(cx.now + TAKEN_UP_AFTER),
            created_at: cx.now,
        };
        Ok(data::put_classification(tx, cx.tenant, &new).await?.unwrap_or(new))
    }

    /// Layer 2: plans what a stored classification asks for, checks the plan, and stores it. Nothing runs.
    ///
    /// # Errors
    /// `plan_too_long`; errors from the store.
    pub async fn plan(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        row: &ClassificationRow,
    ) -> Result<PlanRow, Problem> {
        if let Some(planned) = data::plan_of(tx, row.id).await? {
            return Ok(planned);
        }
        let planned = self.planned(tx, cx, row).await?;
        if let Some(earlier) = data::put_plan(tx, cx.tenant, &planned).await? {
            return Ok(earlier); // another process was faster
        }
        let runs = row.mode.runs() && planned.plan.is_runnable();
        let due_at = cx.now + TAKEN_UP_AFTER;
        match runs {
            true => data::set_stage(tx, row.id, OperatorStage::Planned, Some(due_at)).await?,
            false => data::set_stage(tx, row.id, OperatorStage::Done, None).await?,
        }
        Ok(planned)
    }

    async fn planned(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        row: &ClassificationRow,
    ) -> Result<PlanRow, Problem> {
        let looker = Looker { verbs: &self.verbs, cx };
        let finder = Finder { looker: &looker, contracts: &self.contracts };
        let mut reading = row.reading.clone();
        let choices = complete(tx, &finder, cx.settings.confidence_min, &mut reading).await;
        let ids = PlanIds { plan: tx.mint::<PlanId>(), classification: row.id };
        if row.person.is_some() {
            lacks_address(tx, &finder, &mut reading).await; // supervisors are texted in vain
        }
        let mut plan = RunPlan::of(ids, &reading, &self.contracts)?;
        plan.unknown_evidence = unknown_ids(tx, &finder, &plan).await;
        plan.estimate.cost = self.cost(cx, &plan);
        plan.estimate.answers = expected_answers(tx, cx, &self.contracts, &plan).await?;
        let evidence = gather(tx, &finder, &plan).await?;
        let input = DirectiveInput {
            reading: &reading,
            plan: &plan,
            contracts: &self.contracts,
            evidence: &evidence,
        };
        let conflict = conflict(&input);
        let quality = self.judge(&plan, row.consented);
        if conflict.is_some() {
            reading.classification.intent = OperatorIntent::Refuse;
            plan.status = PlanStatus::Rejected;
        } else if plan.is_runnable() && quality.check().is_err() {
            plan.status = PlanStatus::QualityGateFailed;
        } else if plan.status == PlanStatus::AwaitingApproval && self.is_approved(&plan, row) {
            plan.status = PlanStatus::Ready;
        }
        let runs = plan.is_runnable() || PlantedFault::RefusedPlanRuns.is_active();
        let method = runs.then(|| method_of(&plan));
        let zone = cx.settings.zone();
        let contracts = &self.contracts;
        let text = ApprovalText { plan: &plan, contracts, evidence: &evidence, zone: &zone };
        let says = text.in_words();
        let verdict = StoredVerdict { quality, conflict, reading, choices, says };
        Ok(PlanRow { plan, verdict, method, undoes: None, created_at: cx.now })
    }

    /// Judges a plan by the quality gate.
    fn judge(&self, plan: &RunPlan, consented: bool) -> quality::QualityVerdict {
        let samples: Vec<Value> = plan.calls.iter().map(|call| call.sample()).collect();
        let calls = plan.calls.iter().zip(&samples);
        let calls: Vec<PlannedCall<'_>> =
            calls.map(|(call, input)| PlannedCall { tool: &call.tool, input, consented }).collect();
        quality::judge(&self.contracts, &calls)
    }

    /// Whether the caller's approval is enough for a plan: it stands for one supervisor.
    fn is_approved(&self, plan: &RunPlan, row: &ClassificationRow) -> bool {
        let tools = plan.calls.iter().filter_map(|call| self.contracts.get(&call.tool));
        row.consented && tools.into_iter().all(Contract::one_supervisor_approves)
    }

    /// Returns what a plan costs at most.
    fn cost(&self, cx: &DomainContext<'_>, plan: &RunPlan) -> f64 {
        let price = cx.settings.segment_price;
        let costs = plan.calls.iter().filter_map(|call| {
            let contract = self.contracts.get(&call.tool)?;
            Some(proof::cost_of_call(contract, cx.templates, &call.sample(), price))
        });
        costs.sum()
    }
}

/// Joins a message with the earlier one that it completes: with the record that its number chooses, or with its words.
fn joined(
    earlier: &ClassificationRow,
    planned: &PlanRow,
    request: &OperatorRequest,
) -> OperatorRequest {
    let mut context = earlier.context.clone();
    context.extend(request.context.clone());
    let chosen = request.message.trim().trim_end_matches('.').parse::<usize>().ok();
    let chosen = chosen.and_then(|number| planned.verdict.choices.get(number.checked_sub(1)?));
    let message = match chosen {
        Some(choice) => {
            context.insert(choice.member.clone(), choice.value.clone().into());
            earlier.message.clone()
        }
        None => format!("{}\n{}", earlier.message, request.message),
    };
    OperatorRequest { message, context, ..request.clone() }
}

impl PlanRow {
    /// Whether the plan waits for what it lacks, so that the next message may say it.
    fn is_open_question(&self) -> bool {
        self.plan.status == PlanStatus::Rejected
            && self.verdict.conflict.is_none()
            && !self.plan.missing_evidence.is_empty()
            && !self.plan.calls.is_empty()
    }
}

/// Layer 3: returns the start of the run that carries a plan out. A second start for the same plan is the same run.
#[must_use]
pub fn start_of(row: &ClassificationRow, planned: &PlanRow) -> Option<StartRun> {
    let text = planned.method.clone()?;
    let consent = if row.consented { StartConsent::Given } else { StartConsent::Open };
    let mut goal = planned.plan.goal();
    if !planned.verdict.says.is_empty() {
        goal["says"] = planned.verdict.says.as_str().into();
    }
    Some(StartRun {
        goal,
        key: Some(planned.plan.plan_id.to_string()),
        outside_plan: Some(text),
        consent,
        ..StartRun::default()
    })
}
