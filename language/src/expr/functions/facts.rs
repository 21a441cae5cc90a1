//! Functions that read the database, in the transaction of the step.

use super::{ArgumentType, Body, Function, Gives, maybe, one};

pub(super) const TABLE: &[Function] = &[
    Function {
        name: "pending_for",
        parameters: &[one("role", ArgumentType::Text), one("time", ArgumentType::Instant)],
        gives: Gives::Always(ArgumentType::Offers),
        doc: "the open offers for a role at a time",
        body: Body::Fact,
    },
    Function {
        name: "accepted_for",
        parameters: &[one("role", ArgumentType::Text), one("time", ArgumentType::Instant)],
        gives: Gives::Always(ArgumentType::People),
        doc: "the people who hold an accepted place in a role at a time, in order of acceptance",
        body: Body::Fact,
    },
    Function {
        name: "declined_for",
        parameters: &[one("role", ArgumentType::Text), one("time", ArgumentType::Instant)],
        gives: Gives::Always(ArgumentType::People),
        doc: "the people who declined a role at a time and have not accepted since",
        body: Body::Fact,
    },
    Function {
        name: "silent_for",
        parameters: &[one("role", ArgumentType::Text), one("time", ArgumentType::Instant)],
        gives: Gives::Always(ArgumentType::People),
        doc: "the people with an open offer for a role at a time who have not answered",
        body: Body::Fact,
    },
    Function {
        name: "targets_satisfied",
        parameters: &[one("targets", ArgumentType::Object), maybe("time", ArgumentType::Instant)],
        gives: Gives::Always(ArgumentType::Bool),
        doc: "whether every role has at least as many accepted people as its target",
        body: Body::Fact,
    },
    Function {
        name: "overfill",
        parameters: &[one("role", ArgumentType::Text), one("targets", ArgumentType::Object)],
        gives: Gives::Always(ArgumentType::Number),
        doc: "by how many people the places taken in a role exceed its target; 0 if they do not",
        body: Body::Fact,
    },
    Function {
        name: "latest",
        parameters: &[one("people", ArgumentType::People), one("n", ArgumentType::Number)],
        gives: Gives::Always(ArgumentType::People),
        doc: "the n of these people who accepted last, most recent first",
        body: Body::Fact,
    },
];
