//! Serves callers of the operator: takes a message through the layers, each in a transaction of its own.

use std::sync::Arc;
use std::time::Duration;

use abide_agent::operator::{IntentClassification, is_open};
use abide_engine::base::{ApprovalId, ClassificationId, PlanId, Problem, RunId, Value};
use abide_engine::facade::{Decider, Decision, Engine, PlanRunView};
use abide_engine::library::Library;
use abide_engine::policy::Settings;
use abide_engine::quality::QualityVerdict;
use abide_engine::run::ApprovalDecision;
use abide_engine::store::Tx;
use abide_engine::{boxed, transaction};
use serde::Serialize;
use utoipa::ToSchema;

use super::Conflict;
use super::answer::{AnswerParts, RunProgress, StartedRun, answer};
use super::layers::{Layers, MessageSource, ReadMessage, start_of};
use super::plan::{PlanStatus, RunPlan};
use super::request::{OperatorMode, OperatorRequest};
use super::rollback::rollback;
use super::verification::{Verification, verification};
use crate::data::operator::{self as data, ClassificationRow, OperatorStage, PlanRow};

/// How a message begins that approves something: `APPROVE: apr_…`.
const APPROVE: &str = "approve:";

/// The operator of an engine. Cheap to clone.
#[derive(Clone)]
pub struct Operator {
    engine: Engine,
    layers: Layers,
}

/// The answer to a message.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct OperatorAnswer {
    /// Id of the classification.
    pub classification_id: ClassificationId,
    /// What the message wants.
    #[schema(value_type = Object)]
    pub classification: IntentClassification,
    /// The plan.
    pub plan: RunPlan,
    /// What the quality gate says about the plan.
    pub quality_gate: QualityVerdict,
    /// The directive that refuses the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub conflict: Option<Conflict>,
    /// The run that carries the plan out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// Whether nothing more will happen by itself: the run has ended, or none was started.
    pub has_ended: bool,
    /// The approval that the run waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
    /// The receipts of the calls, in their order; absent if nothing has run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<abide_engine::ledger::Receipt>>)]
    pub receipts: Option<Vec<Value>>,
    /// For each tool, a query that shows what a run has changed; only in the mode `plan`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verification: Vec<Verification>,
    /// The answer under its five headings.
    pub text: String,
}

/// Who asks the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorCaller {
    /// Who decides if the message approves something; `None` if the caller may not.
    pub decider: Option<Decider>,
    /// How long the caller waits for the run of a plan.
    pub wait: Duration,
}

impl Operator {
    /// Creates the operator of an engine.
    #[must_use]
    pub const fn new(engine: Engine, layers: Layers) -> Self {
        Self { engine, layers }
    }

    /// Takes a message through the layers, as far as its mode says.
    ///
    /// # Errors
    /// `message_invalid`, `context_too_large`, `session_invalid`, `key_clash`, `plan_too_long`, `plan_invalid`; for a
    /// message that approves something, the errors of the decision, and `forbidden`.
    #[boxed]
    pub async fn process(
        &self,
        tenant: &str,
        request: OperatorRequest,
        caller: &OperatorCaller,
    ) -> Result<OperatorAnswer, Problem> {
        request.check()?;
        if let Some(approval) = approved(&request.message) {
            return self.approve(tenant, approval?, caller).await;
        }
        let row = self.classified(tenant, request).await?;
        let planned = self.planned(tenant, row.clone()).await?;
        self.run(tenant, row, planned, caller).await
    }

    /// Returns the answer to an earlier message as it would be given now.
    ///
    /// # Errors
    /// `unknown_plan`.
    #[boxed]
    pub async fn answer_of(&self, tenant: &str, plan: PlanId) -> Result<OperatorAnswer, Problem> {
        let task = transaction!([tenant = tenant.to_owned()], |tx| stored(tx, &tenant, plan).await);
        let (row, planned) = self.engine.read(task).await?;
        self.answer(tenant, row, planned).await
    }

    /// Plans how to make up for what a plan has done, and does it if the caller approves. Without an approval, nothing
    /// runs, whatever the risk.
    ///
    /// # Errors
    /// `unknown_plan`; `plan_running` if the plan has not ended.
    #[boxed]
    pub async fn roll_back(
        &self,
        tenant: &str,
        plan: PlanId,
        consented: bool,
        caller: &OperatorCaller,
    ) -> Result<OperatorAnswer, Problem> {
        let (context, layers) = (self.context(tenant).await?, self.layers.clone());
        let task = transaction!([context, layers], |tx| {
            let cx = context.domain();
            let (_, planned) = stored(tx, cx.tenant, plan).await?;
            let run = PlanRunView::by_key(tx, cx.tenant, &plan.to_string()).await?;
            let ended = run.filter(|run| run.status.is_terminal()).ok_or_else(|| {
                Problem::caller("plan_running", format!("{plan} has not run to its end"))
                    .with_hint("cancel its run first, or wait until it has ended")
            })?;
            let reading = rollback(&planned.plan, &ended.receipts, &layers.contracts);
            let request = OperatorRequest {
                message: format!("rollback {plan}"),
                mode: if consented { OperatorMode::Execute } else { OperatorMode::Analyze },
                consented,
                context: serde_json::Map::new(),
                session: None,
                key: None,
            };
            let source = MessageSource::default();
            let row = layers
                .store_classification(tx, &cx, ReadMessage { request: &request, reading, source })
                .await?;
            let undoing = layers.plan(tx, &cx, &row).await?;
            data::set_undoes(tx, undoing.plan.plan_id, plan).await?;
            Ok((row, undoing))
        });
        let (row, undoing) = self.engine.write(task).await?;
        self.run(tenant, row, undoing, caller).await
    }

    /// Layers 3 and 4, as far as the mode of a message says. Returns the answer.
    async fn run(
        &self,
        tenant: &str,
        row: ClassificationRow,
        planned: PlanRow,
        caller: &OperatorCaller,
    ) -> Result<OperatorAnswer, Problem> {
        if row.mode.runs()
            && let Some(wanted) = start_of(&row, &planned)
        {
            let started = self.engine.start(tenant, wanted).await?;
            self.done(row.id).await?;
            if row.mode.waits() {
                self.engine.wait_for_plan(tenant, started.run, caller.wait).await?;
            }
        }
        self.answer(tenant, row, planned).await
    }

    /// Layer 1, stored.
    async fn classified(
        &self,
        tenant: &str,
        request: OperatorRequest,
    ) -> Result<ClassificationRow, Problem> {
        let (context, layers) = (self.context(tenant).await?, self.layers.clone());
        let proposal = self.proposal(&context, &request).await?;
        let task = transaction!([context, layers, request, proposal], |tx| {
            let cx = context.domain();
            let mut wanted = request.clone();
            let mut reading = layers.classify_in_session(tx, &cx, &mut wanted).await?;
            if let Some(proposal) = proposal.as_ref().filter(|_| is_open(&reading)) {
                let proposed = layers.classify_proposed(&cx, &wanted, proposal);
                reading = proposed.unwrap_or(reading);
            }
            let source = MessageSource::default();
            let row = layers
                .store_classification(tx, &cx, ReadMessage { request: &wanted, reading, source })
                .await?;
            match row.message == wanted.message && row.mode == wanted.mode {
                true => Ok(row),
                false => Err(key_clash()),
            }
        });
        self.engine.try_write(task).await
    }

    /// Asks a language model about a message whose reading leaves open what it wants, outside any transaction.
    async fn proposal(
        &self,
        context: &TenantView,
        request: &OperatorRequest,
    ) -> Result<Option<Arc<Value>>, Problem> {
        if !self.engine.has_model() {
            return Ok(None);
        }
        let (context, layers) = (context.clone(), self.layers.clone());
        let read = transaction!([context, layers, request = request.clone()], |tx| {
            layers.model_request(tx, &context.domain(), &request).await
        });
        match self.engine.read(read).await? {
            Some(request) => Ok(self.engine.propose(&request).await),
            None => Ok(None),
        }
    }

    /// Layer 2, stored.
    async fn planned(&self, tenant: &str, row: ClassificationRow) -> Result<PlanRow, Problem> {
        let (context, layers) = (self.context(tenant).await?, self.layers.clone());
        let task = transaction!([context, layers, row], |tx| {
            layers.plan(tx, &context.domain(), &row).await
        });
        self.engine.write(task).await
    }

    /// Records that nothing is left to do for a message.
    async fn done(&self, id: ClassificationId) -> Result<(), Problem> {
        let task = transaction!(|tx| Ok(data::set_stage(tx, id, OperatorStage::Done, None).await?));
        self.engine.write(task).await
    }

    /// Decides about the approval of a plan, and answers with what the plan then does.
    async fn approve(
        &self,
        tenant: &str,
        approval: ApprovalId,
        caller: &OperatorCaller,
    ) -> Result<OperatorAnswer, Problem> {
        let by = caller.decider.clone().ok_or_else(|| {
            Problem::caller("forbidden", "you may not approve calls")
                .with_hint("a supervisor or an admin may")
        })?;
        let decision = Decision { approval, decision: ApprovalDecision::Approve, by, reason: None };
        let decided = self.engine.decide(tenant, decision).await?;
        let run = decided.run_id;
        self.engine.wait_for_plan(tenant, run, caller.wait).await?;
        let task = transaction!([tenant = tenant.to_owned()], |tx| {
            let goal = tx.vars(run, &["goal".to_owned()]).await?;
            let id = goal.first().and_then(|(_, goal)| goal.get("plan_id")?.as_str()?.parse().ok());
            match id {
                Some(plan) => stored(tx, &tenant, plan).await,
                None => Err(Problem::caller("unknown_plan", "the approval is not one of a plan")
                    .with_hint("see `abide approvals list`")),
            }
        });
        let (row, planned) = self.engine.read(task).await?;
        self.answer(tenant, row, planned).await
    }

    async fn answer(
        &self,
        tenant: &str,
        row: ClassificationRow,
        planned: PlanRow,
    ) -> Result<OperatorAnswer, Problem> {
        let key = planned.plan.plan_id.to_string();
        let task = transaction!([tenant = tenant.to_owned(), key], |tx| {
            PlanRunView::by_key(tx, &tenant, &key).await
        });
        let run = self.engine.read(task).await?;
        Ok(self.written(&row, planned, run))
    }

    /// Writes an answer.
    fn written(
        &self,
        row: &ClassificationRow,
        planned: PlanRow,
        run: Option<PlanRunView>,
    ) -> OperatorAnswer {
        let PlanRow { mut plan, verdict, .. } = planned;
        let contracts = &self.layers.contracts;
        let verification = match row.mode {
            OperatorMode::Plan => verification(&plan, contracts),
            _ => Vec::new(),
        };
        if run.as_ref().is_some_and(|run| run.approval.is_none()) && plan.is_runnable() {
            plan.status = PlanStatus::Ready;
        }
        let progress = progress_of(run.as_ref());
        let mut quality = verdict.quality;
        if plan.requires_approval && run.as_ref().is_some_and(|run| !run.receipts.is_empty()) {
            quality.approve();
        }
        let classification = verdict.reading.classification;
        let text = answer(&AnswerParts {
            classification: &classification,
            plan: &plan,
            quality: &quality,
            conflict: verdict.conflict.as_ref(),
            contracts,
            verification: &verification,
            progress: &progress,
        });
        OperatorAnswer {
            classification_id: row.id,
            classification,
            quality_gate: quality,
            conflict: verdict.conflict,
            run_id: run.as_ref().map(|run| run.run),
            has_ended: run.as_ref().is_none_or(|run| run.status.is_terminal()),
            approval_id: progress.approval,
            receipts: run.is_some().then_some(progress.receipts),
            verification,
            text,
            plan,
        }
    }

    async fn context(&self, tenant: &str) -> Result<TenantView, Problem> {
        Ok(TenantView {
            settings: self.engine.settings(tenant).await?,
            tenant: tenant.into(),
            library: self.engine.library(),
            now: self.engine.now(),
        })
    }
}

/// A tenant, as the layers see it.
#[derive(Clone)]
struct TenantView {
    tenant: Arc<str>,
    settings: Arc<Settings>,
    library: Arc<Library>,
    now: abide_engine::base::Timestamp,
}

impl TenantView {
    fn domain(&self) -> abide_engine::domain::DomainContext<'_> {
        abide_engine::domain::DomainContext {
            tenant: &self.tenant,
            now: self.now,
            settings: &self.settings,
            templates: &self.library.templates,
        }
    }
}

/// Returns what has run, for the answer.
fn progress_of(run: Option<&PlanRunView>) -> RunProgress {
    let Some(run) = run else { return RunProgress::default() };
    let started = StartedRun { id: run.run.to_string(), status: run.status.as_str().to_owned() };
    RunProgress { run: Some(started), approval: run.approval, receipts: run.receipts.clone() }
}

/// Returns the approval that a message gives; `None` if it is another message.
fn approved(message: &str) -> Option<Result<ApprovalId, Problem>> {
    let message = message.trim();
    let head = message.get(..APPROVE.len())?;
    if !head.eq_ignore_ascii_case(APPROVE) {
        return None;
    }
    let id = message.get(APPROVE.len()..)?.trim();
    Some(id.parse().map_err(|_| {
        let shown = abide_engine::base::text::shortened(id, 60);
        Problem::caller("unknown_approval", format!("there is no approval `{shown}`"))
            .with_hint("see `abide approvals list`")
    }))
}

async fn stored(
    tx: &mut Tx,
    tenant: &str,
    plan: PlanId,
) -> Result<(ClassificationRow, PlanRow), Problem> {
    let unknown = || Problem::caller("unknown_plan", format!("there is no plan `{plan}`"));
    let planned = data::plan(tx, tenant, plan).await?.ok_or_else(unknown)?;
    let row = data::classification(tx, tenant, planned.plan.classification_id).await?;
    Ok((row.ok_or_else(unknown)?, planned))
}

fn key_clash() -> Problem {
    Problem::caller("key_clash", "the key was used for another message")
        .with_hint("use a new key for a new message")
}
