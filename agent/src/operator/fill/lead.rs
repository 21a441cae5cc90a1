//! A new lead or customer: who it is, and where. These texts are often only a name, a phone and a suburb.

use super::super::tag::Tag;
use super::super::token::Stop;
use super::super::{gazetteer::is_suburb, name::is_function};
use super::{Filled, Filling};

/// Most words of a name, and of a suburb.
const WORDS_MAX: usize = 3;

/// Fills the name and the suburb, as far as marks and places say them.
pub(super) fn fill(filling: &Filling<'_>, filled: &mut Filled) {
    if let Some(name) = named(filling) {
        filled.call.input.insert("name".to_owned(), name.into());
    }
    if let Some(suburb) = suburb(filling) {
        filled.call.input.insert("suburb".to_owned(), suburb.into());
    }
}

/// Returns the name: one that was found, else the words after "lead" up to a mark, a phone or a place.
fn named(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let own = text.names.iter().filter(|it| filling.tokens.contains(&it.tokens.start));
    let first = own.clone().find(|it| !referring(filling, it.tokens.start));
    if let Some(name) = first {
        return Some(name.name.clone());
    }
    let noun = filling.tokens.clone().find(|&at| {
        matches!(
            text.word(at),
            "lead"
                | "newlead"
                | "enquiry"
                | "prospect"
                | "customer"
                | "client"
                | "name"
                | "called"
                | "named"
        )
    })?;
    let mut start = noun + 1;
    while start < filling.tokens.end
        && (is_function(text.word(start))
            || matches!(text.word(start), "ya" | "called" | "named" | "name"))
    {
        start += 1;
    }
    let free = |at: usize| {
        text.tags.get(at) == Some(&Tag::Word)
            && !is_function(text.word(at))
            && text.word(at).starts_with(char::is_alphabetic)
            && !super::super::lexicon::is_known(text.word(at))
    };
    let mut end = start;
    while end < filling.tokens.end && end < start + WORDS_MAX && free(end) {
        end += 1;
        if text.tokens[end - 1].stop >= Stop::Comma {
            break;
        }
    }
    (end > start).then(|| filling.said(start..end)).flatten()
}

/// Whether a name is that of somebody who sent the lead: "referral from Gary".
fn referring(filling: &Filling<'_>, at: usize) -> bool {
    let text = filling.text;
    text.before(at) == "from" && at >= 2 && matches!(text.word(at - 2), "referral" | "referred")
        || text.before(at) == "by"
        || matches!(text.before(at), "neighbours" | "neighbour")
}

/// Returns the suburb: one that was found, else a short part between marks that is nothing else.
fn suburb(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let own = text.places.iter().filter(|it| filling.tokens.contains(&it.tokens.start));
    let named = own
        .clone()
        .find(|it| is_suburb(&it.value.to_lowercase()))
        .or_else(|| own.clone().next_back());
    if let Some(place) = named {
        return Some(place.value.clone());
    }
    let phone = text.phones.iter().rfind(|it| filling.tokens.contains(&it.tokens.start))?;
    let at = |start: usize| {
        let capital =
            text.tokens.get(start).is_some_and(|it| it.capital) && text.tags[start] == Tag::Word;
        let mut end = start;
        while capital
            && end < filling.tokens.end
            && end < start + WORDS_MAX
            && text.tokens[end].capital
        {
            end += 1;
            if text.tokens[end - 1].stop >= Stop::Comma {
                break;
            }
        }
        (end > start).then(|| filling.said(start..end)).flatten()
    };
    at(phone.tokens.end)
}
