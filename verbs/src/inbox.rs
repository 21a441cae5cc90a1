//! What waits for a person: texts that no rule of ours could finish.

use crate::transition::words;

words! {
    /// Why a text was put before the staff.
    pub enum Reason {
        /// Nobody of the directory is reached at the number.
        UnknownSender = "unknown_sender",
        /// It answers nothing that we asked.
        Unmatched = "unmatched",
        /// It stayed unclear after we had asked back once.
        Unclear = "unclear",
        /// Somebody gave an accepted place back.
        GaveUpPlace = "gave_up_place",
        /// Somebody wants no more texts.
        OptedOut = "opted_out",
        /// It was understood, and applying it failed each time.
        NotApplied = "not_applied",
        /// A text of ours: nobody can tell whether it arrived, so it is not sent again.
        UnknownDelivery = "unknown_delivery",
    }
}

words! {
    /// Whether it still waits.
    pub enum State {
        /// Nobody has dealt with it.
        Open = "open",
        /// Somebody has.
        Closed = "closed",
    }
}

impl Reason {
    /// The same for whoever reads the inbox: what happened, and what is left to do.
    #[must_use]
    pub const fn told(self) -> &'static str {
        match self {
            Self::UnknownSender => "The number belongs to nobody in the directory.",
            Self::Unmatched => "The text answers nothing that was asked.",
            Self::Unclear => "The text was still unclear after a question back.",
            Self::GaveUpPlace => "A confirmed volunteer gave their place back.",
            Self::OptedOut => {
                "They want no more texts. Open invitations were taken back; they keep the places \
                 they have, so phone them."
            }
            Self::NotApplied => "The text could not be acted on. Nothing was changed by it.",
            Self::UnknownDelivery => {
                "The provider cannot tell whether this text arrived. It is not sent again."
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
            assert!(reason.told().ends_with('.'), "{reason}");
            let same = Reason::ALL.iter().filter(|other| other.told() == reason.told()).count();
            assert_eq!(same, 1, "{reason}");
        }
    }
}
