//! Folds of events, by which the audit compares a domain's rows with their history.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::base::{Problem, StreamId};
use crate::store::{LedgerRow, Tx};

/// A violated rule of the domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Breach {
    /// Name of the rule, in `snake_case`.
    pub rule: String,
    /// Ids and counts that show the violation.
    pub detail: String,
}

/// A fold: computes the state that the domain's tables must have after the events of one stream.
#[async_trait]
pub trait Fold: Send + Sync {
    /// Applies the next event of the stream.
    fn add(&mut self, event: &LedgerRow);

    /// Compares the domain's tables with the folded state, and returns the differences.
    async fn compare(&self, tx: &mut Tx, stream: StreamId) -> Result<Vec<Breach>, Problem>;
}

/// A fold for domains without tables to compare.
pub(super) struct NoFold;

#[async_trait]
impl Fold for NoFold {
    fn add(&mut self, _event: &LedgerRow) {}

    async fn compare(&self, _tx: &mut Tx, _stream: StreamId) -> Result<Vec<Breach>, Problem> {
        Ok(Vec::new())
    }
}
