//! The one table of an assignment's life, used when it changes and when it is audited.

use crate::transition::{Illegal, words};

words! {
    /// The state of an assignment.
    pub enum State {
        /// Asked, not answered.
        Invited = "invited",
        /// Holds a place.
        Accepted = "accepted",
        /// Said no.
        Declined = "declined",
        /// Would serve, but every place is taken.
        Waitlisted = "waitlisted",
        /// The invitation or the place is gone.
        Cancelled = "cancelled",
    }
}

words! {
    /// Why an assignment changes its state.
    pub enum Cause {
        /// Asked (again).
        Invite = "invite",
        /// Takes a place: by a yes, by staff, or from the waitlist.
        Place = "place",
        /// Said yes where no place was left.
        Queue = "queue",
        /// Said no to what was asked.
        Refuse = "refuse",
        /// The invitation lapsed, was withdrawn or did not arrive.
        Drop = "drop",
        /// Gives up a place or a rank on the waitlist, or loses it.
        Release = "release",
        /// Makes room where a role has more people than it needs; keeps a rank on the waitlist.
        Rebalance = "rebalance",
    }
}

impl State {
    /// The state after `cause`; `from` is none for somebody who was never part of the request.
    ///
    /// # Errors
    /// [`Illegal`] where the state does not allow it: nobody who holds a place is invited anew or
    /// loses it because an old invitation lapses.
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

    /// Columns: invite place queue refuse drop release rebalance.
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
