//! Takes a decision about an approval. It takes part in the transaction of the API request or of the text message
//! that brings the decision.

use crate::base::{ApprovalId, Problem};
use crate::run::{ApprovalDecision, ApprovalVote, Decided};
use crate::store::{ApprovalEnd, ApprovalRow, ApprovalState, SignalKind, StoreError, Tx};

/// A decision about an approval by somebody whose role has been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ruling<'a> {
    /// The approval.
    pub approval: ApprovalId,
    /// What is decided.
    pub decision: ApprovalDecision,
    /// Who decides: the id of a person, or the name of a caller of the API.
    pub by: &'a str,
    /// The name under which people know who decides.
    pub name: &'a str,
    /// The role for which the decision counts.
    pub role: &'a str,
    /// Why, if the person says so.
    pub reason: Option<&'a str>,
}

/// What a decision led to, with the approval as it is then.
#[derive(Debug, Clone, PartialEq)]
pub enum Ruled {
    /// The approval has ended, and its run goes on.
    Ended(ApprovalRow),
    /// The yes counts, and others must say yes too.
    Counted(ApprovalRow),
    /// The same was decided before. Nothing has changed.
    Repeated(ApprovalRow),
}

impl Ruled {
    /// Returns the approval.
    #[must_use]
    pub fn into_row(self) -> ApprovalRow {
        match self {
            Self::Ended(row) | Self::Counted(row) | Self::Repeated(row) => row,
        }
    }
}

/// Stores a decision. A no ends the approval; a yes ends it if nobody else must say yes. The run that waits
/// for the approval gets a signal when it has ended.
///
/// # Errors
/// `unknown_approval`; `not_an_approver` if it is not the turn of the role; `approval_decided` if it was
/// decided otherwise or became void; `approval_expired` if its time is over.
pub async fn rule(tx: &mut Tx, tenant: &str, ruling: &Ruling<'_>) -> Result<Ruled, Problem> {
    let id = ruling.approval;
    let row = tx.approval(tenant, id).await?.ok_or_else(|| unknown_approval(id))?;
    let state = ruling.decision.state();
    match row.state {
        ApprovalState::Pending if tx.now() >= row.expires_at => return Err(over(&row)),
        ApprovalState::Pending => {}
        same if same == state => return Ok(Ruled::Repeated(row)),
        ApprovalState::Expired => return Err(over(&row)),
        other => {
            let message = format!("the approval is {other} already");
            return Err(Problem::caller("approval_decided", message)
                .with_hint("see `abide approvals list`; nothing was changed"));
        }
    }
    if row.deciding_role() != ruling.role {
        return Err(not_an_approver(row.deciding_role()));
    }
    match ruling.decision {
        ApprovalDecision::Deny => end(tx, row, ruling, ruling.name.to_owned()).await,
        ApprovalDecision::Approve => approve(tx, row, ruling).await,
    }
}

async fn approve(tx: &mut Tx, mut row: ApprovalRow, ruling: &Ruling<'_>) -> Result<Ruled, Problem> {
    if row.has_vote_of(ruling.by) {
        return Ok(Ruled::Repeated(row));
    }
    let vote = ApprovalVote {
        by: ruling.by.to_owned(),
        name: ruling.name.to_owned(),
        role: ruling.role.to_owned(),
        at: tx.now().to_string(),
    };
    if !tx.add_approval_vote(&row, &vote).await? {
        return Err(decided_meanwhile());
    }
    row.votes.push(vote);
    if row.turn().is_some() {
        return Ok(Ruled::Counted(row));
    }
    let names: Vec<&str> = row.votes.iter().map(|vote| &*vote.name).collect();
    let names = names.join(", ");
    end(tx, row, ruling, names).await
}

/// Ends an approval, and signals the run that waits for it.
async fn end(
    tx: &mut Tx,
    mut row: ApprovalRow,
    ruling: &Ruling<'_>,
    by: String,
) -> Result<Ruled, Problem> {
    let (state, at) = (ruling.decision.state(), tx.now());
    let end = ApprovalEnd { state, at, by: Some(&by), note: ruling.reason };
    if !tx.end_approval(row.id, end).await? {
        return Err(decided_meanwhile());
    }
    let decided = Decided {
        decision: ruling.decision,
        by: by.clone(),
        reason: ruling.reason.map(ToOwned::to_owned),
    };
    let payload = serde_json::to_value(decided).map_err(|e| Problem::bug(e.to_string()))?;
    let name = Decided::signal_name(row.id);
    let run = tx.run(row.run).await?.ok_or_else(|| Problem::bug("a run is gone"))?;
    let root = run.parsed_state()?.signal_receiver(row.run);
    tx.signal(root, SignalKind::Named(&name), Some(&name), &payload).await?;
    row.state = state;
    row.decided_at = Some(at);
    row.decided_by = Some(by);
    row.note = ruling.reason.map(ToOwned::to_owned);
    Ok(Ruled::Ended(row))
}

/// Builds the problem of a decision at the same moment as another. The next attempt reads the other one.
fn decided_meanwhile() -> Problem {
    StoreError::Repeat("an approval was decided".into()).into()
}

/// Builds the refusal of a decision by somebody who may not decide now: it is the turn of `role`.
#[must_use]
pub fn not_an_approver(role: &str) -> Problem {
    Problem::caller(
        "not_an_approver",
        format!("only somebody with the role `{role}` can decide this now"),
    )
    .with_hint(format!("ask somebody with the role `{role}`"))
}

/// Builds the refusal of an approval that does not exist.
#[must_use]
pub fn unknown_approval(id: ApprovalId) -> Problem {
    Problem::caller("unknown_approval", format!("there is no approval `{id}`"))
        .with_hint("see `abide approvals list`")
}

fn over(row: &ApprovalRow) -> Problem {
    let message = format!("the time to decide was over at {}", row.expires_at);
    Problem::caller("approval_expired", message)
        .with_hint("the call counts as refused; start again if it is still wanted")
}
