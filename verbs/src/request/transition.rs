//! The one table of a request's life, used when it changes and when it is audited.
//!
//! ```text
//! draft ─▶ open ◀─▶ partially_filled ◀─▶ filled      while the service lies ahead
//!   └────────┴────────────┴────────────────┴──▶ closed | cancelled      final
//! ```

use super::targets::Fill;
use crate::transition::{Illegal, words};

words! {
    /// The state of a request.
    pub enum Status {
        /// Prepared; nobody is asked yet.
        Draft = "draft",
        /// People may be asked; nobody has a place.
        Open = "open",
        /// Some places are taken.
        PartiallyFilled = "partially_filled",
        /// Every target is met.
        Filled = "filled",
        /// The service has begun, or staff closed it. Final.
        Closed = "closed",
        /// Called off. Final.
        Cancelled = "cancelled",
    }
}

words! {
    /// Why a request changes its state.
    pub enum Cause {
        /// Staff or a run start to ask people.
        Open = "open",
        /// A place was taken or freed, or a target changed: nobody has a place now.
        CountNobody = "count:nobody",
        /// The same, and some have.
        CountSome = "count:some",
        /// The same, and every target is met.
        CountAll = "count:all",
        /// The service moved, or something else that leaves the counts alone.
        Amend = "amend",
        /// The service begins, or staff close it.
        Close = "close",
        /// It is called off.
        Cancel = "cancel",
    }
}

impl From<Fill> for Cause {
    fn from(fill: Fill) -> Self {
        match fill {
            Fill::Nobody => Self::CountNobody,
            Fill::Some => Self::CountSome,
            Fill::All => Self::CountAll,
        }
    }
}

impl Status {
    /// True where nothing can change any more.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Closed | Self::Cancelled)
    }

    /// True where people may be asked and may take places.
    #[must_use]
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Open | Self::PartiallyFilled | Self::Filled)
    }

    /// The state after `cause`.
    ///
    /// # Errors
    /// [`Illegal`] for a change of a final request, and for a place in a draft.
    pub fn after(self, cause: Cause) -> Result<Self, Illegal> {
        match (self, cause) {
            (Self::Draft, Cause::Open) => Ok(Self::Open),
            (Self::Draft, Cause::Amend | Cause::CountNobody) => Ok(Self::Draft),
            (from, Cause::Open | Cause::Amend) if from.is_live() => Ok(from),
            (from, Cause::CountNobody) if from.is_live() => Ok(Self::Open),
            (from, Cause::CountSome) if from.is_live() => Ok(Self::PartiallyFilled),
            (from, Cause::CountAll) if from.is_live() => Ok(Self::Filled),
            (from, Cause::Close) if !from.is_final() => Ok(Self::Closed),
            (from, Cause::Cancel) if !from.is_final() => Ok(Self::Cancelled),
            (from, cause) => {
                Err(Illegal { noun: "request", from: from.as_str(), cause: cause.as_str() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line a pair: `from cause to`, `-` where it is refused.
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
            let status = Status::parse(from).expect(from);
            let after = status.after(Cause::parse(cause).expect(cause));
            assert_eq!(after.map_or("-", Status::as_str), to, "{line}");
            seen += 1;
        }
        assert_eq!(seen, Status::ALL.len() * Cause::ALL.len(), "the table names every pair");
    }

    #[test]
    fn causes_and_states_keep_their_texts() {
        for status in Status::ALL {
            assert_eq!(Status::parse(status.as_str()), Some(*status));
        }
        assert_eq!(Status::parse("Filled"), None);
        assert_eq!(Cause::parse("count"), None);
    }
}
