//! Tells supervisors of calls that need an approval.

use abide_engine::base::{PersonId, Problem, TypedId as _};
use abide_engine::domain::ApprovalNotice;
use abide_engine::planted::PlantedFault;
use abide_engine::run::ApprovalStage;
use abide_engine::store::{Cause, Tx};
use serde_json::json;

use crate::data;
use crate::directory::STAFF;
use crate::operations::OperationContext;
use crate::operations::messages::{self, MessageDraft, cause};

/// The template of a request for an approval.
const TEMPLATE: &str = "approval_request";
/// The template that tells staff that nobody may decide.
const NOBODY_TEMPLATE: &str = "approval_nobody";

/// Tells those whose turn it is to approve a call: at first as many as must say yes, who get a reminder too,
/// and at the escalation all who hold the role; if they have all been told, once more. If nobody holds the
/// role, the staff are told once what to do: give somebody the role.
pub(super) async fn tell(
    tx: &mut Tx,
    cx: &OperationContext<'_>,
    notice: ApprovalNotice<'_>,
) -> Result<(), Problem> {
    let Some(turn) = notice.approval.turn() else { return Ok(()) };
    let mut approvers = data::person::holders(tx, cx.tenant, turn.role).await?;
    approvers.retain(|person| !notice.approval.has_vote_of(&person.to_string()));
    let needed = usize::try_from(turn.missing).unwrap_or(usize::MAX);
    let first = approvers.len().min(needed);
    let (template, told, occasion) = match notice.stage {
        _ if approvers.is_empty() => {
            let staff = data::person::holders(tx, cx.tenant, STAFF).await?;
            (NOBODY_TEMPLATE, staff, Occasion::First)
        }
        ApprovalStage::Asked => (TEMPLATE, approvers[..first].to_vec(), Occasion::First),
        ApprovalStage::Reminded => (TEMPLATE, approvers[..first].to_vec(), Occasion::Again),
        ApprovalStage::Escalated if approvers.len() <= needed => {
            (TEMPLATE, approvers, Occasion::Last)
        }
        // Those who were told at first have the same message already and do not get it twice.
        ApprovalStage::Escalated => (TEMPLATE, approvers, Occasion::First),
    };
    let role = turn.role;
    let approval = notice.approval;
    let mut vars =
        json!({ "what": approval.shows["what"], "until": approval.expires_at.to_string() });
    if template == NOBODY_TEMPLATE {
        vars["role"] = json!(role);
    }
    if template == TEMPLATE {
        vars["text"] = approval.shows["text"].clone();
        vars["segments"] = approval.shows["segments"].clone();
        vars["again"] = json!(occasion != Occasion::First);
    }
    let draft = |person: &PersonId| draft(*person, notice, occasion);
    let drafts: Vec<MessageDraft> = told.iter().map(draft).collect();
    let context = cx.unasked().on_behalf_of(Some(approval.run));
    messages::send(tx, &context, template, &drafts, &vars).await.map(drop)
}

/// Which message about an approval a person gets. A person gets each of them at most once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Occasion {
    First,
    Again,
    Last,
}

fn draft(person: PersonId, notice: ApprovalNotice<'_>, occasion: Occasion) -> MessageDraft {
    let id = notice.approval.id;
    let occasion = match occasion {
        Occasion::First => id.to_string(),
        Occasion::Again => format!("{id}~again"),
        Occasion::Last => format!("{id}~last"),
    };
    let cause = Cause { kind: cause::APPROVAL, id: Some(id.uuid()) };
    MessageDraft { cause, ..MessageDraft::notice(person, id.uuid(), occasion) }
}

/// Returns the name of a person who holds `role` and is active; `None` for anybody else. The person is locked,
/// so that the role cannot be taken away between this check and the decision.
pub(super) async fn approver(
    tx: &mut Tx,
    tenant: &str,
    person: PersonId,
    role: &str,
) -> Result<Option<String>, Problem> {
    data::person::lock(tx, &[person]).await?;
    let holds = data::person::holders(tx, tenant, role).await?.contains(&person);
    if !holds && !PlantedFault::ApproverNotChecked.is_active() {
        return Ok(None);
    }
    let found = data::person::by_ids(tx, tenant, &[person]).await?;
    Ok(found.into_iter().next().map(|person| person.name))
}
