//! Claims: which runs this process owns, and how it takes and releases them.
//!
//! A claim ends with the commit that parks or ends its run, or it is given back without a commit. A claim
//! is *owed* if it could not be given back because the database was unavailable. A claim is *in doubt*
//! if the answer to the commit that took it was lost. No other process can take a run while its owner
//! lives. So [`Claims`] looks up the claims in doubt, and gives back the owed ones, before it takes more.

mod node_status;
mod unsettled;

mod owned;

mod free;
mod give_back;
mod poison;
mod take;

pub(in crate::driver) use owned::Claims;
