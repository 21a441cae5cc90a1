//! Stores approvals: what a call would do, and what was decided about it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::StoreError;
use super::row::Row;
use super::tx::Tx;
use crate::base::{
    ApprovalId, CallId, CorrelationId, Digest, RunId, Timestamp, TypedId as _, Value,
};
use crate::contract::{Approvers, SUPERVISOR};
use crate::params;
use crate::run::{self, ApprovalDecision, ApprovalScope, ApprovalVote, ApproverTurn};

crate::words! {
    /// The state of an approval.
    pub enum ApprovalState {
        /// Nobody has decided yet.
        Pending = "pending",
        /// The call may be carried out.
        Approved = "approved",
        /// The call must not be carried out.
        Denied = "denied",
        /// Nobody decided in time, which counts as refused.
        Expired = "expired",
        /// The run ended or moved on before anybody decided.
        Void = "void",
    }
}

impl ApprovalDecision {
    /// Returns the state of an approval that was decided so.
    #[must_use]
    pub const fn state(self) -> ApprovalState {
        match self {
            Self::Approve => ApprovalState::Approved,
            Self::Deny => ApprovalState::Denied,
        }
    }
}

/// An approval.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRow {
    /// Id of the approval.
    pub id: ApprovalId,
    /// Id of the tenant.
    pub tenant: String,
    /// What set the run going. The store fills it in when it writes the approval.
    pub correlation: Option<CorrelationId>,
    /// Run that makes the call.
    pub run: RunId,
    /// The call.
    pub call: CallId,
    /// Id of the step that makes the call.
    pub step_id: String,
    /// Name of the tool.
    pub tool: String,
    /// What the approval covers.
    pub scope: ApprovalScope,
    /// Risk of the call, `T0` to `T4`, as the gate judged it.
    pub risk: String,
    /// Digest of the arguments that are approved. The arguments are stored under this digest.
    pub input: Digest,
    /// Why the call needs an approval, in words.
    pub reason: String,
    /// What the call would do, for the person who decides.
    pub shows: Value,
    /// Who must approve, one link after the other.
    pub approvers: Vec<Approvers>,
    /// Who has said yes, the earliest first.
    pub votes: Vec<ApprovalVote>,
    /// The state.
    pub state: ApprovalState,
    /// When the approval was asked for.
    pub asked_at: Timestamp,
    /// When it counts as refused.
    pub expires_at: Timestamp,
    /// When it was decided, expired or became void.
    pub decided_at: Option<Timestamp>,
    /// Who decided it.
    pub decided_by: Option<String>,
    /// What the person said about the decision.
    pub note: Option<String>,
}

impl ApprovalRow {
    /// Returns whose turn it is to decide; `None` if everybody whose yes is needed has said yes.
    #[must_use]
    pub fn turn(&self) -> Option<ApproverTurn<'_>> {
        run::turn(&self.approvers, &self.votes)
    }

    /// Whether somebody has said yes already: a person, by id, or a caller of the API.
    #[must_use]
    pub fn has_vote_of(&self, by: &str) -> bool {
        self.votes.iter().any(|vote| vote.by == by)
    }

    /// Returns the role of those who may decide now, or who decided last.
    #[must_use]
    pub fn deciding_role(&self) -> &str {
        let last = || self.approvers.last().map(|link| &*link.role);
        self.turn().map(|turn| turn.role).or_else(last).unwrap_or(SUPERVISOR)
    }
}

/// How an approval ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApprovalEnd<'a> {
    /// The state in which it ends.
    pub state: ApprovalState,
    /// When it ends.
    pub at: Timestamp,
    /// Who decided it; `None` if nobody did.
    pub by: Option<&'a str>,
    /// What the person said about the decision.
    pub note: Option<&'a str>,
}

/// A filter for the approvals of a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ApprovalFilter {
    /// If set, only approvals in this state.
    pub state: Option<ApprovalState>,
    /// If set, only approvals that are older than this one.
    pub before: Option<ApprovalId>,
}

/// Builds a query of approvals. The query selects the columns that [`read`] reads.
macro_rules! select_approval {
    ($rest:literal) => {
        concat!(
            "SELECT id, tenant, correlation, run_id, call_id, step_id, tool, scope, risk, input, reason, shows, approvers, \
             votes, state, asked_at, expires_at, decided_at, decided_by, note FROM approval ",
            $rest
        )
    };
}

/// The newest approvals of a tenant in one state.
const IN_STATE: &str =
    select_approval!("WHERE tenant = $1 AND state = $2 AND id < $3 ORDER BY id DESC LIMIT $4");
/// The newest approvals of a tenant.
const IN_ANY_STATE: &str =
    select_approval!("WHERE tenant = $1 AND id < $2 ORDER BY id DESC LIMIT $3");

fn read(row: &Row) -> Result<ApprovalRow, StoreError> {
    Ok(ApprovalRow {
        id: row.id("id")?,
        tenant: row.text("tenant")?,
        run: row.id("run_id")?,
        call: row.id("call_id")?,
        step_id: row.text("step_id")?,
        tool: row.text("tool")?,
        scope: row.word("scope")?,
        risk: row.text("risk")?,
        input: row.digest("input")?,
        reason: row.text("reason")?,
        shows: row.json("shows")?,
        approvers: read_as(&row.text("approvers")?)?,
        votes: read_as(&row.text("votes")?)?,
        state: row.word("state")?,
        asked_at: row.at("asked_at")?,
        expires_at: row.at("expires_at")?,
        decided_at: row.opt_at("decided_at")?,
        decided_by: row.opt_text("decided_by")?,
        note: row.opt_text("note")?,
        correlation: row.opt_id("correlation")?,
    })
}

fn read_as<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Corrupt(error.to_string()))
}

fn written<T: Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Corrupt(error.to_string()))
}

impl Tx {
    /// Stores an approval that is asked for.
    pub async fn insert_approval(&mut self, approval: &ApprovalRow) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO approval (id, tenant, run_id, call_id, step_id, tool, scope, risk, input, reason,
                shows, approvers, votes, state, asked_at, expires_at, correlation)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
                (SELECT r.correlation FROM run r WHERE r.id = $3))",
            &params![
                approval.id,
                &approval.tenant,
                approval.run,
                approval.call,
                &approval.step_id,
                &approval.tool,
                approval.scope.as_str(),
                &approval.risk,
                approval.input,
                &approval.reason,
                approval.shows.to_string(),
                written(&approval.approvers)?,
                written(&approval.votes)?,
                approval.state.as_str(),
                approval.asked_at,
                approval.expires_at
            ],
        )
        .await
        .map(drop)
    }

    /// Adds a vote to a pending approval as it was read. Returns `false`, and changes nothing, if somebody else
    /// has voted since, or if the approval is not pending.
    pub async fn add_approval_vote(
        &mut self,
        read: &ApprovalRow,
        vote: &ApprovalVote,
    ) -> Result<bool, StoreError> {
        let mut votes = read.votes.clone();
        votes.push(vote.clone());
        let added = self
            .execute(
                "UPDATE approval SET votes = $2 WHERE id = $1 AND state || '' = 'pending' AND votes = $3",
                &params![read.id, written(&votes)?, written(&read.votes)?],
            )
            .await?;
        Ok(added == 1)
    }

    /// Ends a pending approval. Returns `false`, and changes nothing, if the approval is not pending.
    pub async fn end_approval(
        &mut self,
        id: ApprovalId,
        end: ApprovalEnd<'_>,
    ) -> Result<bool, StoreError> {
        let ended = self
            .execute(
                "UPDATE approval SET state = $2, decided_at = $3, decided_by = $4, note = $5
                 WHERE id = $1 AND state || '' = 'pending'",
                &params![id, end.state.as_str(), end.at, end.by, end.note],
            )
            .await?;
        Ok(ended == 1)
    }

    /// Returns an approval of a tenant; `None` if the tenant has none with this id.
    pub async fn approval(
        &mut self,
        tenant: &str,
        id: ApprovalId,
    ) -> Result<Option<ApprovalRow>, StoreError> {
        let sql = select_approval!("WHERE id = $1 AND tenant = $2");
        self.row(sql, &params![id, tenant]).await?.map(|row| read(&row)).transpose()
    }

    /// Whether nobody has decided about an approval yet, and the time for it is not over.
    pub async fn awaits_decision(&mut self, id: ApprovalId) -> Result<bool, StoreError> {
        let sql = "SELECT 1 AS open FROM approval WHERE id = $1 AND state || '' = 'pending'";
        Ok(self.row(sql, &params![id]).await?.is_some())
    }

    /// Returns the newest approvals of a tenant that match a filter, newest first.
    pub async fn approvals(
        &mut self,
        tenant: &str,
        filter: ApprovalFilter,
        limit: i64,
    ) -> Result<Vec<ApprovalRow>, StoreError> {
        let before = filter.before.unwrap_or(ApprovalId::from_uuid(uuid::Uuid::max()));
        let rows = match filter.state {
            Some(state) => {
                self.rows(IN_STATE, &params![tenant, state.as_str(), before, limit]).await?
            }
            None => self.rows(IN_ANY_STATE, &params![tenant, before, limit]).await?,
        };
        rows.iter().map(read).collect()
    }
}
