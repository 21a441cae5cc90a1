//! Claims runs for this process, remembers which runs this process owns, and gives claims back.
//!
//! A claim makes this process the owner of a run. No other process can work on a run while its owner lives.
//! A claim ends with the commit that ends the run or makes the run wait, or the claim is given back without
//! a commit. A claim is *owed* if it could not be given back because the database was unavailable. A claim
//! is *in doubt* if the database did not confirm the commit that made the claim. [`Claims`] looks up claims
//! in doubt and gives back owed claims before it claims more runs.

mod node_status;
mod unsettled;

mod owned;

mod free;
mod give_back;
mod poison;
mod take;

pub(in crate::driver) use owned::Claims;
