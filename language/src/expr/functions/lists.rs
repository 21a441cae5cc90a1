//! Functions on lists. No function takes quadratic time, because items are looked up in sets by [`Key`].

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::base::Value;

use super::super::number::Num;
use super::super::trouble::{Fuel, Trouble};
use super::super::value::{Json, Key, Typed, equal, order};
use super::{Args, ArgumentType, Body, Function, Gives, maybe, one};

type Answer<'a> = Result<Typed<'a>, Trouble>;

macro_rules! set_function {
    ($name:literal, $body:ident, $doc:literal) => {
        Function {
            name: $name,
            parameters: &[one("items", ArgumentType::List), one("others", ArgumentType::List)],
            gives: Gives::First,
            doc: $doc,
            body: Body::Pure($body),
        }
    };
}

pub(super) const TABLE: &[Function] = &[
    Function {
        name: "len",
        parameters: &[one("of", ArgumentType::Countable)],
        gives: Gives::Always(ArgumentType::Number),
        doc: "the number of items, characters, members or offers; 0 for null",
        body: Body::Pure(len),
    },
    set_function!("minus", minus, "the items that are not among the others"),
    set_function!("plus", plus, "the items followed by the others; duplicates are kept"),
    set_function!(
        "union",
        union,
        "the items of both lists without duplicates, in order of appearance"
    ),
    set_function!("intersect", intersect, "the items that are also among the others"),
    Function {
        name: "contains",
        parameters: &[one("of", ArgumentType::Countable), one("item", ArgumentType::Any)],
        gives: Gives::Always(ArgumentType::Bool),
        doc: "whether a list has the item, a text the part, or an object the member",
        body: Body::Pure(|args, fuel| {
            let (of, item) = (args.take(0), args.take(1));
            contains(&of, &item, fuel).map(Typed::from)
        }),
    },
    Function {
        name: "first",
        parameters: &[one("items", ArgumentType::List)],
        gives: Gives::Item,
        doc: "the first item, or null",
        body: Body::Pure(|args, fuel| pick(args.list(0)?, <[Value]>::first, fuel)),
    },
    Function {
        name: "last",
        parameters: &[one("items", ArgumentType::List)],
        gives: Gives::Item,
        doc: "the last item, or null",
        body: Body::Pure(|args, fuel| pick(args.list(0)?, <[Value]>::last, fuel)),
    },
    Function {
        name: "take",
        parameters: &[one("items", ArgumentType::List), one("n", ArgumentType::Number)],
        gives: Gives::First,
        doc: "the first n items, or all if there are fewer",
        body: Body::Pure(|args, fuel| {
            let (items, n) = (args.list(0)?, args.count(1)?);
            kept(items.iter().take(n), fuel)
        }),
    },
    Function {
        name: "skip",
        parameters: &[one("items", ArgumentType::List), one("n", ArgumentType::Number)],
        gives: Gives::First,
        doc: "the items after the first n",
        body: Body::Pure(|args, fuel| {
            let (items, n) = (args.list(0)?, args.count(1)?);
            kept(items.iter().skip(n), fuel)
        }),
    },
    Function {
        name: "reverse",
        parameters: &[one("items", ArgumentType::List)],
        gives: Gives::First,
        doc: "the items in reverse order",
        body: Body::Pure(|args, fuel| kept(args.list(0)?.iter().rev(), fuel)),
    },
    Function {
        name: "distinct",
        parameters: &[one("items", ArgumentType::List)],
        gives: Gives::First,
        doc: "the items without duplicates, in order of appearance",
        body: Body::Pure(|args, fuel| distinct(args.list(0)?.iter(), fuel)),
    },
    Function {
        name: "sort",
        parameters: &[one("items", ArgumentType::List), maybe("by", ArgumentType::Text)],
        gives: Gives::First,
        doc: "the items in ascending order, by their value or by a member; equal items keep their order",
        body: Body::Pure(sort),
    },
    Function {
        name: "pluck",
        parameters: &[one("items", ArgumentType::List), one("member", ArgumentType::Text)],
        gives: Gives::Always(ArgumentType::List),
        doc: "the member named `member` of every item; null for an item without it",
        body: Body::Pure(pluck),
    },
    Function {
        name: "where",
        parameters: &[
            one("items", ArgumentType::List),
            one("member", ArgumentType::Text),
            one("is", ArgumentType::Any),
        ],
        gives: Gives::First,
        doc: "the items whose member named `member` has the value `is`",
        body: Body::Pure(having),
    },
];

fn len<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Answer<'a> {
    let of = args.take(0);
    let count = match &of {
        Json(value) => match &**value {
            Value::Null => 0,
            Value::Array(items) => items.len(),
            Value::String(text) => {
                fuel.spend_text(text.len())?;
                text.chars().count()
            }
            offers @ Value::Object(members) => match offers["count"].as_u64() {
                Some(count) if is_offers(offers) => usize::try_from(count).unwrap_or(usize::MAX),
                _ => members.len(),
            },
            _ => return Err(args.unlike(0, "a value with a length", &of)),
        },
        _ => return Err(args.unlike(0, "a value with a length", &of)),
    };
    Ok(Num::Whole(i64::try_from(count).unwrap_or(i64::MAX)).into())
}

/// Whether a value has the form of open offers: an object with `request`, `role` and `wave`.
fn is_offers(value: &Value) -> bool {
    ["request", "role", "wave"].iter().all(|member| value.get(member).is_some())
}

fn minus<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Answer<'a> {
    let (items, others) = (args.list(0)?, args.list(1)?);
    let others = keys(&others, fuel)?;
    filter(&items, fuel, |key| !others.contains(key))
}

fn intersect<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Answer<'a> {
    let (items, others) = (args.list(0)?, args.list(1)?);
    let others = keys(&others, fuel)?;
    filter(&items, fuel, |key| others.contains(key))
}

fn plus<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Answer<'a> {
    let (items, others) = (args.list(0)?, args.list(1)?);
    kept(items.iter().chain(&*others), fuel)
}

fn union<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Answer<'a> {
    let (items, others) = (args.list(0)?, args.list(1)?);
    distinct(items.iter().chain(&*others), fuel)
}

/// Whether a list contains the item, a string contains the substring, or an object has the member.
/// The operator `in` calls this function.
pub(in crate::expr) fn contains(
    of: &Typed<'_>,
    item: &Typed<'_>,
    fuel: &mut Fuel,
) -> Result<bool, Trouble> {
    let none = || {
        Trouble::new(format!("{} cannot be searched for this value", of.describe())).with_hint(
            "search a list for an item, a text for a part of it, or an object for a member name",
        )
    };
    let Json(of) = of else { return Err(none()) };
    match (&**of, item) {
        (Value::Null, _) => Ok(false),
        (Value::Array(items), _) => {
            for candidate in items {
                fuel.spend_on(candidate)?;
                if equal(&candidate.into(), item)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        (Value::String(text), Json(part)) if part.is_string() => {
            fuel.spend_text(text.len())?;
            Ok(text.contains(part.as_str().unwrap_or_default()))
        }
        (Value::Object(members), Json(name)) if name.is_string() => {
            Ok(members.contains_key(name.as_str().unwrap_or_default()))
        }
        _ => Err(none()),
    }
}

fn pick<'a>(
    items: Cow<'a, [Value]>,
    which: impl for<'v> Fn(&'v [Value]) -> Option<&'v Value>,
    fuel: &mut Fuel,
) -> Answer<'a> {
    match items {
        Cow::Borrowed(items) => Ok(which(items).map_or(Value::Null.into(), Typed::from)),
        Cow::Owned(items) => {
            let item = which(&items).unwrap_or(&Value::Null);
            fuel.spend_on(item)?;
            Ok(item.clone().into())
        }
    }
}

fn sort<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Answer<'a> {
    let items = args.list(0)?;
    let by = args.option(1).map(Typed::into_value);
    let by = by.as_ref().and_then(Value::as_str);
    let mut keyed = Vec::with_capacity(items.len());
    for item in &*items {
        fuel.spend_on(item)?;
        keyed.push((Typed::from(by.map_or(item, |name| member(item, name))), item));
    }
    fuel.spend(items.len().saturating_mul(items.len().checked_ilog2().unwrap_or(0) as usize))?;
    let mut trouble = None;
    keyed.sort_by(|(a, _), (b, _)| {
        order(a, b).unwrap_or_else(|unlike| {
            trouble.get_or_insert(unlike);
            std::cmp::Ordering::Equal
        })
    });
    match trouble {
        Some(trouble) => Err(trouble),
        None => Ok(Value::Array(keyed.into_iter().map(|(_, item)| item.clone()).collect()).into()),
    }
}

fn pluck<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Answer<'a> {
    let (items, name) = (args.list(0)?, args.text(1)?);
    kept(items.iter().map(|item| member(item, &name)), fuel)
}

fn having<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Answer<'a> {
    let (items, name, wanted) = (args.list(0)?, args.text(1)?, args.take(2));
    let mut found = Vec::new();
    for item in &*items {
        fuel.spend_on(item)?;
        if equal(&member(item, &name).into(), &wanted)? {
            found.push(item.clone());
        }
    }
    Ok(Value::Array(found).into())
}

fn member<'v>(item: &'v Value, name: &str) -> &'v Value {
    item.get(name).unwrap_or(&Value::Null)
}

fn keys<'v>(items: &'v [Value], fuel: &mut Fuel) -> Result<BTreeSet<Key<'v>>, Trouble> {
    let mut keys = BTreeSet::new();
    for item in items {
        fuel.spend_on(item)?;
        keys.insert(Key::of(item)?);
    }
    Ok(keys)
}

fn filter<'a>(items: &[Value], fuel: &mut Fuel, keep: impl Fn(&Key<'_>) -> bool) -> Answer<'a> {
    let mut kept = Vec::new();
    for item in items {
        fuel.spend_on(item)?;
        if keep(&Key::of(item)?) {
            kept.push(item.clone());
        }
    }
    Ok(Value::Array(kept).into())
}

fn distinct<'a, 'v>(items: impl Iterator<Item = &'v Value>, fuel: &mut Fuel) -> Answer<'a> {
    let (mut seen, mut kept) = (BTreeSet::new(), Vec::new());
    for item in items {
        fuel.spend_on(item)?;
        if seen.insert(Key::of(item)?) {
            kept.push(item.clone());
        }
    }
    Ok(Value::Array(kept).into())
}

fn kept<'a, 'v>(items: impl Iterator<Item = &'v Value>, fuel: &mut Fuel) -> Answer<'a> {
    let mut kept = Vec::new();
    for item in items {
        fuel.spend_on(item)?;
        kept.push(item.clone());
    }
    Ok(Value::Array(kept).into())
}
