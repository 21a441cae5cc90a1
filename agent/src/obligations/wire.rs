//! The wire format of obligations: what a translator hands to the conductor.

use abide_language::base::Value;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::words;

/// The JSON Schema of [`Obligations`].
pub const SCHEMA: &str = include_str!("../../../contracts/obligations.schema.json");

/// What a `VERIFY` and a `JUSTIFY` name to mean the answer that was given last.
pub const LAST_ANSWER: &str = "last_answer";

words! {
    /// What an obligation binds the agent to.
    pub enum ObligationType {
        /// Answer a question.
        Report = "REPORT",
        /// Bring about a state, once.
        Achieve = "ACHIEVE",
        /// Keep a predicate true.
        Maintain = "MAINTAIN",
        /// Keep a predicate from becoming true.
        Avoid = "AVOID",
        /// Give the reason for a claim.
        Justify = "JUSTIFY",
        /// Let an event take place at a time.
        Schedule = "SCHEDULE",
        /// Ask for a value that is missing.
        Clarify = "CLARIFY",
        /// Check an answer before it leaves.
        Verify = "VERIFY",
    }
}

/// One obligation: its type, and what it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obligation {
    /// What it binds the agent to.
    #[serde(rename = "type")]
    pub obligation_type: ObligationType,
    /// What it is about. Its member `kind` says which further members it has.
    pub payload: Map<String, Value>,
}

/// Several obligations: the document that a translator writes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obligations {
    /// The obligations, in the order of the text.
    pub obligations: Vec<Obligation>,
}

/// A payload that is written in JSON and named by its kind.
///
/// Each operation has its own payload, which it reads from an obligation and which the translator writes into one.
pub(crate) trait Payload: Serialize + DeserializeOwned {
    /// The kind of the payload.
    const KIND: &'static str;
}

impl Obligation {
    /// Builds an obligation from the members of its payload. Values other than an object count as no members.
    #[must_use]
    pub fn new(obligation_type: ObligationType, kind: &str, members: Value) -> Self {
        let mut payload = Map::new();
        payload.insert("kind".to_owned(), kind.into());
        if let Value::Object(members) = members {
            payload.extend(members);
        }
        Self { obligation_type, payload }
    }

    /// Builds a `REPORT` of a payload.
    pub(crate) fn report<P: Payload>(payload: &P) -> Self {
        let members = serde_json::to_value(payload).unwrap_or_default();
        Self::new(ObligationType::Report, P::KIND, members)
    }

    /// Builds a `CLARIFY` of a slot: what must be known before something else can be done.
    #[must_use]
    pub fn clarify(slot: &str) -> Self {
        Self::new(ObligationType::Clarify, "slot", serde_json::json!({ "slot": slot }))
    }

    /// Builds a `JUSTIFY` of a claim.
    #[must_use]
    pub fn justify(claim: &str) -> Self {
        Self::new(ObligationType::Justify, "claim", serde_json::json!({ "claim": claim }))
    }

    /// Builds the `VERIFY` of the last answer.
    #[must_use]
    pub fn verify() -> Self {
        let members = serde_json::json!({ "target": LAST_ANSWER });
        Self::new(ObligationType::Verify, LAST_ANSWER, members)
    }

    /// Builds a `MAINTAIN`, `AVOID` or `ACHIEVE` of a predicate with its arguments.
    #[must_use]
    pub fn of_predicate(obligation_type: ObligationType, pred: &str, args: Value) -> Self {
        let members = serde_json::json!({ "pred": pred, "args": args });
        Self::new(obligation_type, pred, members)
    }

    /// Returns the kind of the payload. A payload without `kind` has the kind of its predicate, its target, or
    /// the member that it needs.
    #[must_use]
    pub fn kind(&self) -> &str {
        let text = |name: &str| self.payload.get(name).and_then(Value::as_str);
        let named = ["kind", "pred", "target"].into_iter().find_map(text);
        named
            .or_else(|| ["slot", "claim"].into_iter().find(|name| text(name).is_some()))
            .unwrap_or_default()
    }

    /// Reads the payload of an operation; `None` if the obligation is of another kind or lacks a member.
    pub(crate) fn read<P: Payload>(&self) -> Option<P> {
        (self.kind() == P::KIND)
            .then(|| serde_json::from_value(Value::Object(self.payload.clone())).ok())
            .flatten()
    }

    /// Returns a text of the payload.
    #[must_use]
    pub fn text(&self, member: &str) -> Option<&str> {
        self.payload.get(member).and_then(Value::as_str)
    }

    /// Whether it is of this type.
    #[must_use]
    pub fn is(&self, obligation_type: ObligationType) -> bool {
        self.obligation_type == obligation_type
    }
}

#[cfg(test)]
mod tests {
    use abide_language::contract::Schema;
    use serde_json::json;

    use super::*;

    fn schema() -> Schema {
        Schema::compile(serde_json::from_str(SCHEMA).expect("JSON")).expect("a schema")
    }

    #[test]
    fn the_examples_of_the_wire_format_are_read_and_written_as_they_are() {
        let document = json!({ "obligations": [
            { "type": "REPORT", "payload": { "kind": "math", "expr": "2+2" } },
            { "type": "VERIFY", "payload": { "target": "last_answer" } },
            { "type": "REPORT", "payload": { "kind": "status", "field": "name" } },
            { "type": "REPORT", "payload": {
                "kind": "query.people", "filters": [{ "is_friend": "user" }, { "city": "Seattle" }] } },
            { "type": "MAINTAIN", "payload": { "pred": "ball.within_radius", "args": { "r": 0.1 } } },
        ]});
        assert_eq!(schema().check(&document), Ok(()));
        let read: Obligations = serde_json::from_value(document.clone()).expect("obligations");
        let kinds: Vec<&str> = read.obligations.iter().map(Obligation::kind).collect();
        let expected = ["math", "last_answer", "status", "query.people", "ball.within_radius"];
        assert_eq!(kinds, expected);
        assert_eq!(serde_json::to_value(&read).expect("JSON"), document);
    }

    #[test]
    fn the_schema_refuses_what_nobody_can_satisfy() {
        let bad = [
            json!({ "type": "GUESS", "payload": { "kind": "math", "expr": "1" } }),
            json!({ "type": "REPORT", "payload": { "kind": "weather" } }),
            json!({ "type": "REPORT", "payload": { "kind": "math" } }),
            json!({ "type": "REPORT", "payload": { "kind": "math", "expr": "" } }),
            json!({ "type": "REPORT", "payload": { "kind": "count", "text": "pear", "letter": "ear ring" } }),
            json!({ "type": "REPORT", "payload": { "kind": "query.people", "filters": [{ "age": 4 }] } }),
            json!({ "type": "MAINTAIN", "payload": { "pred": "The Ball!", "args": {} } }),
            json!({ "type": "SCHEDULE", "payload": { "kind": "schedule" } }),
            json!({ "type": "CLARIFY", "payload": { "kind": "slot" } }),
            json!({ "type": "VERIFY", "payload": { "target": "everything" } }),
            json!({ "type": "REPORT", "answer": "4" }),
        ];
        for obligation in bad {
            let document = json!({ "obligations": [obligation] });
            assert!(schema().check(&document).is_err(), "{document}");
        }
    }

    #[test]
    fn what_is_built_here_is_in_the_schema() {
        let built = Obligations {
            obligations: vec![
                Obligation::clarify("city"),
                Obligation::justify("division by zero"),
                Obligation::verify(),
                Obligation::of_predicate(ObligationType::Avoid, "ball.touch_wall", json!({})),
            ],
        };
        assert_eq!(schema().check(&serde_json::to_value(&built).expect("JSON")), Ok(()));
    }
}
