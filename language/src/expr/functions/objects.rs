//! Functions on objects.

use crate::base::Value;

use super::super::trouble::{Fuel, Trouble};
use super::super::value::{Json, Typed};
use super::{Args, ArgumentType, Body, Function, Gives, maybe, one};

pub(super) const TABLE: &[Function] = &[
    Function {
        name: "keys",
        parameters: &[one("of", ArgumentType::Object)],
        gives: Gives::Texts,
        doc: "the names of the members, in alphabetical order",
        body: Body::Pure(|args, fuel| members(args, fuel, |name, _| name.into())),
    },
    Function {
        name: "values",
        parameters: &[one("of", ArgumentType::Object)],
        gives: Gives::Always(ArgumentType::List),
        doc: "the values of the members, in alphabetical order of their names",
        body: Body::Pure(|args, fuel| members(args, fuel, |_, value| value.clone())),
    },
    Function {
        name: "get",
        parameters: &[
            one("of", ArgumentType::Object),
            one("name", ArgumentType::Text),
            maybe("otherwise", ArgumentType::Any),
        ],
        gives: Gives::Always(ArgumentType::Any),
        doc: "the member named `name`, or `otherwise` if it is missing or null",
        body: Body::Pure(get),
    },
];

fn members<'a>(
    args: &mut Args<'a>,
    fuel: &mut Fuel,
    part: fn(&str, &Value) -> Value,
) -> Result<Typed<'a>, Trouble> {
    let of = object(args)?;
    fuel.spend_on(&of)?;
    let members = of.as_object().into_iter().flatten();
    Ok(Value::Array(members.map(|(name, value)| part(name, value)).collect()).into())
}

fn get<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Result<Typed<'a>, Trouble> {
    let (of, name) = (object(args)?, args.text(1)?);
    match of.get(&*name).filter(|value| !value.is_null()) {
        Some(value) => {
            fuel.spend_on(value)?;
            Ok(value.clone().into())
        }
        None => Ok(args.take(2)),
    }
}

/// Takes the first argument as an object. Null counts as an object without members.
fn object<'a>(args: &mut Args<'a>) -> Result<std::borrow::Cow<'a, Value>, Trouble> {
    match args.take(0) {
        Json(value) if value.is_object() || value.is_null() => Ok(value),
        other => Err(args.unlike(0, "an object", &other)),
    }
}
