//! The result of applying an inbound message.

use super::StartRun;
use crate::base::RunId;

crate::words! {
    /// How an inbound message was handled.
    pub enum HandledAs {
        /// The message answered an ask.
        Reply = "reply",
        /// A member of staff requested something.
        StaffRequest = "staff_request",
        /// The message answered a clarifying question.
        ClarificationAnswer = "clarification_answer",
        /// The message decided an approval.
        Approval = "approval",
        /// The message asked a question.
        Question = "question",
        /// The message withdrew the consent to receive messages.
        OptOut = "opt_out",
        /// The message renewed the consent to receive messages.
        OptIn = "opt_in",
        /// The message requested help with the carriers' keyword.
        Help = "help",
        /// The message matched several asks; a clarifying question was sent.
        Ambiguous = "ambiguous",
        /// The message matched no ask and was shown to staff.
        Unmatched = "unmatched",
        /// The sender's number is not in the directory.
        UnknownSender = "unknown_sender",
        /// The message is stored and not applied yet.
        Stored = "stored",
    }
}

/// The result of applying an inbound message.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// How the message was handled.
    pub handled_as: HandledAs,
    /// Run that the message concerns, if any.
    pub run: Option<RunId>,
    /// Runs to start in the same transaction, if the message requests some.
    pub starts: Vec<StartRun>,
}
