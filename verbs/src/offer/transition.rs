//! The one table of an offer's life. A terminal offer stays terminal: asking again is a new offer
//! with the next ordinal, so an old answer can never wake an old question.

use crate::transition::{Illegal, words};

words! {
    /// The state of an offer.
    pub enum State {
        /// The person may answer.
        Pending = "pending",
        /// Answered yes.
        Accepted = "accepted",
        /// Answered no.
        Declined = "declined",
        /// Nobody answered in time.
        Expired = "expired",
        /// Taken back by us.
        Withdrawn = "withdrawn",
        /// The text did not reach the person.
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
        /// Its time is over.
        Lapse = "lapse",
        /// The places are taken.
        Filled = "filled",
        /// The request or the run behind it was called off, or the service began.
        Called = "called_off",
        /// The person wants no messages from us.
        OptedOut = "opted_out",
        /// The carrier could not deliver it.
        Bounced = "bounced",
    }
}

impl State {
    /// The state after `cause`.
    ///
    /// # Errors
    /// [`Illegal`] for every offer that is not pending.
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
    /// True where the person answered no, which a tally counts apart from offers merely gone.
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
                let illegal = terminal.after(cause).expect_err("terminal states stay");
                assert_eq!((illegal.from, illegal.cause), (terminal.as_str(), cause.as_str()));
            }
        }
    }
}
