//! Functions on strings.

use crate::base::Value;

use super::super::trouble::{Fuel, Trouble};
use super::super::value::{Json, Typed};
use super::{Args, ArgumentType, Body, Function, Gives, maybe, one};

type Answer<'a> = Result<Typed<'a>, Trouble>;

macro_rules! change {
    ($name:literal, $change:expr, $doc:literal) => {
        Function {
            name: $name,
            parameters: &[one("text", ArgumentType::Text)],
            gives: Gives::Always(ArgumentType::Text),
            doc: $doc,
            body: Body::Pure(|args, fuel| {
                let text = args.text(0)?;
                fuel.spend_text(text.len())?;
                let change: fn(&str) -> String = $change;
                Ok(change(&text).into())
            }),
        }
    };
}

macro_rules! test {
    ($name:literal, $part:literal, $test:expr, $doc:literal) => {
        Function {
            name: $name,
            parameters: &[one("text", ArgumentType::Text), one($part, ArgumentType::Text)],
            gives: Gives::Always(ArgumentType::Bool),
            doc: $doc,
            body: Body::Pure(|args, _| {
                let (text, part) = (args.text(0)?, args.text(1)?);
                let test: fn(&str, &str) -> bool = $test;
                Ok(test(&text, &part).into())
            }),
        }
    };
}

pub(super) const TABLE: &[Function] = &[
    Function {
        name: "str",
        parameters: &[one("of", ArgumentType::Any)],
        gives: Gives::Always(ArgumentType::Text),
        doc: "the value as a text; null becomes an empty text, lists and objects become JSON",
        body: Body::Pure(|args, fuel| as_text(args.take(0), fuel).map(Typed::from)),
    },
    Function {
        name: "join",
        parameters: &[one("items", ArgumentType::List), maybe("separator", ArgumentType::Text)],
        gives: Gives::Always(ArgumentType::Text),
        doc: "the items as one text, separated by `separator` (by default `, `)",
        body: Body::Pure(join),
    },
    Function {
        name: "split",
        parameters: &[one("text", ArgumentType::Text), one("separator", ArgumentType::Text)],
        gives: Gives::Texts,
        doc: "the parts of a text between separators, without surrounding white space",
        body: Body::Pure(split),
    },
    Function {
        name: "replace",
        parameters: &[
            one("text", ArgumentType::Text),
            one("old", ArgumentType::Text),
            one("new", ArgumentType::Text),
        ],
        gives: Gives::Always(ArgumentType::Text),
        doc: "the text with every `old` replaced by `new`",
        body: Body::Pure(replace),
    },
    change!("lower", str::to_lowercase, "the text in lower case"),
    change!("upper", str::to_uppercase, "the text in upper case"),
    change!("trim", |text| text.trim().to_owned(), "the text without surrounding white space"),
    test!(
        "starts_with",
        "start",
        |text, part| text.starts_with(part),
        "whether the text begins with `start`"
    ),
    test!(
        "ends_with",
        "end",
        |text, part| text.ends_with(part),
        "whether the text ends with `end`"
    ),
];

fn as_text(value: Typed<'_>, fuel: &mut Fuel) -> Result<String, Trouble> {
    match value {
        Json(value) => {
            fuel.spend_on(&value)?;
            Ok(match &*value {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            })
        }
        time => Ok(time.into_value().as_str().unwrap_or_default().to_owned()),
    }
}

fn join<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Answer<'a> {
    let items = args.list(0)?;
    let separator = match args.option(1) {
        Some(separator) => as_text(separator, fuel)?,
        None => ", ".to_owned(),
    };
    let mut joined = String::new();
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            fuel.spend_text(separator.len())?;
            joined.push_str(&separator);
        }
        joined.push_str(&as_text(item.into(), fuel)?);
    }
    Ok(joined.into())
}

fn split<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Answer<'a> {
    let (text, separator) = (args.text(0)?, args.text(1)?);
    if separator.is_empty() {
        return Err(Trouble::new("the argument `separator` of `split` must not be empty"));
    }
    fuel.spend(1 + text.len())?;
    let parts = text.split(&*separator).map(|part| Value::from(part.trim()));
    Ok(Value::Array(parts.collect()).into())
}

fn replace<'a>(args: &mut Args<'a>, fuel: &mut Fuel) -> Answer<'a> {
    let (text, old, new) = (args.text(0)?, args.text(1)?, args.text(2)?);
    if old.is_empty() {
        return Err(Trouble::new("the argument `old` of `replace` must not be empty"));
    }
    fuel.spend_text(text.len())?;
    let times = text.matches(&*old).count();
    fuel.spend_text(times.saturating_mul(new.len()))?;
    Ok(text.replace(&*old, &new).into())
}
