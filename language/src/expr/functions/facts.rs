//! Functions that read the database, in the transaction of the step that asks.

use super::{Body, Function, Gives, Kind, maybe, one};

pub(super) const TABLE: &[Function] = &[
    Function {
        name: "pending_for",
        parameters: &[one("role", Kind::Text), one("time", Kind::Instant)],
        gives: Gives::Kind(Kind::Offers),
        doc: "the open offers for a role at a time",
        body: Body::Fact,
    },
    Function {
        name: "accepted_for",
        parameters: &[one("role", Kind::Text), one("time", Kind::Instant)],
        gives: Gives::Kind(Kind::People),
        doc: "who holds an accepted place in a role at a time, in order of acceptance",
        body: Body::Fact,
    },
    Function {
        name: "declined_for",
        parameters: &[one("role", Kind::Text), one("time", Kind::Instant)],
        gives: Gives::Kind(Kind::People),
        doc: "who said no to a role at a time and has not said yes since",
        body: Body::Fact,
    },
    Function {
        name: "silent_for",
        parameters: &[one("role", Kind::Text), one("time", Kind::Instant)],
        gives: Gives::Kind(Kind::People),
        doc: "who has an open offer of a role at a time and has not answered",
        body: Body::Fact,
    },
    Function {
        name: "targets_satisfied",
        parameters: &[one("targets", Kind::Object), maybe("time", Kind::Instant)],
        gives: Gives::Kind(Kind::Bool),
        doc: "true where every role has as many accepted people as its target says",
        body: Body::Fact,
    },
    Function {
        name: "overfill",
        parameters: &[one("role", Kind::Text), one("targets", Kind::Object)],
        gives: Gives::Kind(Kind::Number),
        doc: "how many more people hold a place in a role than its target allows",
        body: Body::Fact,
    },
    Function {
        name: "latest",
        parameters: &[one("people", Kind::People), one("n", Kind::Number)],
        gives: Gives::Kind(Kind::People),
        doc: "the n of these people who accepted last, the latest first",
        body: Body::Fact,
    },
];
