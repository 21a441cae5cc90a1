//! The state machine of a request. Operations use it to change requests,
//! and the audit uses it to check the history of each request.
//!
//! ```text
//! draft ─▶ open ◀─▶ partially_filled ◀─▶ filled      until the service begins
//!   └────────┴────────────┴────────────────┴──▶ closed | cancelled      final
//! ```

use super::targets::Fill;
use crate::transition::{IllegalTransition, words};

words! {
    /// The state of a request.
    pub enum RequestStatus {
        /// The request is prepared; no one has been asked yet.
        Draft = "draft",
        /// People may be asked; no place is taken.
        Open = "open",
        /// Some places are taken.
        PartiallyFilled = "partially_filled",
        /// Every target is met.
        Filled = "filled",
        /// The service has begun, or staff closed the request. Final.
        Closed = "closed",
        /// Cancelled by staff or a run. Final.
        Cancelled = "cancelled",
    }
}

words! {
    /// Why a request changes its state.
    pub enum RequestCause {
        /// Staff or a run start asking people.
        Open = "open",
        /// A place was taken or freed, or a target changed: no place is taken now.
        CountNone = "count:nobody",
        /// A place was taken or freed, or a target changed: some places are taken now,
        /// but not every target is met.
        CountSome = "count:some",
        /// A place was taken or freed, or a target changed: every target is met now.
        CountAll = "count:all",
        /// A change that leaves the counts as they are, such as an edit of a draft.
        Amend = "amend",
        /// The service begins, or staff close the request.
        Close = "close",
        /// Staff or a run cancel the request.
        Cancel = "cancel",
    }
}

impl From<Fill> for RequestCause {
    fn from(fill: Fill) -> Self {
        match fill {
            Fill::None => Self::CountNone,
            Fill::Some => Self::CountSome,
            Fill::All => Self::CountAll,
        }
    }
}

impl RequestStatus {
    /// Whether the request is closed or cancelled. Such a request cannot change any more.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Closed | Self::Cancelled)
    }

    /// Whether the request is in a state in which people may be asked and may take places.
    #[must_use]
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Open | Self::PartiallyFilled | Self::Filled)
    }

    /// Returns the state to which `cause` leads.
    ///
    /// # Errors
    /// [`IllegalTransition`] if the request is closed or cancelled, or if a place is taken in a draft.
    pub fn after(self, cause: RequestCause) -> Result<Self, IllegalTransition> {
        match (self, cause) {
            (Self::Draft, RequestCause::Open) => Ok(Self::Open),
            (Self::Draft, RequestCause::Amend | RequestCause::CountNone) => Ok(Self::Draft),
            (from, RequestCause::Open | RequestCause::Amend) if from.is_live() => Ok(from),
            (from, RequestCause::CountNone) if from.is_live() => Ok(Self::Open),
            (from, RequestCause::CountSome) if from.is_live() => Ok(Self::PartiallyFilled),
            (from, RequestCause::CountAll) if from.is_live() => Ok(Self::Filled),
            (from, RequestCause::Close) if !from.is_final() => Ok(Self::Closed),
            (from, RequestCause::Cancel) if !from.is_final() => Ok(Self::Cancelled),
            (from, cause) => Err(IllegalTransition {
                noun: "request",
                from: from.as_str(),
                cause: cause.as_str(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line lists the state before, the cause and the state after.
    /// A `-` stands for an illegal transition.
    const TABLE: &str = "
        draft            open         open
        draft            count:nobody draft
        draft            count:some   -
        draft            count:all    -
        draft            amend        draft
        draft            close        closed
        draft            cancel       cancelled
        open             open         open
        open             count:nobody open
        open             count:some   partially_filled
        open             count:all    filled
        open             amend        open
        open             close        closed
        open             cancel       cancelled
        partially_filled open         partially_filled
        partially_filled count:nobody open
        partially_filled count:some   partially_filled
        partially_filled count:all    filled
        partially_filled amend        partially_filled
        partially_filled close        closed
        partially_filled cancel       cancelled
        filled           open         filled
        filled           count:nobody open
        filled           count:some   partially_filled
        filled           count:all    filled
        filled           amend        filled
        filled           close        closed
        filled           cancel       cancelled
        closed           open         -
        closed           count:nobody -
        closed           count:some   -
        closed           count:all    -
        closed           amend        -
        closed           close        -
        closed           cancel       -
        cancelled        open         -
        cancelled        count:nobody -
        cancelled        count:some   -
        cancelled        count:all    -
        cancelled        amend        -
        cancelled        close        -
        cancelled        cancel       -
    ";

    #[test]
    fn every_pair_goes_where_the_table_says() {
        let mut seen = 0;
        for line in TABLE.lines().filter(|line| !line.trim().is_empty()) {
            let [from, cause, to] = line.split_whitespace().collect::<Vec<_>>()[..] else {
                panic!("bad line: {line}");
            };
            let status = RequestStatus::parse(from).expect(from);
            let after = status.after(RequestCause::parse(cause).expect(cause));
            assert_eq!(after.map_or("-", RequestStatus::as_str), to, "{line}");
            seen += 1;
        }
        assert_eq!(
            seen,
            RequestStatus::ALL.len() * RequestCause::ALL.len(),
            "the table names every pair"
        );
    }

    #[test]
    fn causes_and_states_keep_their_texts() {
        for status in RequestStatus::ALL {
            assert_eq!(RequestStatus::parse(status.as_str()), Some(*status));
        }
        assert_eq!(RequestStatus::parse("Filled"), None);
        assert_eq!(RequestCause::parse("count"), None);
    }
}
