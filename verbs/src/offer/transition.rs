//! The state machine of an offer. An offer that has ended never opens again:
//! to invite the person again, a run makes another offer. So a late answer cannot reopen an old offer.

use crate::transition::{IllegalTransition, words};

words! {
    /// The state of an offer.
    pub enum OfferState {
        /// The person may answer.
        Pending = "pending",
        /// The person said yes.
        Accepted = "accepted",
        /// The person said no.
        Declined = "declined",
        /// The person did not answer in time.
        Expired = "expired",
        /// A run, staff or a rule withdrew the offer.
        Withdrawn = "withdrawn",
        /// The invitation could not be delivered.
        Undeliverable = "undeliverable",
    }
}

words! {
    /// Why an offer changes its state.
    pub enum OfferCause {
        /// The person said yes in time.
        Yes = "yes",
        /// The person said no.
        No = "no",
        /// The offer expired.
        Lapse = "lapse",
        /// All places are taken.
        Filled = "filled",
        /// The offer's request was cancelled or closed, its run was cancelled, or the service began.
        CalledOff = "called_off",
        /// The person opted out of messages.
        OptedOut = "opted_out",
        /// The person was erased.
        Erased = "erased",
        /// Staff have taken over the thread with the person, whose answer would change nothing.
        TakenOver = "taken_over",
        /// The carrier could not deliver the invitation.
        Bounced = "bounced",
    }
}

impl OfferState {
    /// Returns the state to which `cause` leads.
    ///
    /// # Errors
    /// [`IllegalTransition`] if the offer is not pending, that is, if it has ended.
    pub fn after(self, cause: OfferCause) -> Result<Self, IllegalTransition> {
        if self != Self::Pending {
            return Err(IllegalTransition {
                noun: "offer",
                from: self.as_str(),
                cause: cause.as_str(),
            });
        }
        Ok(match cause {
            OfferCause::Yes => Self::Accepted,
            OfferCause::No => Self::Declined,
            OfferCause::Lapse => Self::Expired,
            OfferCause::Filled
            | OfferCause::CalledOff
            | OfferCause::OptedOut
            | OfferCause::Erased
            | OfferCause::TakenOver => Self::Withdrawn,
            OfferCause::Bounced => Self::Undeliverable,
        })
    }
}

impl OfferCause {
    /// Whether an offer with this cause ended because the person said no. A tally counts such offers
    /// separately from offers that ended for other reasons.
    #[must_use]
    pub const fn is_refusal(self) -> bool {
        matches!(self, Self::No)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_pending_offer_changes_and_then_for_good() {
        let table = [
            (OfferCause::Yes, OfferState::Accepted),
            (OfferCause::No, OfferState::Declined),
            (OfferCause::Lapse, OfferState::Expired),
            (OfferCause::Filled, OfferState::Withdrawn),
            (OfferCause::CalledOff, OfferState::Withdrawn),
            (OfferCause::OptedOut, OfferState::Withdrawn),
            (OfferCause::Erased, OfferState::Withdrawn),
            (OfferCause::TakenOver, OfferState::Withdrawn),
            (OfferCause::Bounced, OfferState::Undeliverable),
        ];
        assert_eq!(table.len(), OfferCause::ALL.len(), "the table names every cause");
        for (cause, after) in table {
            assert_eq!(OfferState::Pending.after(cause), Ok(after));
            for terminal in OfferState::ALL.iter().filter(|state| **state != OfferState::Pending) {
                let illegal = terminal.after(cause).expect_err("an ended offer does not change");
                assert_eq!((illegal.from, illegal.cause), (terminal.as_str(), cause.as_str()));
            }
        }
    }
}
