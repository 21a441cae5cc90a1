//! What staff ask for: one request for now, "find N people for this role and that service".

use abide_engine::base::{Timestamp, Value};
use serde_json::json;

use super::number::number;
use super::role;
use super::token::{Token, tokens};
use super::when::{self, Calendar};
use crate::transition::words;

words! {
    /// What a text of staff asks for.
    pub enum Intent {
        /// Ask people until so many have a place.
        FillRole = "fill_role",
        /// It is one of ours, but something is missing; see `missing`.
        Clarify = "clarify",
        /// Not understood.
        Unclear = "unclear",
    }
}

words! {
    /// What a text leaves open.
    pub enum Missing {
        /// Which role.
        Role = "role",
        /// How many people.
        Count = "count",
        /// Which service.
        Time = "time",
    }
}

/// A reading of a text of staff.
#[derive(Debug, Clone, PartialEq)]
pub struct StaffReading {
    /// What it asks for.
    pub intent: Intent,
    /// The role, in its stored form.
    pub role: Option<String>,
    /// The new total.
    pub count: Option<i64>,
    /// How many more than now.
    pub delta: Option<i64>,
    /// The service.
    pub time: Option<Timestamp>,
    /// From 0 to 1.
    pub confidence: f64,
}

/// Certain as far as a table of phrases can be.
const PLAIN: f64 = 0.95;
/// Most people one text may ask for; more is a typing error.
const COUNT_MAX: i64 = 500;

const ASKING: &[&str] = &[
    "fill", "need", "needs", "find", "get", "recruit", "want", "looking", "schedule", "line",
    "invite", "grab", "ask",
];
/// Words of other requests, which this reader leaves to a person.
const BEYOND: &[&str] = &[
    "cancel",
    "reduce",
    "lower",
    "scale",
    "fewer",
    "less",
    "status",
    "remove",
    "drop",
    "stop",
    "pause",
    "resume",
    "approve",
    "reject",
    "deny",
    "swap",
    "move",
    "rebalance",
    "transfer",
    "unless",
    "if",
    "dont",
    "not",
    "never",
    "who",
    "list",
    "except",
    "back",
    "undo",
    "had",
    "did",
    "already",
    "without",
    "instead",
];
const PEOPLE: &[&str] = &[
    "volunteer",
    "volunteers",
    "people",
    "person",
    "spots",
    "spot",
    "helpers",
    "helper",
    "places",
    "place",
    "slots",
    "slot",
    "folks",
    "workers",
    "adults",
    "somebody",
    "someone",
    "greeter",
    "usher",
];

impl StaffReading {
    /// Nothing that may be acted upon.
    #[must_use]
    pub fn unclear() -> Self {
        Self {
            intent: Intent::Unclear,
            role: None,
            count: None,
            delta: None,
            time: None,
            confidence: 0.0,
        }
    }

    /// This reading, or an unclear one if its confidence is lower than `least`.
    #[must_use]
    pub fn at_least(self, least: f64) -> Self {
        if self.confidence < least { Self::unclear() } else { self }
    }

    /// What is still missing for the request.
    #[must_use]
    pub fn missing(&self) -> Vec<Missing> {
        let gaps = [
            (self.role.is_none(), Missing::Role),
            (self.count.is_none() && self.delta.is_none(), Missing::Count),
            (self.time.is_none(), Missing::Time),
        ];
        gaps.into_iter().filter(|(open, _)| *open).map(|(_, gap)| gap).collect()
    }

    /// This reading with its gaps filled from the answer to our question; complete, it is the
    /// request itself.
    #[must_use]
    pub fn completed_by(self, answer: &Self) -> Self {
        let counted = self.count.is_some() || self.delta.is_some();
        let merged = Self {
            role: self.role.or_else(|| answer.role.clone()),
            count: if counted { self.count } else { answer.count },
            delta: if counted { self.delta } else { answer.delta },
            time: self.time.or(answer.time),
            ..self
        };
        let intent = if merged.missing().is_empty() { Intent::FillRole } else { Intent::Clarify };
        Self { intent, ..merged }
    }

    /// As kept with the inbound message and with a question that waits for its answer.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut value = json!({"intent": self.intent.as_str(), "confidence": self.confidence});
        let slots = [
            ("role", self.role.clone().map(Value::from)),
            ("count", self.count.map(Value::from)),
            ("delta", self.delta.map(Value::from)),
            ("time", self.time.map(|at| Value::from(at.to_string()))),
        ];
        for (name, slot) in slots {
            if let Some(slot) = slot {
                value[name] = slot;
            }
        }
        value
    }

    /// From [`Self::to_value`]; whatever is malformed reads as unclear.
    #[must_use]
    pub fn from_value(value: &Value) -> Self {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let Some(intent) = text("intent").and_then(Intent::parse) else {
            return Self::unclear();
        };
        Self {
            intent,
            role: text("role").map(ToOwned::to_owned),
            count: value.get("count").and_then(Value::as_i64),
            delta: value.get("delta").and_then(Value::as_i64),
            time: text("time").and_then(|time| time.parse().ok()),
            confidence: value.get("confidence").and_then(Value::as_f64).unwrap_or(0.0),
        }
    }
}

pub(super) fn read(text: &str, now: Timestamp, calendar: &Calendar) -> StaffReading {
    let tokens = tokens(text);
    let says =
        |list: &[&str]| tokens.iter().filter_map(Token::word).any(|word| list.contains(&word));
    let mut roles = role::mentions(&tokens);
    if says(BEYOND) || roles.len() > 1 {
        return StaffReading::unclear();
    }
    let when = when::read(&tokens, now, calendar);
    let role = roles.pop();
    let mut taken = when.spans;
    taken.extend(role.as_ref().map(|(_, span)| span.clone()));
    let Ok((count, delta)) = quantity(&tokens, &taken) else {
        return StaffReading::unclear();
    };
    let reading = StaffReading {
        intent: Intent::Unclear,
        role: role.map(|(name, _)| name.to_owned()),
        count,
        delta,
        time: when.at,
        confidence: PLAIN,
    };
    let about_people = reading.role.is_some() || says(PEOPLE);
    let intent = match (says(ASKING) && about_people, reading.missing().is_empty()) {
        (true, true) => Intent::FillRole,
        (true, false) => Intent::Clarify,
        (false, _) => Intent::Unclear,
    };
    StaffReading { intent, ..reading }
}

/// The count or the delta; an error where several numbers compete.
fn quantity(
    tokens: &[Token],
    taken: &[std::ops::Range<usize>],
) -> Result<(Option<i64>, Option<i64>), ()> {
    let free = |at: &usize| taken.iter().all(|span| !span.contains(at));
    let word = |at: usize| tokens.get(at).and_then(Token::word).unwrap_or_default();
    let numbers: Vec<(usize, i64)> = (0..tokens.len())
        .filter(free)
        .filter_map(|at| number(word(at)).map(|n| (at, n)))
        .filter(|(_, n)| (1..=COUNT_MAX).contains(n))
        .collect();
    let more = |at: usize| matches!(word(at), "more" | "additional" | "extra" | "further");
    match numbers[..] {
        [] => {
            let another = (0..tokens.len())
                .any(|at| word(at) == "another" || (more(at) && at > 0 && word(at - 1) == "one"));
            let single = (0..tokens.len()).filter(|at| matches!(word(*at), "a" | "an")).any(|at| {
                (at + 1..at + 4)
                    .any(|next| PEOPLE.contains(&word(next)) && !word(next).ends_with('s'))
            });
            Ok(match (another, single) {
                (true, _) => (None, Some(1)),
                (false, true) => (Some(1), None),
                (false, false) => (None, None),
            })
        }
        [(at, n)] if more(at + 1) || (at > 0 && more(at - 1)) => Ok((None, Some(n))),
        [(_, n)] => Ok((Some(n), None)),
        _ => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `text | intent | role | count | delta | time | missing`.
    const REQUESTS: &str = "
        Fill 5 nursery spots for the 9am service | fill_role | nursery | 5 | - | 2025-10-05T14:00:00+00:00 | -
        Fill 5 nursery spots for the 9am service. | fill_role | nursery | 5 | - | 2025-10-05T14:00:00+00:00 | -
        Could you find three more nursery volunteers for 9am? | fill_role | nursery | - | 3 | 2025-10-05T14:00:00+00:00 | -
        We need 2 greeters Sunday at 11 | fill_role | greeters | 2 | - | 2025-10-05T16:00:00+00:00 | -
        please get us four people for coffee at 9 | fill_role | cafe | 4 | - | 2025-10-05T14:00:00+00:00 | -
        need another usher for the second service | fill_role | ushers | - | 1 | 2025-10-05T16:00:00+00:00 | -
        can you find a volunteer for the sound booth on Wednesday | fill_role | sound | 1 | - | 2025-10-01T23:30:00+00:00 | -
        Fill the nursery for 9am | clarify | nursery | - | - | 2025-10-05T14:00:00+00:00 | count
        Fill 5 nursery spots | clarify | nursery | 5 | - | - | time
        Find 3 people for 9am | clarify | - | 3 | - | 2025-10-05T14:00:00+00:00 | role
        we need volunteers | clarify | - | - | - | - | role count time
        Fill 5 nursery spots for Sunday | clarify | nursery | 5 | - | - | time
        cancel the nursery request for 9am | unclear | - | - | - | - | role count time
        How are you? | unclear | - | - | - | - | role count time
        5 nursery 9am | unclear | nursery | 5 | - | 2025-10-05T14:00:00+00:00 | -
        Fill 5 nursery and 3 children spots for 9am | unclear | - | - | - | - | role count time
        Fill 5 or 6 nursery spots for 9am | unclear | - | - | - | - | role count time
        scale greeters at 11 back to 5 | unclear | - | - | - | - | role count time
    ";

    #[test]
    fn requests_of_staff() {
        let now = "2025-09-30T14:20:00-05:00".parse().expect("an instant");
        let mut wrong = Vec::new();
        for line in REQUESTS.lines().filter(|line| !line.trim().is_empty()) {
            let cells: Vec<_> = line.split('|').map(str::trim).collect();
            let found = read(cells[0], now, &when::tests::demo());
            let shown = |slot: Option<String>| slot.unwrap_or_else(|| "-".to_owned());
            let missing: Vec<_> = found.missing().into_iter().map(Missing::as_str).collect();
            let row = [
                found.intent.as_str().to_owned(),
                shown(found.role.clone()),
                shown(found.count.map(|n| n.to_string())),
                shown(found.delta.map(|n| n.to_string())),
                shown(found.time.map(|at| at.to_string())),
                if missing.is_empty() { "-".to_owned() } else { missing.join(" ") },
            ];
            if row[..] != cells[1..] {
                wrong.push(format!("{}: {row:?}", cells[0]));
            }
            assert_eq!(StaffReading::from_value(&found.to_value()), found);
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn an_answer_fills_the_gaps_and_no_more() {
        let now = "2025-09-30T14:20:00-05:00".parse().expect("an instant");
        let calendar = when::tests::demo();
        let open = read("Fill 5 nursery spots", now, &calendar);
        let done = open.clone().completed_by(&read("the 9am one", now, &calendar));
        assert_eq!((done.intent, done.count), (Intent::FillRole, Some(5)));
        let still = open.completed_by(&read("hm", now, &calendar));
        assert_eq!((still.intent, still.missing()), (Intent::Clarify, vec![Missing::Time]));
    }
}
