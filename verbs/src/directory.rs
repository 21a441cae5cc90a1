//! Defines which roles are offices (such as `staff`), which recipients a `notify` step can name,
//! and for which reasons a verb leaves people out.

use abide_engine::base::{PersonId, Problem};

use crate::transition::words;

/// Role of people who may start a run by sending a message.
pub const STAFF: &str = "staff";
/// Role of people who may approve actions that staff may not approve.
pub const SUPERVISOR: &str = "supervisor";
/// The roles of people who act for the church: each may tell us by text what to do.
pub const ACTING: [&str; 2] = [STAFF, SUPERVISOR];
/// Prefix of the roles of pastors, such as `pastor_of_nursery`.
pub const PASTOR_PREFIX: &str = "pastor_of_";

words! {
    /// Why a verb left a person out.
    pub enum SkipReason {
        /// The tenant has no such person.
        Unknown = "unknown",
        /// The person is not active: they must not be asked.
        Inactive = "inactive",
        /// The person opted out of messages.
        OptedOut = "opted_out",
        /// Staff have taken over the thread with the person's number, so no answer of theirs would be read.
        TakenOver = "taken_over",
        /// The person has a place at the same time.
        HasPlace = "has_place",
        /// The person has an open offer or question for the same time.
        AlreadyAsked = "already_asked",
        /// The person has a place in the request.
        Accepted = "accepted",
        /// The person said no to the request.
        Declined = "declined",
        /// The person is on a waitlist of the request.
        Waitlisted = "waitlisted",
    }
}

/// The person or the people that one of the `targets` of a `notify` step names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotifyTarget {
    /// One person.
    Person(PersonId),
    /// All active people with a role. If no one has the role of a pastor or a supervisor,
    /// staff are notified instead, so that somebody always gets the message.
    Role {
        /// The role, in its stored form.
        role: String,
        /// The role of the people to notify if no one has the role `role`.
        /// With `None`, no one is notified in that case.
        or_else: Option<&'static str>,
    },
}

impl NotifyTarget {
    /// Parses a target from a method's YAML source: the id of a person,
    /// or a role such as `staff` or `pastor_of_nursery`.
    ///
    /// # Errors
    /// `invalid_role` if the string is neither an id nor a role.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        if let Ok(person) = text.parse() {
            return Ok(Self::Person(person));
        }
        let role = crate::request::targets::checked_role(text)?;
        let or_else = (role.starts_with(PASTOR_PREFIX) || role == SUPERVISOR).then_some(STAFF);
        Ok(Self::Role { role, or_else })
    }
}

/// Whether a role is an office. An office grants a right or a duty, and nobody is invited to serve in it.
#[must_use]
pub fn is_office(role: &str) -> bool {
    role == STAFF || role == SUPERVISOR || role.starts_with(PASTOR_PREFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_people_or_offices() {
        let pastor = NotifyTarget::parse("pastor_of_nursery").expect("a role");
        assert_eq!(
            pastor,
            NotifyTarget::Role { role: "pastor_of_nursery".to_owned(), or_else: Some(STAFF) }
        );
        assert_eq!(
            NotifyTarget::parse("staff").expect("a role"),
            NotifyTarget::Role { role: "staff".to_owned(), or_else: None }
        );
        let person = "per_01890a5d-ac96-774b-bcce-b302099a8057";
        assert!(matches!(NotifyTarget::parse(person), Ok(NotifyTarget::Person(_))));
        assert!(NotifyTarget::parse("every body!").is_err());
    }

    #[test]
    fn offices_are_not_places_to_serve() {
        for (role, office) in [("staff", true), ("pastor_of_x", true), ("nursery", false)] {
            assert_eq!(is_office(role), office, "{role}");
        }
    }
}
