//! Functions that choose between values.

use super::{ArgumentType, Body, Function, Gives, Lazy, many, one};

pub(super) const TABLE: &[Function] = &[
    Function {
        name: "if",
        parameters: &[
            one("condition", ArgumentType::Bool),
            one("then", ArgumentType::Any),
            one("else", ArgumentType::Any),
        ],
        gives: Gives::OneOf(1),
        doc: "`then` if the condition is true, otherwise `else`; the other one is not evaluated",
        body: Body::Lazy(Lazy::If),
    },
    Function {
        name: "default",
        parameters: &[one("value", ArgumentType::Any), one("otherwise", ArgumentType::Any)],
        gives: Gives::OneOf(0),
        doc: "the value, or `otherwise` if it is null",
        body: Body::Lazy(Lazy::FirstKnown),
    },
    Function {
        name: "coalesce",
        parameters: &[many("values", ArgumentType::Any)],
        gives: Gives::OneOf(0),
        doc: "the first value that is not null, or null",
        body: Body::Lazy(Lazy::FirstKnown),
    },
    Function {
        name: "exists",
        parameters: &[one("value", ArgumentType::Any)],
        gives: Gives::Always(ArgumentType::Bool),
        doc: "whether the value is not null",
        body: Body::Pure(|args, _| Ok((!args.take(0).is_null()).into())),
    },
];
