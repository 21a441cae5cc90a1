//! Lists approvals and takes decisions about them.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::engine::Engine;
use super::runs::{Page, page_length};
use crate::base::{ApprovalId, CallId, CorrelationId, PersonId, Problem, RunId, Value};
use crate::boxed;
use crate::contract::{Approvers, SUPERVISOR};
use crate::domain::{ApprovalNotice, Ruled, Ruling, not_an_approver, rule, unknown_approval};
use crate::driver::Core;
use crate::run::{ApprovalDecision, ApprovalScope, ApprovalStage, ApprovalVote};
use crate::store::{ApprovalFilter, ApprovalRow, ApprovalState, Tx};
use crate::transaction;

/// Who decides about an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decider {
    /// A caller of the API whose role has been checked.
    Caller {
        /// The id under which the caller can decide only once.
        id: String,
        /// The name under which people know the caller.
        name: String,
        /// Whether the decision counts for any role, and not only for that of a supervisor.
        any_role: bool,
    },
    /// A person of the directory, whose roles decide.
    Person(PersonId),
}

/// A decision about an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The approval.
    pub approval: ApprovalId,
    /// What is decided.
    pub decision: ApprovalDecision,
    /// Who decides.
    pub by: Decider,
    /// Why, if the person says so.
    pub reason: Option<String>,
}

/// An approval, as the API shows it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ApprovalView {
    /// Id of the approval.
    pub id: ApprovalId,
    /// The state.
    pub state: ApprovalState,
    /// What set the run going that makes the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<CorrelationId>,
    /// Run that makes the call.
    pub run_id: RunId,
    /// Id of the call.
    pub call_id: CallId,
    /// Id of the step that makes the call.
    pub step_id: String,
    /// What the approval covers: the `call`, or all calls of risk T2 of its `run`.
    pub scope: ApprovalScope,
    /// Name of the tool.
    pub tool: String,
    /// Risk of the call, `T0` to `T4`, as the gate judged it.
    pub risk: String,
    /// Why the call needs an approval.
    pub reason: String,
    /// Digest of the arguments that are approved, as hex.
    pub digest: String,
    /// The arguments that are approved.
    pub input: Value,
    /// What the call would do: `{what, recipients?, text?, segments?}`.
    pub shows: Value,
    /// Who must approve, one link after the other.
    pub approvers: Vec<Approvers>,
    /// Who has said yes so far.
    pub votes: Vec<ApprovalVote>,
    /// When the approval was asked for (RFC 3339).
    #[schema(format = DateTime)]
    pub asked_at: String,
    /// When it counts as refused (RFC 3339).
    #[schema(format = DateTime)]
    pub expires_at: String,
    /// When it was decided, expired or became void (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub decided_at: Option<String>,
    /// Who decided it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// What the person said about the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A filter for the approvals of a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ApprovalQuery {
    /// Which approvals.
    pub filter: ApprovalFilter,
    /// Maximum number of approvals; 0 for the default.
    pub limit: usize,
}

impl Engine {
    /// Lists the approvals of a tenant, newest first.
    #[boxed]
    pub async fn approvals(
        &self,
        tenant: &str,
        query: ApprovalQuery,
    ) -> Result<Page<ApprovalView>, Problem> {
        let limit = page_length(query.limit);
        let task = transaction!([tenant = tenant.to_owned()], |tx| {
            let most = i64::try_from(limit + 1).unwrap_or(1);
            let mut views = Vec::new();
            for row in tx.approvals(&tenant, query.filter, most).await? {
                views.push(view(tx, row).await?);
            }
            Ok(views)
        });
        let found = self.core.store.read(task).await?;
        Ok(Page::cut(found, limit, |approval| approval.id.to_string()))
    }

    /// Returns an approval.
    ///
    /// # Errors
    /// `unknown_approval`.
    #[boxed]
    pub async fn approval(&self, tenant: &str, id: ApprovalId) -> Result<ApprovalView, Problem> {
        let task = transaction!([tenant = tenant.to_owned()], |tx| {
            let row = tx.approval(&tenant, id).await?.ok_or_else(|| unknown_approval(id))?;
            view(tx, row).await
        });
        self.core.store.read(task).await
    }

    /// Stores a decision, and wakes the run that waits for it. A yes after which others must say yes too tells
    /// those whose turn it is. A decision that repeats an earlier one changes nothing.
    ///
    /// # Errors
    /// `unknown_approval`; `not_an_approver` if the person may not decide now; `approval_decided` if it was
    /// decided otherwise or became void; `approval_expired` if its time is over.
    #[boxed]
    pub async fn decide(&self, tenant: &str, decision: Decision) -> Result<ApprovalView, Problem> {
        let core = Arc::clone(&self.core);
        let task = transaction!([core, tenant = tenant.to_owned(), decision], |tx| {
            decide(&core, tx, &tenant, &decision).await
        });
        let decided = self.core.store.write(task).await?;
        self.core.bells.ring_runs();
        self.settle().await?;
        Ok(decided)
    }
}

async fn decide(
    core: &Core,
    tx: &mut Tx,
    tenant: &str,
    decision: &Decision,
) -> Result<ApprovalView, Problem> {
    let id = decision.approval;
    let row = tx.approval(tenant, id).await?.ok_or_else(|| unknown_approval(id))?;
    let role = row.deciding_role().to_owned();
    let (by, name) = match &decision.by {
        Decider::Caller { id, name, any_role } => {
            let may = *any_role || role == SUPERVISOR;
            (id.clone(), may.then(|| name.clone()))
        }
        Decider::Person(person) => {
            (person.to_string(), core.domain.approver(tx, tenant, *person, &role).await?)
        }
    };
    let name = name.ok_or_else(|| not_an_approver(&role))?;
    let reason = decision.reason.as_deref();
    let ruling = Ruling {
        approval: id,
        decision: decision.decision,
        by: &by,
        name: &name,
        role: &role,
        reason,
    };
    let ruled = rule(tx, tenant, &ruling).await?;
    if let Ruled::Counted(row) = &ruled {
        let (settings, library) = (core.settings(tx, tenant).await?, core.library());
        let cx = core.domain_context(tenant, &settings, &library);
        let notice = ApprovalNotice { approval: row, stage: ApprovalStage::Asked };
        core.domain.approval_asked(tx, &cx, notice).await?;
    }
    view(tx, ruled.into_row()).await
}

async fn view(tx: &mut Tx, row: ApprovalRow) -> Result<ApprovalView, Problem> {
    let input = tx.blob(row.input).await?;
    Ok(ApprovalView {
        id: row.id,
        state: row.state,
        correlation_id: row.correlation,
        run_id: row.run,
        call_id: row.call,
        step_id: row.step_id,
        scope: row.scope,
        tool: row.tool,
        risk: row.risk,
        reason: row.reason,
        digest: row.input.to_string(),
        input: crate::ledger::bounded(&input),
        shows: row.shows,
        approvers: row.approvers,
        votes: row.votes,
        asked_at: row.asked_at.to_string(),
        expires_at: row.expires_at.to_string(),
        decided_at: row.decided_at.map(|at| at.to_string()),
        decided_by: row.decided_by,
        note: row.note,
    })
}
