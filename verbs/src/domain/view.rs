//! The view of a message: the sender's open asks, and all other data on which the interpretation
//! of the message may depend. If the view has another digest when the message is applied,
//! the interpretation is no longer valid.

use std::collections::BTreeMap;

use abide_agent::mention::Mentions;
use abide_engine::base::{
    ApprovalId, AskId, OfferId, PersonId, Problem, RequestId, Timestamp, Value,
};
use abide_engine::store::ApprovalState;
use abide_engine::template::Language;
use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::data::question::ClarificationKind;

/// The data on which the interpretation of a message may depend.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct View {
    /// The people with the sender's number.
    pub senders: Vec<PossibleSender>,
    /// The offers, questions, places and waitlist ranks of the senders for future services.
    /// If the message names some of these asks, the list contains only the named asks.
    pub asks: Vec<SenderAsk>,
    /// Whether `asks` contains only the asks that the message names, and not all asks.
    pub narrowed: bool,
    /// The newest clarifying question that waits for an answer from the senders.
    pub question: Option<OpenClarification>,
    /// What the senders may approve or refuse, the earliest first; for a while also what is decided already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<SenderApproval>,
    /// The church's time zone.
    pub zone: String,
    /// The church's weekly services.
    pub services: Vec<KnownService>,
    /// The roles of the tenant's people, if a sender is staff.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
    /// The requests for future services, the earliest first, if a sender is staff.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<LiveRequest>,
}

/// A request for a service that has not begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LiveRequest {
    pub id: RequestId,
    pub time: Timestamp,
    /// The people wanted, by role.
    pub targets: BTreeMap<String, i64>,
}

impl LiveRequest {
    /// Returns the number of people wanted in a role.
    pub(super) fn target(&self, role: &str) -> i64 {
        self.targets.get(role).copied().unwrap_or(0)
    }
}

/// A weekly service, on the clock of the church.
///
/// The first three fields keep their order: a view that an earlier version stored has them as a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownService {
    /// The day of the week: 1 is Monday, 7 is Sunday.
    pub weekday: i64,
    /// The time at which the service begins, in minutes since midnight.
    pub minute: i64,
    pub name: String,
    /// What people call the service besides its name.
    #[serde(default)]
    pub aliases: Vec<String>,
}

/// A person with the sender's number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PossibleSender {
    pub person: PersonId,
    pub name: String,
    pub staff: bool,
    /// The language of the texts to the person, if it is not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
}

/// Something that a sender may approve or refuse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SenderApproval {
    /// The sender, who holds the role whose turn it is.
    pub person: PersonId,
    pub id: ApprovalId,
    /// What would happen, in words.
    pub what: String,
    pub state: ApprovalState,
}

/// Something that a message from a person may refer to: an offer or a question to the person, or a place
/// or waitlist rank of the person. All of these count as asks here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SenderAsk {
    pub person: PersonId,
    pub request: RequestId,
    pub role: String,
    pub time: Timestamp,
    pub standing: Standing,
    /// The newest offer to the person for the role; `None` if there was none.
    pub offer: Option<OfferId>,
    /// The id of the question, if the ask is a question that a run asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<AskId>,
}

/// The state of an offer, place, waitlist rank or question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Standing {
    /// An offer or question is waiting for an answer.
    Open,
    /// The person has a place.
    Place,
    /// The person is on the waitlist.
    Waiting,
    /// The offer has ended, but the request is still live.
    Past,
    /// The request is cancelled or closed.
    Over,
}

/// A clarifying question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct OpenClarification {
    pub person: PersonId,
    pub kind: ClarificationKind,
    pub about: Value,
}

impl KnownService {
    /// Returns the day of the week; `None` if the stored number stands for no day.
    pub(super) fn day(&self) -> Option<Weekday> {
        Weekday::from_monday_one_offset(i8::try_from(self.weekday).ok()?).ok()
    }

    /// Returns the time at which the service begins; `None` if the stored number is no time of a day.
    pub(super) fn clock(&self) -> Option<Time> {
        let hour = i8::try_from(self.minute / 60).ok()?;
        let minute = i8::try_from(self.minute % 60).ok()?;
        Time::new(hour, minute, 0, 0).ok()
    }
}

impl View {
    /// Parses a view from the JSON that [`Self::to_value`] returned.
    pub(super) fn from_value(value: &Value) -> Result<Self, Problem> {
        serde_json::from_value(value.clone())
            .map_err(|e| Problem::bug(format!("the asks of a message cannot be read: {e}")))
    }

    pub(super) fn to_value(&self) -> Result<Value, Problem> {
        serde_json::to_value(self)
            .map_err(|e| Problem::bug(format!("asks cannot be written as JSON: {e}")))
    }

    /// Returns the church's time zone; UTC if the zone database of this machine lacks it.
    pub(super) fn time_zone(&self) -> TimeZone {
        TimeZone::get(&self.zone).unwrap_or(TimeZone::UTC)
    }

    /// Returns the first sender who may start a run by sending a message: staff or a supervisor.
    /// Returns `None` if no sender may.
    pub(super) fn staff(&self) -> Option<&PossibleSender> {
        self.senders.iter().find(|sender| sender.staff)
    }

    /// Returns the indexes of the asks that a text names by person, role or time. If it names none of them,
    /// returns all.
    pub(super) fn named_asks(&self, named: &Mentions) -> Vec<usize> {
        let name_of = |person: PersonId| {
            let found = self.senders.iter().find(|sender| sender.person == person);
            found.map_or("", |sender| sender.name.as_str())
        };
        let tests: [&dyn Fn(&SenderAsk) -> bool; 3] = [
            &|ask| self.senders.len() > 1 && named.person(name_of(ask.person)),
            &|ask| named.role(&ask.role),
            &|ask| named.time(ask.time),
        ];
        let mut kept: Vec<usize> = (0..self.asks.len()).collect();
        for test in tests {
            if kept.iter().any(|ask| test(&self.asks[*ask])) {
                kept.retain(|ask| test(&self.asks[*ask]));
            }
        }
        kept
    }

    /// Keeps only the asks that the message names. If it names none of them, keeps all.
    pub(super) fn narrow(&mut self, named: &Mentions) {
        let kept = self.named_asks(named);
        self.narrowed = kept.len() < self.asks.len();
        self.asks = kept.into_iter().map(|ask| self.asks[ask].clone()).collect();
    }
}
