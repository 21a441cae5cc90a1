//! Claims: which runs this process owns, and how it takes and releases them.
//!
//! A claim ends with the commit that parks or ends its run, or it is given back without a commit. Two
//! things can go wrong. A claim is *owed* if it could not be given back because the database was away. A
//! claim is *in doubt* if the answer to the commit that took it was lost. No other process can take a run
//! while its owner lives, so [`Claims`] looks up what is in doubt and gives back what is owed before it
//! takes more.

mod node_status;
mod unsettled;

mod owned;

mod free;
mod give_back;
mod poison;
mod take;

pub(in crate::driver) use owned::Claims;
