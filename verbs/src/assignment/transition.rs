//! The state machine of an assignment.

use crate::transition::{IllegalTransition, words};

words! {
    /// The state of an assignment.
    pub enum AssignmentState {
        /// The person was asked, but has not answered.
        Invited = "invited",
        /// The person holds a place.
        Accepted = "accepted",
        /// The person said no.
        Declined = "declined",
        /// The person said yes, but every place was taken.
        Waitlisted = "waitlisted",
        /// The person is no longer invited, or gave up the place or the rank on the waitlist.
        Cancelled = "cancelled",
    }
}

words! {
    /// Why an assignment changes its state.
    pub enum AssignmentCause {
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
        /// The person loses the place because the role has more people than its target,
        /// but keeps a rank on the waitlist.
        Rebalance = "rebalance",
    }
}

impl AssignmentState {
    /// Returns the state to which `cause` leads from the state `from`.
    /// `from` is `None` for a person without an assignment.
    ///
    /// # Errors
    /// [`IllegalTransition`] if the cause is not possible in the state `from`. For example, a person
    /// who holds a place cannot be invited, and an old invitation that expires cannot take the place away.
    pub fn after(from: Option<Self>, cause: AssignmentCause) -> Result<Self, IllegalTransition> {
        use AssignmentState::{Accepted, Cancelled, Declined, Invited, Waitlisted};
        match (from, cause) {
            (None | Some(Declined | Cancelled | Waitlisted), AssignmentCause::Invite) => {
                Ok(Invited)
            }
            (None | Some(Invited | Declined | Waitlisted | Cancelled), AssignmentCause::Place) => {
                Ok(Accepted)
            }
            (None | Some(Invited | Declined | Cancelled), AssignmentCause::Queue)
            | (Some(Accepted), AssignmentCause::Rebalance) => Ok(Waitlisted),
            (Some(Invited), AssignmentCause::Refuse) => Ok(Declined),
            (Some(Invited), AssignmentCause::Drop) => Ok(Cancelled),
            (Some(Accepted | Waitlisted), AssignmentCause::Release) => Ok(Cancelled),
            (from, cause) => Err(IllegalTransition {
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

    /// Each line lists the state before, then the states after `invite`, `place`, `queue`, `refuse`,
    /// `drop`, `release` and `rebalance`. A `-` stands for an illegal transition.
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
        assert_eq!(
            rows.len(),
            AssignmentState::ALL.len() + 1,
            "the table names every state and none"
        );
        for row in rows {
            let mut cells = row.split_whitespace();
            let from = AssignmentState::parse(cells.next().expect("a state"));
            let expected: Vec<_> = cells.collect();
            let found: Vec<_> = AssignmentCause::ALL
                .iter()
                .map(|cause| {
                    AssignmentState::after(from, *cause).map_or("-", AssignmentState::as_str)
                })
                .collect();
            assert_eq!(found, expected, "{row}");
        }
    }
}
