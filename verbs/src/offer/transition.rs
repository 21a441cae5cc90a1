//! The state machine of an offer. An ended offer stays ended: asking again makes a new offer with the
//! next ordinal, so a late answer can never reopen an old offer.

use crate::transition::{Illegal, words};

words! {
    /// The state of an offer.
    pub enum State {
        /// The person may answer.
        Pending = "pending",
        /// The person said yes.
        Accepted = "accepted",
        /// The person said no.
        Declined = "declined",
        /// The person did not answer in time.
        Expired = "expired",
        /// Taken back by a run, by staff or by a rule.
        Withdrawn = "withdrawn",
        /// The invitation could not be delivered.
        Undeliverable = "undeliverable",
    }
}

words! {
    /// Why an offer changes its state.
    pub enum Cause {
        /// The person said yes in time.
        Yes = "yes",
        /// The person said no.
        No = "no",
        /// It expired.
        Lapse = "lapse",
        /// All places are taken.
        Filled = "filled",
        /// Its request was cancelled or closed, its run was cancelled, or the service began.
        Called = "called_off",
        /// The person opted out of texts.
        OptedOut = "opted_out",
        /// The carrier could not deliver the invitation.
        Bounced = "bounced",
    }
}

impl State {
    /// Returns the state after `cause`.
    ///
    /// # Errors
    /// [`Illegal`] if the offer is not pending.
    pub fn after(self, cause: Cause) -> Result<Self, Illegal> {
        if self != Self::Pending {
            return Err(Illegal { noun: "offer", from: self.as_str(), cause: cause.as_str() });
        }
        Ok(match cause {
            Cause::Yes => Self::Accepted,
            Cause::No => Self::Declined,
            Cause::Lapse => Self::Expired,
            Cause::Filled | Cause::Called | Cause::OptedOut => Self::Withdrawn,
            Cause::Bounced => Self::Undeliverable,
        })
    }
}

impl Cause {
    /// Whether the person said no. A tally counts refusals separately from offers that ended otherwise.
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
            (Cause::Yes, State::Accepted),
            (Cause::No, State::Declined),
            (Cause::Lapse, State::Expired),
            (Cause::Filled, State::Withdrawn),
            (Cause::Called, State::Withdrawn),
            (Cause::OptedOut, State::Withdrawn),
            (Cause::Bounced, State::Undeliverable),
        ];
        assert_eq!(table.len(), Cause::ALL.len(), "the table names every cause");
        for (cause, after) in table {
            assert_eq!(State::Pending.after(cause), Ok(after));
            for terminal in State::ALL.iter().filter(|state| **state != State::Pending) {
                let illegal = terminal.after(cause).expect_err("an ended offer does not change");
                assert_eq!((illegal.from, illegal.cause), (terminal.as_str(), cause.as_str()));
            }
        }
    }
}
