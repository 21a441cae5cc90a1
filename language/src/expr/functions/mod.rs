//! The functions of the expression language, in one table
//! that the checker, the evaluator and the reference page share.

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

use super::ast::{Expr, ExprKind};
use super::trouble::{Fuel, Trouble};
use super::types::Type;
use super::value::Typed;

/// A function of the expression language.
pub struct Function {
    /// The name of the function.
    pub name: &'static str,
    /// The parameters. In `x.name(…)`, the first parameter gets `x` as its argument.
    pub parameters: &'static [Parameter],
    /// The type of the result.
    pub gives: Gives,
    /// The description of the result, for the reference page.
    pub doc: &'static str,
    pub(super) body: Body,
}

/// A parameter of a function.
pub struct Parameter {
    /// The name of the parameter, as used by named arguments.
    pub name: &'static str,
    /// The values that the parameter accepts.
    pub kind: ArgumentType,
    /// How many arguments the parameter takes.
    pub times: Times,
}

/// How many arguments a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// Exactly one.
    Once,
    /// One or none.
    Optional,
    /// One or more. Only the last parameter of a function can be repeated.
    Repeated,
}

/// The values that a parameter accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentType {
    /// Any value.
    Any,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    Text,
    /// An instant, or a string that represents an instant.
    Instant,
    /// A duration, or a string that represents a duration.
    Duration,
    /// A list; null counts as an empty list.
    List,
    /// A list of people.
    People,
    /// An object.
    Object,
    /// Open offers.
    Offers,
    /// A value with a length: a list, a string, an object, or offers.
    Countable,
}

/// The type of a function's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// A value of this type, whatever the arguments are.
    Always(ArgumentType),
    /// A list of strings.
    Texts,
    /// A list of numbers.
    Numbers,
    /// A list with the same type of items as the first argument, which is a list.
    First,
    /// A value with the type of the items of the first argument, which is a list; or null.
    Item,
    /// One of the arguments from this index on. If the index is 0 and the only
    /// argument is a list, the result is one of the items of the list instead.
    OneOf(usize),
}

/// How a function computes its result.
pub(super) enum Body {
    /// The function computes its result from its arguments alone.
    Pure(for<'a> fn(&mut Args<'a>, &mut Fuel) -> Result<Typed<'a>, Trouble>),
    /// The function evaluates only those of its arguments that it needs.
    Lazy(Lazy),
    /// The function reads its result from the database, through the scope.
    Fact,
}

/// The functions that evaluate only the arguments that they need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lazy {
    /// The function `if(condition, then, else)`.
    If,
    /// The functions `default` and `coalesce`, which return their first argument that is not `null`.
    FirstKnown,
}

/// All functions, grouped by topic.
static TOPICS: [&[Function]; 7] = [
    choices::TABLE,
    lists::TABLE,
    objects::TABLE,
    numbers::TABLE,
    texts::TABLE,
    times::TABLE,
    facts::TABLE,
];

/// Returns all functions, grouped by topic.
pub fn all() -> impl Iterator<Item = &'static Function> {
    TOPICS.into_iter().flatten()
}

/// Returns the function with the name `name`; `None` if there is none.
#[must_use]
pub fn find(name: &str) -> Option<&'static Function> {
    all().find(|function| function.name == name)
}

/// Whether an expression calls a function that reads the database.
#[must_use]
pub fn facts(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |inner| {
        if let ExprKind::Call { name, .. } = &inner.kind {
            found |= find(name).is_some_and(|function| function.is_fact());
        }
    });
    found
}

impl Function {
    /// Whether the function reads the database, in the transaction of the step.
    #[must_use]
    pub fn is_fact(&self) -> bool {
        matches!(self.body, Body::Fact)
    }

    /// Returns the signature, such as `take(items: list, n: number) -> list`.
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

impl ArgumentType {
    /// Returns the name of the type, as the signatures of functions show it.
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

    /// Describes the accepted values, for an error message.
    #[must_use]
    pub fn wanted(self) -> String {
        match self {
            Self::Countable => "a value with a length".to_owned(),
            _ => self.as_type().to_string(),
        }
    }

    /// Returns the type of the accepted values, for the checker.
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

    /// Whether the parameter accepts a value of the type `given`.
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
    /// Returns the name of the result type, as the signatures of functions show it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Always(kind) => kind.name(),
            Self::Texts => "list of text",
            Self::Numbers => "list of number",
            Self::First => "list",
            Self::Item | Self::OneOf(_) => "any",
        }
    }

    /// Returns the type of the result for arguments of the given types, in order.
    #[must_use]
    pub fn of(self, given: &[Type]) -> Type {
        let item = |of: Option<&Type>| match of {
            Some(Type::List(item)) => (**item).clone(),
            _ => Type::Any,
        };
        match self {
            Self::Always(kind) => kind.as_type(),
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

/// Creates a parameter that takes exactly one argument.
const fn one(name: &'static str, kind: ArgumentType) -> Parameter {
    Parameter { name, kind, times: Times::Once }
}

/// Creates a parameter that takes one argument or none.
const fn maybe(name: &'static str, kind: ArgumentType) -> Parameter {
    Parameter { name, kind, times: Times::Optional }
}

/// Creates a parameter that takes one argument or more.
const fn many(name: &'static str, kind: ArgumentType) -> Parameter {
    Parameter { name, kind, times: Times::Repeated }
}
