//! Tells supervisors of calls that need an approval.

use abide_engine::base::{PersonId, Problem, TypedId as _};
use abide_engine::domain::{ApprovalNotice, DomainContext};
use abide_engine::run::ApprovalStage;
use abide_engine::store::{Cause, Tx};
use serde_json::json;

use crate::data;
use crate::directory::{STAFF, SUPERVISOR};
use crate::operations::OperationContext;
use crate::operations::messages::{self, MessageDraft};

/// The template of a request for an approval.
const TEMPLATE: &str = "approval_request";

/// Tells the first supervisor of a call that needs an approval, and once more as a reminder. The escalation
/// goes to the other supervisors. A tenant without supervisors tells its staff.
pub(super) async fn tell(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    notice: ApprovalNotice<'_>,
) -> Result<(), Problem> {
    let mut approvers = data::person::holders(tx, cx.tenant, SUPERVISOR).await?;
    if approvers.is_empty() {
        approvers = data::person::holders(tx, cx.tenant, STAFF).await?;
    }
    let first = approvers.len().min(1);
    let told = match notice.stage {
        ApprovalStage::Asked | ApprovalStage::Reminded => &approvers[..first],
        ApprovalStage::Escalated => &approvers[first..],
    };
    let approval = notice.approval;
    let vars = json!({
        "what": approval.shows["what"],
        "text": approval.shows["text"],
        "segments": approval.shows["segments"],
        "until": approval.expires_at.to_string(),
        "again": notice.stage == ApprovalStage::Reminded,
    });
    let drafts: Vec<MessageDraft> = told.iter().map(|person| draft(*person, notice)).collect();
    let context = OperationContext::of_domain(cx).on_behalf_of(Some(approval.run));
    messages::send(tx, &context, TEMPLATE, &drafts, &vars).await.map(drop)
}

fn draft(person: PersonId, notice: ApprovalNotice<'_>) -> MessageDraft {
    let id = notice.approval.id;
    let occasion = match notice.stage {
        ApprovalStage::Reminded => format!("{id}~again"),
        ApprovalStage::Asked | ApprovalStage::Escalated => id.to_string(),
    };
    MessageDraft {
        person,
        occasion: Some(occasion),
        request: None,
        cause: Cause { kind: messages::cause::NOTICE, id: Some(id.uuid()) },
        not_before: None,
        not_after: None,
        unasked: false,
    }
}

/// Returns the name of a person who is an active supervisor; `None` for anybody else.
pub(super) async fn approver(
    tx: &mut Tx,
    tenant: &str,
    person: PersonId,
) -> Result<Option<String>, Problem> {
    if !data::person::holders(tx, tenant, SUPERVISOR).await?.contains(&person) {
        return Ok(None);
    }
    let found = data::person::by_ids(tx, tenant, &[person]).await?;
    Ok(found.into_iter().next().map(|person| person.name))
}
