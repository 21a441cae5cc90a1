//! What a text names, whatever it asks for. An answer to one of our questions is read so: "5", "the 9am one".

use jiff::Zoned;

use super::amount::Sense;
use super::sense::qualify;
use super::token::tokens;
use super::{correction, when};
use crate::church::ChurchWords;

/// What a text of staff names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedSlots {
    /// The stored names of the roles, each once, in the sequence of the text.
    pub roles: Vec<String>,
    /// The number of people.
    pub count: Option<i64>,
    /// Whether that number says how many more or fewer.
    pub relative: bool,
    /// The time of a service (RFC 3339).
    pub time: Option<String>,
    /// The day, if the text names no service of that day.
    pub date: Option<String>,
}

/// Finds what a text names.
#[must_use]
pub fn slots(text: &str, now: &Zoned, church: &ChurchWords) -> NamedSlots {
    let mut all = tokens(text, now, church);
    correction::apply(&mut all, church);
    qualify(&mut all);
    let mut roles: Vec<String> = Vec::new();
    for role in all.iter().filter_map(|token| token.role()) {
        if roles.iter().all(|known| known != role) {
            roles.push(role.to_owned());
        }
    }
    let said: Vec<_> = all.iter().filter_map(|token| token.time().cloned()).collect();
    let mut meant = when::resolve(&when::together(&said), now, church).into_iter();
    let when = meant.next().filter(|_| meant.next().is_none()).unwrap_or_default();
    let mut amounts = all.iter().filter_map(|token| token.amount());
    let amount = amounts.find(|amount| {
        matches!(amount.sense, Sense::Total | Sense::More | Sense::Fewer | Sense::By)
    });
    NamedSlots {
        roles,
        count: amount.map(|amount| amount.n),
        relative: amount.is_some_and(|amount| amount.sense != Sense::Total),
        time: when.time,
        date: when.date,
    }
}
