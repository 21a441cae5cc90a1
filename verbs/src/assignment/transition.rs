//! The state machine of an assignment.

use crate::transition::{Illegal, words};

words! {
    /// The state of an assignment.
    pub enum State {
        /// Asked, but has not answered.
        Invited = "invited",
        /// Holds a place.
        Accepted = "accepted",
        /// Said no.
        Declined = "declined",
        /// Said yes, but every place is taken.
        Waitlisted = "waitlisted",
        /// No longer invited, or gave up the place or the rank on the waitlist.
        Cancelled = "cancelled",
    }
}

words! {
    /// Why an assignment changes its state.
    pub enum Cause {
        /// The person is asked, possibly again.
        Invite = "invite",
        /// The person takes a place: by a yes, by the verb `assign`, or from the waitlist.
        Place = "place",
        /// The person said yes, but no place was left.
        Queue = "queue",
        /// The person said no to the offer.
        Refuse = "refuse",
        /// The invitation expired, was withdrawn or did not arrive.
        Drop = "drop",
        /// The person gives up, or loses, a place or a rank on the waitlist.
        Release = "release",
        /// The person loses the place because the role has more people than its target, and keeps a rank on
        /// the waitlist.
        Rebalance = "rebalance",
    }
}

impl State {
    /// Returns the state after `cause`. `from` is `None` for a person without an assignment.
    ///
    /// # Errors
    /// [`Illegal`] if the state does not allow the cause. In particular, a person who holds a place is
    /// not invited again, and does not lose the place when an old invitation expires.
    pub fn after(from: Option<Self>, cause: Cause) -> Result<Self, Illegal> {
        use State::{Accepted, Cancelled, Declined, Invited, Waitlisted};
        match (from, cause) {
            (None | Some(Declined | Cancelled | Waitlisted), Cause::Invite) => Ok(Invited),
            (None | Some(Invited | Declined | Waitlisted | Cancelled), Cause::Place) => {
                Ok(Accepted)
            }
            (None | Some(Invited | Declined | Cancelled), Cause::Queue)
            | (Some(Accepted), Cause::Rebalance) => Ok(Waitlisted),
            (Some(Invited), Cause::Refuse) => Ok(Declined),
            (Some(Invited), Cause::Drop) => Ok(Cancelled),
            (Some(Accepted | Waitlisted), Cause::Release) => Ok(Cancelled),
            (from, cause) => Err(Illegal {
                noun: "assignment",
                from: from.map_or("none", Self::as_str),
                cause: cause.as_str(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns: the state before, then after `invite`, `place`, `queue`, `refuse`, `drop`, `release` and
    /// `rebalance`; `-` if the transition is refused.
    const TABLE: &str = "
        none        invited  accepted  waitlisted  -         -          -          -
        invited     -        accepted  waitlisted  declined  cancelled  -          -
        accepted    -        -         -           -         -          cancelled  waitlisted
        declined    invited  accepted  waitlisted  -         -          -          -
        waitlisted  invited  accepted  -           -         -          cancelled  -
        cancelled   invited  accepted  waitlisted  -         -          -          -
    ";

    #[test]
    fn every_pair_goes_where_the_table_says() {
        let rows: Vec<_> = TABLE.lines().filter(|line| !line.trim().is_empty()).collect();
        assert_eq!(rows.len(), State::ALL.len() + 1, "the table names every state and none");
        for row in rows {
            let mut cells = row.split_whitespace();
            let from = State::parse(cells.next().expect("a state"));
            let expected: Vec<_> = cells.collect();
            let found: Vec<_> = Cause::ALL
                .iter()
                .map(|cause| State::after(from, *cause).map_or("-", State::as_str))
                .collect();
            assert_eq!(found, expected, "{row}");
        }
    }
}
