//! What a member of staff wants, as read from a message and perhaps from the answer to a question of ours.

use std::collections::BTreeMap;

use abide_agent::staff::{
    Intents, NamedSlots, OwnIntent, OwnRequest, Slot, SlotKind, StaffIntent, StaffText,
};
use abide_engine::base::{Timestamp, Value};
use serde::{Deserialize, Serialize};

/// Number of our questions about one wish. If its author still leaves something open after them, we explain with
/// examples instead of asking again.
const QUESTIONS_MAX: u32 = 2;

/// What a member of staff wants. Members that nobody named are absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StaffWish {
    pub intent: StaffIntent,
    /// The intent once nothing is missing, if `intent` is [`StaffIntent::Clarify`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<StaffIntent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The new total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// How many more, or fewer if it is negative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<i64>,
    /// The service, as an instant in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The day, if no service of that day is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The new totals of several roles.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, i64>,
    /// What is missing, of `role count time targets`; for an intent of a home, the questions about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The people who are asked before the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prefer: Vec<String>,
    /// The people and groups who are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// The number of people who would do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<i64>,
    /// What the people must be able to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// When an answer is needed, as an instant in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// What is wanted, if it is an intent of a home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Box<OwnWish>>,
    /// Further wishes in the same message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Self>,
    /// How many questions about it we have asked.
    #[serde(default)]
    pub asked: u32,
}

/// A wish for which a home has an intent. It holds all that is needed to act, so that it stays the same if the home
/// changes meanwhile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct OwnWish {
    /// The name of the intent.
    pub intent: String,
    /// What happens, in words.
    pub what: String,
    /// The `kind` of the goal.
    pub kind: String,
    /// The method; `None` if the planner chooses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Whether its author must say yes before anything starts.
    #[serde(default)]
    pub confirm: bool,
    /// What was named, by slot.
    #[serde(default)]
    pub slots: BTreeMap<String, Value>,
}

impl OwnWish {
    fn of(request: OwnRequest, intent: &OwnIntent) -> Self {
        Self {
            intent: request.intent,
            what: intent.description.clone(),
            kind: intent.kind.clone(),
            method: intent.method.clone(),
            confirm: intent.confirm,
            slots: request.slots,
        }
    }

    /// Returns the service that the goal names. A goal that names one joins the request for it.
    pub(super) fn service(&self) -> Option<Timestamp> {
        self.slots.get("time")?.as_str()?.parse().ok()
    }

    /// Returns the goal that follows from the wish.
    pub(super) fn goal(&self) -> Value {
        let mut goal = serde_json::Map::from_iter([("kind".to_owned(), Value::from(&*self.kind))]);
        goal.extend(self.slots.iter().map(|(name, value)| (name.clone(), value.clone())));
        Value::Object(goal)
    }
}

/// Returns how we ask for a slot of an intent of a home.
fn question(slot: &Slot) -> String {
    slot.ask.clone().unwrap_or_else(|| match slot.kind {
        SlotKind::Role => "Which team is it for?".to_owned(),
        SlotKind::Count => "How many?".to_owned(),
        SlotKind::Time => "Which day and what time?".to_owned(),
        SlotKind::Date => "Which day?".to_owned(),
        SlotKind::Money => "How much money?".to_owned(),
        SlotKind::Phone => "What is the phone number?".to_owned(),
        SlotKind::Choice | SlotKind::Text => format!("Which {}?", slot.name.replace('_', " ")),
    })
}

impl StaffWish {
    /// Returns the wish in a reading.
    pub(super) fn read(text: StaffText, intents: &Intents) -> Self {
        let known = text.own.and_then(|own| {
            let intent = intents.own(&own.intent)?;
            Some((OwnWish::of(own, intent), intent))
        });
        let missing = match &known {
            Some((_, intent)) => asked(intent, &text.missing),
            None => text.missing,
        };
        Self {
            own: known.map(|(own, _)| Box::new(own)),
            intent: text.intent,
            of: text.of,
            role: text.role,
            count: text.count,
            delta: text.delta,
            time: text.time,
            date: text.date,
            targets: text.targets,
            missing,
            prefer: text.prefer,
            exclude: text.exclude,
            minimum: text.minimum,
            skill: text.skill,
            deadline: text.deadline,
            also: text.also.into_iter().map(|text| Self::read(text, intents)).collect(),
            asked: 0,
        }
    }

    /// Returns a wish that names nothing yet.
    pub(super) fn of(intent: StaffIntent) -> Self {
        Self {
            intent,
            of: None,
            role: None,
            count: None,
            delta: None,
            time: None,
            date: None,
            targets: BTreeMap::new(),
            missing: Vec::new(),
            prefer: Vec::new(),
            exclude: Vec::new(),
            minimum: None,
            skill: None,
            deadline: None,
            own: None,
            also: Vec::new(),
            asked: 0,
        }
    }

    /// Returns the wish for an intent of a home, about which its author must say yes before anything starts.
    pub(super) fn with_confirmation(mut self) -> Self {
        if let Some(own) = &mut self.own {
            own.confirm = true;
        }
        self
    }

    /// Returns the wish that was stored with a question; `None` for anything else.
    pub(super) fn from_value(value: &Value) -> Option<Self> {
        serde_json::from_value(value.clone()).ok()
    }

    /// Whether it wants something to be done or told, and says all that is needed.
    pub(super) fn is_complete(&self) -> bool {
        !matches!(self.intent, StaffIntent::Unrelated | StaffIntent::Clarify)
    }

    /// Whether it wants something, though something may be missing.
    pub(super) fn is_understood(&self) -> bool {
        self.is_complete() || (self.intent == StaffIntent::Clarify && self.of.is_some())
    }

    /// Whether it is another wish than `asked`, about which we asked a question, and no answer to it.
    /// An answer names only what was missing.
    pub(super) fn is_new_beside(&self, asked: &Self) -> bool {
        let decides = matches!(self.intent, StaffIntent::Approve | StaffIntent::Reject);
        let repeats = (self.role.is_some() && asked.role.is_some())
            || (self.time.is_some() && asked.time.is_some());
        let is_whole = self.is_complete() && !decides;
        let begins = self.intent == StaffIntent::Clarify && self.role.is_some() && repeats;
        let answers = self.role.is_none()
            && self.targets.is_empty()
            && asked.of == Some(self.intent)
            && self.own_intent() == asked.own_intent();
        (is_whole && !answers) || begins
    }

    /// Whether another question about it may be asked.
    pub(super) fn may_ask(&self) -> bool {
        self.asked < QUESTIONS_MAX
    }

    fn own_intent(&self) -> Option<&str> {
        self.own.as_ref().map(|own| own.intent.as_str())
    }

    /// Whether it names a role, a service or a day.
    pub(super) const fn names_something(&self) -> bool {
        self.role.is_some() || self.time.is_some() || self.date.is_some()
    }

    /// Returns the service that it names.
    pub(super) fn service(&self) -> Option<Timestamp> {
        self.time.as_deref()?.parse().ok()
    }

    /// Returns the wish without `slot`, which turned out to be needed or to make no sense.
    pub(super) fn without(self, slot: &str) -> Self {
        let intent = self.of.unwrap_or(self.intent);
        let mut left = Self { intent: StaffIntent::Clarify, of: Some(intent), ..self };
        match slot {
            "count" => (left.count, left.delta) = (None, None),
            "time" => (left.time, left.date) = (None, None),
            _ => {}
        }
        if left.missing.iter().all(|known| known != slot) {
            left.missing.push(slot.to_owned());
        }
        left
    }

    /// Returns the wish for an intent of a home with its gaps filled from what the answer to our question names.
    pub(super) fn completed_as(self, intent: &OwnIntent, answer: &BTreeMap<String, Value>) -> Self {
        let Some(mut own) = self.own else { return self };
        for (slot, value) in answer {
            own.slots.entry(slot.clone()).or_insert_with(|| value.clone());
        }
        let missing = asked(intent, &intent.missing(&own.slots));
        let is_open = !missing.is_empty();
        Self {
            own: Some(own),
            missing,
            intent: if is_open { StaffIntent::Clarify } else { StaffIntent::Own },
            of: is_open.then_some(StaffIntent::Own),
            ..self
        }
    }

    /// Returns the wish with its gaps filled from the answer to our question. Once nothing is missing, it is
    /// complete.
    pub(super) fn completed_by(self, answer: &NamedSlots) -> Self {
        let counted = self.count.is_some() || self.delta.is_some();
        let of = self.of.unwrap_or(self.intent);
        let (count, delta) = match answer.count.filter(|_| !counted) {
            None => (self.count, self.delta),
            Some(n) if answer.relative && of == StaffIntent::ReduceTarget => (None, Some(-n)),
            Some(n) if answer.relative => (None, Some(n)),
            Some(n) => (Some(n), None),
        };
        let mut merged = Self {
            role: self.role.or_else(|| answer.roles.first().cloned()),
            count,
            delta,
            time: self.time.or_else(|| answer.time.clone()),
            date: self.date.or_else(|| answer.date.clone()),
            intent: StaffIntent::Clarify,
            of: Some(of),
            ..self
        };
        let is_given = |slot: &String| match slot.as_str() {
            "role" => merged.role.is_some(),
            "count" => merged.count.is_some() || merged.delta.is_some(),
            "time" => {
                merged.time.is_some() || (merged.date.is_some() && of != StaffIntent::FillRole)
            }
            _ => false,
        };
        let missing: Vec<String> =
            merged.missing.iter().filter(|slot| !is_given(slot)).cloned().collect();
        merged.missing = missing;
        if merged.missing.is_empty() {
            (merged.intent, merged.of) = (of, None);
        }
        merged
    }
}

/// Returns the questions about missing slots of an intent of a home.
fn asked(intent: &OwnIntent, missing: &[String]) -> Vec<String> {
    let slots = intent.slots.iter().filter(|slot| missing.contains(&slot.name));
    slots.map(question).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(intent: StaffIntent) -> StaffWish {
        StaffWish::of(intent)
    }

    #[test]
    fn an_answer_fills_the_gaps_and_no_more() {
        let open = StaffWish {
            of: Some(StaffIntent::FillRole),
            role: Some("nursery".to_owned()),
            count: Some(5),
            missing: vec!["time".to_owned()],
            ..wish(StaffIntent::Clarify)
        };
        let nine = NamedSlots {
            time: Some("2025-10-05T09:00:00-05:00".to_owned()),
            count: Some(9),
            ..NamedSlots::default()
        };
        let done = open.clone().completed_by(&nine);
        assert_eq!((done.intent, done.count, done.of), (StaffIntent::FillRole, Some(5), None));
        let still = open.completed_by(&NamedSlots::default());
        assert_eq!((still.intent, still.missing), (StaffIntent::Clarify, vec!["time".to_owned()]));
    }

    #[test]
    fn fewer_in_an_answer_is_a_negative_change() {
        let open = wish(StaffIntent::ReduceTarget).without("count");
        let two = NamedSlots { count: Some(2), relative: true, ..NamedSlots::default() };
        assert_eq!(open.completed_by(&two).delta, Some(-2));
    }

    #[test]
    fn a_stored_wish_is_read_back() {
        let stored = wish(StaffIntent::CancelEvent).without("time");
        let value = serde_json::to_value(&stored).expect("JSON");
        assert_eq!(StaffWish::from_value(&value), Some(stored));
        assert_eq!(StaffWish::from_value(&Value::Null), None);
    }
}
