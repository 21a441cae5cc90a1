//! Defines the kinds of ledger events that the church domain records,
//! and a type that covers the engine's kinds of events too.

use abide_engine::ledger::{EventKind, KindName};
use abide_engine::words;

words! {
    /// Kind of an event that the church domain records.
    pub enum ChurchEventKind {
        /// A request was created, or its status or targets changed.
        /// Members: `version`, `became`, `targets`; for a change, also `was` and `cause`.
        Request = "request",
        /// Offers of one role and wave were made. Members: `role`, `wave`,
        /// `became` (the state in which they begin), `offers` (pairs of an offer and its person).
        Offered = "offered",
        /// Offers of a request ended. Members: `cause`, `became`, `offers`.
        Offers = "offers",
        /// The assignment of a person changed. Members: `person`, `role`, `was`, `cause`, `became`, `seat`,
        /// `ord` (sequence number among the people who said yes), and `reason` if one was given.
        Assignment = "assignment",
        /// A question to a person was asked, answered or ended.
        /// Members: `ask`, `person`, `template`, `became`.
        Ask = "ask",
        /// Staff set a capacity. Members: `key`, `was`, `total`.
        CapacitySet = "capacity.set",
        /// Staff closed an entry of the inbox. Members: `message`.
        InboxClosed = "inbox.closed",
        /// Staff answered an entry of the inbox, which closes it. Members: `message`,
        /// `answer` (the message that was queued), `by` (the id of a token, or `operator`).
        InboxAnswered = "inbox.answered",
        /// Staff assigned an entry of the inbox. Members: `message`, `person`, `by`.
        InboxAssigned = "inbox.assigned",
        /// Staff took over the thread with the number of an entry of the inbox. Members: `message`, `by`.
        ThreadTakenOver = "thread.taken_over",
        /// Staff handed a thread back. Members: `message`, `by`.
        ThreadHandedBack = "thread.handed_back",
        /// Staff wrote a fact. Members: `fact`, `added`, `reviewed_at`,
        /// `by` (the id of a token, or `operator`).
        FactWritten = "fact.written",
        /// Staff retired a fact. Members: `fact`, `by`.
        FactRetired = "fact.retired",
        /// Staff wrote a weekly service. Members: `service` (its name), `weekday`, `time`, `added`, `by`.
        ServiceWritten = "service.written",
        /// Staff removed a weekly service. Members: `service`, `weekday`, `time`, `by`.
        ServiceRemoved = "service.removed",
    }
}

impl From<ChurchEventKind> for KindName {
    fn from(kind: ChurchEventKind) -> Self {
        Self::of(kind.as_str())
    }
}

impl PartialEq<ChurchEventKind> for KindName {
    fn eq(&self, kind: &ChurchEventKind) -> bool {
        self.as_str() == kind.as_str()
    }
}

/// The kind of a stored event, which may have been recorded by the engine or by the church domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnyEventKind {
    /// A kind of event that the engine records.
    Engine(EventKind),
    /// A kind of event that the church domain records.
    Church(ChurchEventKind),
    /// A kind of event that this build does not know, recorded by another version.
    Unknown,
}

impl AnyEventKind {
    /// Parses the name of an event's kind.
    #[must_use]
    pub fn of(name: &KindName) -> Self {
        let engine = EventKind::parse(name.as_str()).map(Self::Engine);
        let church = || ChurchEventKind::parse(name.as_str()).map(Self::Church);
        engine.or_else(church).unwrap_or(Self::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_belongs_to_one_crate() {
        for kind in EventKind::ALL.iter().copied() {
            assert_eq!(AnyEventKind::of(&kind.into()), AnyEventKind::Engine(kind));
        }
        for kind in ChurchEventKind::ALL.iter().copied() {
            assert_eq!(AnyEventKind::of(&kind.into()), AnyEventKind::Church(kind));
        }
        assert_eq!(AnyEventKind::of(&KindName::of("request.teleported")), AnyEventKind::Unknown);
    }
}
