//! The functions of the language: one table, from which the checker, the evaluator and the
//! reference are made.

mod args;
mod bind;
mod choices;
mod facts;
mod lists;
mod numbers;
mod objects;
mod texts;
mod times;

pub(super) use args::Args;
pub(super) use bind::{Bound, bind};
pub(super) use lists::contains;

use super::trouble::{Fuel, Trouble};
use super::types::Type;
use super::value::Typed;

/// A function of the language.
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// What it takes; what stands before the point of a method call comes first.
    pub parameters: &'static [Parameter],
    /// What it gives.
    pub gives: Gives,
    /// One sentence for the reference.
    pub doc: &'static str,
    pub(super) body: Body,
}

/// A parameter of a function.
pub struct Parameter {
    /// Its name, by which it may be given.
    pub name: &'static str,
    /// What may be given.
    pub kind: Kind,
    /// How often.
    pub times: Times,
}

/// How often an argument is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// Once.
    Once,
    /// Once or not at all.
    Optional,
    /// Once or more often; only the last parameter.
    Repeated,
}

/// What an argument may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Anything.
    Any,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A text.
    Text,
    /// An instant, or its text.
    Instant,
    /// A duration, or its text.
    Duration,
    /// A list; nothing counts as an empty one.
    List,
    /// A list of people.
    People,
    /// An object.
    Object,
    /// Open offers.
    Offers,
    /// What has a length: a list, a text, an object, offers.
    Countable,
}

/// What a function gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// Always this.
    Kind(Kind),
    /// A list of texts.
    Texts,
    /// A list of numbers.
    Numbers,
    /// A list like the first argument.
    First,
    /// An item of the first argument, or nothing.
    Item,
    /// One of the arguments from this position on; of a single list, one of its items.
    OneOf(usize),
}

/// How a function comes to its result.
pub(super) enum Body {
    /// From its arguments alone.
    Pure(for<'a> fn(&mut Args<'a>, &mut Fuel) -> Result<Typed<'a>, Trouble>),
    /// From as many of its arguments as it needs.
    Lazy(Lazy),
    /// From the database.
    Fact,
}

/// The functions that leave arguments alone which do not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lazy {
    /// `if(condition, then, else)`
    If,
    /// The first argument that is not `null`.
    FirstKnown,
}

/// The table, by topic.
static TOPICS: [&[Function]; 7] = [
    choices::TABLE,
    lists::TABLE,
    objects::TABLE,
    numbers::TABLE,
    texts::TABLE,
    times::TABLE,
    facts::TABLE,
];

/// Every function, by topic.
pub fn all() -> impl Iterator<Item = &'static Function> {
    TOPICS.into_iter().flatten()
}

/// The function of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Function> {
    all().find(|function| function.name == name)
}

impl Function {
    /// True where it reads the database, in the transaction of the step that asks.
    #[must_use]
    pub fn is_fact(&self) -> bool {
        matches!(self.body, Body::Fact)
    }

    /// How it is written: `take(items: list, n: number) -> list`.
    #[must_use]
    pub fn signature(&self) -> String {
        let parameter = |p: &Parameter| match p.times {
            Times::Once => format!("{}: {}", p.name, p.kind.name()),
            Times::Optional => format!("{}?: {}", p.name, p.kind.name()),
            Times::Repeated => format!("{}: {}, …", p.name, p.kind.name()),
        };
        let parameters: Vec<String> = self.parameters.iter().map(parameter).collect();
        format!("{}({}) -> {}", self.name, parameters.join(", "), self.gives.name())
    }
}

impl Kind {
    /// In a signature.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Bool => "bool",
            Self::Number => "number",
            Self::Text => "text",
            Self::Instant => "instant",
            Self::Duration => "duration",
            Self::List => "list",
            Self::People => "people",
            Self::Object => "object",
            Self::Offers => "offers",
            Self::Countable => "list | text | object | offers",
        }
    }

    /// In a sentence.
    #[must_use]
    pub fn wanted(self) -> String {
        match self {
            Self::Countable => "something with a length".to_owned(),
            _ => self.as_type().to_string(),
        }
    }

    /// The type of such a value.
    #[must_use]
    pub fn as_type(self) -> Type {
        match self {
            Self::Any | Self::Countable => Type::Any,
            Self::Bool => Type::Bool,
            Self::Number => Type::Number,
            Self::Text => Type::Text,
            Self::Instant => Type::Instant,
            Self::Duration => Type::Duration,
            Self::List => Type::list(Type::Any),
            Self::People => Type::list(Type::Person),
            Self::Object => Type::object(),
            Self::Offers => Type::Offers,
        }
    }

    /// True where a value of that type may be given.
    #[must_use]
    pub fn admits(self, given: &Type) -> bool {
        match self {
            Self::Countable => {
                !matches!(given, Type::Bool | Type::Number | Type::Instant | Type::Duration)
            }
            _ => self.as_type().accepts(given),
        }
    }
}

impl Gives {
    /// In a signature.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kind(kind) => kind.name(),
            Self::Texts => "list of text",
            Self::Numbers => "list of number",
            Self::First => "list",
            Self::Item | Self::OneOf(_) => "any",
        }
    }

    /// The type of the result, given the types of the arguments in order.
    #[must_use]
    pub fn of(self, given: &[Type]) -> Type {
        let item = |of: Option<&Type>| match of {
            Some(Type::List(item)) => (**item).clone(),
            _ => Type::Any,
        };
        match self {
            Self::Kind(kind) => kind.as_type(),
            Self::Texts => Type::list(Type::Text),
            Self::Numbers => Type::list(Type::Number),
            Self::First => Type::list(item(given.first())),
            Self::Item => item(given.first()),
            Self::OneOf(from) => match given.get(from..).unwrap_or_default() {
                [list @ Type::List(_)] if from == 0 => item(Some(list)),
                some => some.iter().cloned().reduce(Type::or).unwrap_or(Type::Any),
            },
        }
    }
}

/// A parameter that is given once.
const fn one(name: &'static str, kind: Kind) -> Parameter {
    Parameter { name, kind, times: Times::Once }
}

/// A parameter that may be left out.
const fn maybe(name: &'static str, kind: Kind) -> Parameter {
    Parameter { name, kind, times: Times::Optional }
}

/// A parameter that is given once or more often.
const fn many(name: &'static str, kind: Kind) -> Parameter {
    Parameter { name, kind, times: Times::Repeated }
}
