//! Defines why a message is in the inbox of staff, and whether staff have dealt with the message.

use crate::transition::words;

words! {
    /// Why a message was put in the inbox.
    pub enum Reason {
        /// No person in the directory has the number.
        UnknownSender = "unknown_sender",
        /// The message answers no open ask.
        Unmatched = "unmatched",
        /// The message was still unclear after one clarifying question.
        Unclear = "unclear",
        /// A person gave an accepted place back.
        GaveUpPlace = "gave_up_place",
        /// Somebody may not be able to keep a place.
        PlaceInDoubt = "place_in_doubt",
        /// A question that the knowledge base does not answer.
        Question = "question",
        /// Somebody may be in danger.
        Grave = "grave",
        /// A person opted out of messages.
        OptedOut = "opted_out",
        /// The message was understood, but every attempt to apply it failed.
        NotApplied = "not_applied",
        /// Staff have taken over the thread with the sender, so the message changed nothing.
        TakenOver = "taken_over",
        /// A run failed, and only a person can go on.
        RunFailed = "run_failed",
        /// A message did not fit into the month's budget.
        BudgetReached = "budget_reached",
        /// An outbound message whose delivery is unknown, so it is not sent again.
        UnknownDelivery = "unknown_delivery",
    }
}

words! {
    /// Whether a message still needs attention.
    pub enum InboxState {
        /// Staff have not dealt with the message yet.
        Open = "open",
        /// Staff have dealt with the message.
        Closed = "closed",
    }
}

impl Reason {
    /// Whether staff get a text about messages with this reason. Something grave goes to them at once, by itself.
    #[must_use]
    pub const fn is_told(self) -> bool {
        matches!(
            self,
            Self::UnknownSender
                | Self::Unclear
                | Self::GaveUpPlace
                | Self::PlaceInDoubt
                | Self::Question
                | Self::OptedOut
                | Self::RunFailed
                | Self::BudgetReached
        )
    }

    /// Returns sentences for staff that say what happened and, in some cases, what to do.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::UnknownSender => "No person in the directory has this number.",
            Self::Unmatched => "The text does not answer any open question.",
            Self::Unclear => "The text was still unclear after a clarifying question.",
            Self::GaveUpPlace => "A confirmed volunteer gave their place back.",
            Self::PlaceInDoubt => "A confirmed volunteer may not be able to come.",
            Self::Question => "The knowledge base does not answer this question.",
            Self::Grave => "Somebody may be in danger. Call them at once.",
            Self::OptedOut => {
                "They opted out of texts. Open invitations were withdrawn. They keep the places \
                 they hold, so phone them."
            }
            Self::NotApplied => "The text could not be applied. It changed nothing.",
            Self::TakenOver => {
                "Staff have taken over this thread. The text changed nothing and was not answered."
            }
            Self::RunFailed => {
                "A run failed. See `abide run show`, then retry it, skip the step, or cancel it."
            }
            Self::BudgetReached => {
                "The month's budget of messages is used up. Raise it with `abide tenant budget`, or wait."
            }
            Self::UnknownDelivery => {
                "The provider does not know whether this text arrived. It is not sent again."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_a_sentence_of_its_own() {
        for reason in Reason::ALL {
            assert_eq!(Reason::parse(reason.as_str()), Some(*reason));
            assert!(reason.description().ends_with('.'), "{reason}");
            let same = Reason::ALL
                .iter()
                .filter(|other| other.description() == reason.description())
                .count();
            assert_eq!(same, 1, "{reason}");
        }
    }
}
