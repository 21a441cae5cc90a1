//! What a domain is told of a call that needs an approval.

use crate::run::ApprovalStage;
use crate::store::ApprovalRow;

/// A call that needs an approval, with those whom the domain is to tell.
#[derive(Debug, Clone, Copy)]
pub struct ApprovalNotice<'a> {
    /// What the call would do.
    pub approval: &'a ApprovalRow,
    /// Who is to be told.
    pub stage: ApprovalStage,
}
