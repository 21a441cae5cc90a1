//! Decides about approvals by text message.

use abide_engine::base::{ApprovalId, Problem, Span, Timestamp};
use abide_engine::domain::{
    Applied, ApprovalNotice, DomainContext, HandledAs, Ruled, Ruling, not_an_approver, rule,
};
use abide_engine::run::{ApprovalDecision, ApprovalStage};
use abide_engine::store::{ApprovalFilter, ApprovalRow, ApprovalState, Tx};
use serde_json::json;

use super::approving;
use super::handler::{MessageHandler, done};
use super::view::{SenderApproval, Standing};
use crate::data::person::Person;
use crate::data::question::ClarificationKind;

/// Maximum number of a tenant's newest approvals among which a text can choose. Nobody holds more in mind.
const APPROVALS_MAX: i64 = 10;
/// How long after an approval has ended a text can still be meant for it.
const ENDED_WITHIN: Span = Span::from_secs(24 * 3600);

/// Returns the tenant's newest approvals, the earliest first; none if no role of these people decides any.
pub(super) async fn recent_approvals(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    people: &[Person],
) -> Result<Vec<ApprovalRow>, Problem> {
    if people.iter().all(|person| person.roles.is_empty()) {
        return Ok(Vec::new());
    }
    let filter = ApprovalFilter { state: None, before: None };
    let mut recent = tx.approvals(cx.tenant, filter, APPROVALS_MAX).await?;
    recent.reverse();
    Ok(recent)
}

/// Returns what these people may approve or refuse, and what they might have decided within the last day.
pub(super) fn approvals_of(
    recent: &[ApprovalRow],
    now: Timestamp,
    people: &[&Person],
) -> Vec<SenderApproval> {
    let matters = |row: &&ApprovalRow| match row.decided_at {
        None => row.state == ApprovalState::Pending && now < row.expires_at,
        Some(at) => at + ENDED_WITHIN > now,
    };
    let mut found = Vec::new();
    for row in recent.iter().filter(matters) {
        let role = row.deciding_role();
        let holder = people.iter().find(|person| person.roles.iter().any(|held| held == role));
        let decided = |name: &str| row.decided_by.as_deref() == Some(name);
        let open_to = |person: &&&Person| {
            person.active && !row.has_vote_of(&person.id.to_string()) && !decided(&person.name)
        };
        if let Some(person) = holder.filter(open_to) {
            let what = row.shows["what"].as_str().unwrap_or(&row.tool).to_owned();
            found.push(SenderApproval { person: person.id, id: row.id, what, state: row.state });
        }
    }
    found
}

impl MessageHandler<'_> {
    /// Approves or refuses what the sender was asked, and tells the sender what follows.
    pub(super) async fn rule(
        &self,
        tx: &mut Tx,
        about: &SenderApproval,
        decision: ApprovalDecision,
    ) -> Result<Applied, Problem> {
        let (tenant, person) = (self.context.tenant, about.person);
        let row = tx.approval(tenant, about.id).await?;
        let row = row.ok_or_else(|| Problem::bug("an approval is gone"))?;
        let role = row.deciding_role().to_owned();
        let name = approving::approver(tx, tenant, person, &role).await?;
        let name = name.ok_or_else(|| not_an_approver(&role))?;
        let by = person.to_string();
        let ruling = Ruling {
            approval: about.id,
            decision,
            by: &by,
            name: &name,
            role: &role,
            reason: None,
        };
        let ruled = rule(tx, tenant, &ruling).await?;
        let waits = matches!(ruled, Ruled::Counted(_));
        if let Ruled::Counted(row) = &ruled {
            let notice = ApprovalNotice { approval: row, stage: ApprovalStage::Asked };
            approving::tell(tx, &self.context, notice).await?;
        }
        let approved = decision == ApprovalDecision::Approve;
        let vars = json!({ "what": about.what, "approved": approved, "waits": waits });
        self.answer(tx, person, "approval_decided", &vars).await?;
        Ok(Applied { run: Some(row.run), ..done(HandledAs::Approval) })
    }

    /// Answers a decision that comes too late, because somebody else has decided or the time is over.
    pub(super) async fn ruled_before(
        &self,
        tx: &mut Tx,
        about: &SenderApproval,
    ) -> Result<Applied, Problem> {
        let state = about.state.as_str();
        let vars = json!({ "what": about.what, "state": state });
        self.answer(tx, about.person, "approval_over", &vars).await?;
        Ok(done(HandledAs::Approval))
    }

    /// Asks which of several approvals the message decides. The decision is kept for the answer.
    pub(super) async fn ask_which_approval(
        &self,
        tx: &mut Tx,
        approvals: &[SenderApproval],
        decision: Option<ApprovalDecision>,
    ) -> Result<Applied, Problem> {
        let Some(first) = approvals.first() else { return Ok(done(HandledAs::Unmatched)) };
        let ids: Vec<ApprovalId> = approvals.iter().map(|approval| approval.id).collect();
        let about = json!({ "approvals": ids, "decision": decision });
        self.ask_clarification(tx, first.person, ClarificationKind::Approval, about).await?;
        let numbered = approvals.iter().zip(1..);
        let choices: Vec<String> =
            numbered.map(|(approval, n)| format!("{n}: {}", approval.what)).collect();
        let invited = self.view.asks.iter().any(|ask| ask.standing == Standing::Open);
        let vars = json!({ "choices": choices, "invited": invited });
        self.answer(tx, first.person, "approval_which", &vars).await?;
        Ok(done(HandledAs::Ambiguous))
    }
}
