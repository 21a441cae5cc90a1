//! The interface to what judges texts that the church does not understand, and what happens beside the church: the
//! operator of the trade, and the agenda of a conversation. They are in a crate above this one.

use abide_engine::base::{PersonId, Problem, RunId, Timestamp};
use abide_engine::contract::Contract;
use abide_engine::domain::{Applied, DomainContext, RunEnd, TenantSweep};
use abide_engine::store::{ContactId, InboundRow, Tx};
use async_trait::async_trait;

/// A text of somebody in the directory.
#[derive(Debug, Clone, Copy)]
pub struct JudgedText<'a> {
    /// The message.
    pub inbound: &'a InboundRow,
    /// Its sender.
    pub sender: PersonId,
}

/// A person whose conversations are forgotten.
#[derive(Debug, Clone, Copy)]
pub struct ForgottenPerson {
    /// The person.
    pub person: PersonId,
    /// The contact of their number.
    pub contact: ContactId,
}

/// What judges beside the church. Each function runs in the transaction of its caller.
#[async_trait]
pub trait Judge: Send + Sync {
    /// Handles a text of staff that answers nothing and that the church does not understand. Returns `None` if it is
    /// none of the judge's either.
    async fn staff_text(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        text: JudgedText<'_>,
    ) -> Result<Option<Applied>, Problem>;

    /// Handles a text of somebody who is no staff and was asked nothing: a customer of a trade, for example. Returns
    /// `None` if it is none of the judge's.
    async fn outside_text(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
    ) -> Result<Option<Applied>, Problem>;

    /// Takes note of a text that was applied.
    async fn heard(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        text: JudgedText<'_>,
    ) -> Result<(), Problem>;

    /// Forgets the conversations of a person who is erased.
    async fn forget(
        &self,
        tx: &mut Tx,
        tenant: &str,
        person: ForgottenPerson,
    ) -> Result<(), Problem>;

    /// Returns what the conversation with the sender of a text works toward besides the church, the best first.
    async fn goals(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        text: JudgedText<'_>,
    ) -> Result<Vec<String>, Problem>;

    /// Takes note of a run that has ended. Returns whether the run is one that the judge tells people about.
    async fn run_ended(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        end: &RunEnd<'_>,
    ) -> Result<bool, Problem>;

    /// Fails if somebody has ordered to avoid a state that a call can bring about.
    async fn before_call(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        contract: &Contract,
    ) -> Result<(), Problem>;

    /// Takes note of a call of `run` that can have brought about or ended states.
    async fn after_call(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        contract: &Contract,
        run: RunId,
    ) -> Result<(), Problem>;

    /// Returns, for each tenant that is not paused, when the judge's next work falls due. Must be a single statement.
    async fn next_due(&self, tx: &mut Tx) -> Result<Vec<(String, Timestamp)>, Problem>;

    /// Whether the judge has work of a tenant due at the instant `by` or earlier.
    async fn is_due(&self, tx: &mut Tx, tenant: &str, by: Timestamp) -> Result<bool, Problem>;

    /// Does the judge's work of a tenant that is due at the instant `by` or earlier.
    async fn sweep(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        by: Timestamp,
    ) -> Result<TenantSweep, Problem>;
}

/// Judges nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoJudge;

#[async_trait]
impl Judge for NoJudge {
    async fn staff_text(
        &self,
        _: &mut Tx,
        _: &DomainContext<'_>,
        _: JudgedText<'_>,
    ) -> Result<Option<Applied>, Problem> {
        Ok(None)
    }

    async fn outside_text(
        &self,
        _: &mut Tx,
        _: &DomainContext<'_>,
        _: &InboundRow,
    ) -> Result<Option<Applied>, Problem> {
        Ok(None)
    }

    async fn heard(
        &self,
        _: &mut Tx,
        _: &DomainContext<'_>,
        _: JudgedText<'_>,
    ) -> Result<(), Problem> {
        Ok(())
    }

    async fn forget(&self, _: &mut Tx, _: &str, _: ForgottenPerson) -> Result<(), Problem> {
        Ok(())
    }

    async fn goals(
        &self,
        _: &mut Tx,
        _: &DomainContext<'_>,
        _: JudgedText<'_>,
    ) -> Result<Vec<String>, Problem> {
        Ok(Vec::new())
    }

    async fn run_ended(
        &self,
        _: &mut Tx,
        _: &DomainContext<'_>,
        _: &RunEnd<'_>,
    ) -> Result<bool, Problem> {
        Ok(false)
    }

    async fn before_call(
        &self,
        _: &mut Tx,
        _: &DomainContext<'_>,
        _: &Contract,
    ) -> Result<(), Problem> {
        Ok(())
    }

    async fn after_call(
        &self,
        _: &mut Tx,
        _: &DomainContext<'_>,
        _: &Contract,
        _: RunId,
    ) -> Result<(), Problem> {
        Ok(())
    }

    async fn next_due(&self, _: &mut Tx) -> Result<Vec<(String, Timestamp)>, Problem> {
        Ok(Vec::new())
    }

    async fn is_due(&self, _: &mut Tx, _: &str, _: Timestamp) -> Result<bool, Problem> {
        Ok(false)
    }

    async fn sweep(
        &self,
        _: &mut Tx,
        _: &DomainContext<'_>,
        _: Timestamp,
    ) -> Result<TenantSweep, Problem> {
        Ok(TenantSweep::default())
    }
}
