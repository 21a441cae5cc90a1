//! Reads one condition on people: a city, a role, a name, or that somebody is a friend.

use strsim::osa_distance;

use crate::obligations::people::{PeopleFilter, folded, singular};
use crate::obligations::read::clause::Clause;
use crate::obligations::read::context::DirectoryWords;

/// Words for friends.
const FRIENDS: &str = "my friends|my friend|friends of mine|friend of mine|friends with me|a friend of mine|\
    friends|friend|a friend|my buddies|buddies|my pals|pals|my mates|mates|a buddy of mine|a pal of mine|\
    my buddy|my pal|a mate of mine|mine as friends|friends of ours|mis amigos|amigos mios|amigos|mi amigo|\
    mi amiga";
/// Words before a city.
const IN: &str = "in|from|near|around|living in|lives in|live in|based in|located in|who live in|over in|\
    out in|down in|up in|residing in|at|within|inside|en";
/// Words before a role.
const ROLE_AT: &str = "on|in|for|with|at|serving in|serve in|serves in|serving on|serve on|serves on|\
    who serve in|doing|do|does|on the|in the|at the|for the|works|working|work in|works in|helping in|\
    help in|helps in|part of|part of the|members of|member of|a|an|the|as|as a|as an|members of the|\
    assigned to|signed up for|run|runs|play|plays|helping with|help with|helps with";
/// Words after a role that belong to it.
const TEAM: &str = "team|teams|crew|folks|people|ministry|volunteers|volunteer|members|member|helpers|helper|\
    workers|worker|group|staff|guys|person|duty|role|servers|leaders|room|squad|roster";
/// Words that begin the names of cities of two words.
const CITY_FIRST: &str = "new|san|los|las|st|saint|fort|ft|el|salt|santa|port|north|south|west|east|mount|mt|\
    grand|little|cedar|kansas|oklahoma|des|baton|long|palm|colorado|green|ann|sioux|boca|corpus|rapid|iowa|\
    jersey|college|twin|carson|virginia|panama|cape|hong|mexico|buenos|rio|sao|la|lake|park|high|big|glen|\
    bowling|fall|falls|coral|daytona|myrtle|ocean|battle|council|spring|round|sugar|silver|castle|white|red|\
    black|rock|idaho|great|bel|elk";
/// Words that are no cities, although "in" is before them.
const NO_CITY: &str = "my|the|a|an|this|that|it|our|your|total|all|common|order|general|charge|there|here|\
    town|church|alphabetical|each|every|both|any|which|what|who|me|mine|touch|person|contact|contacts|list|\
    directory|database|records|record|file|is|are|not|and|or|one|two|march|april|may|june|july|monday|\
    tuesday|wednesday|thursday|friday|saturday|sunday|english|love|need|on|in|with|for";
/// Names of at least this length may have one wrong letter.
const FUZZY_FROM: usize = 6;
/// Words that are near a role and mean something else.
const NO_ROLE: &str = "slices|slice|sounds|found|round|ground|second|could|should|parting|hand|hands|secure|\
    sides|kinds|friends|great|singles|friend|listing|others|other|user|users|cities|city|lists|list|there|\
    where|greet|having|living|saving";

/// Names of cities of at least this length may have one wrong letter behind the first.
const CITY_FUZZY_FROM: usize = 5;

/// A condition and the number of tokens that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::obligations::read) struct Slot {
    pub(in crate::obligations::read) filter: PeopleFilter,
    pub(super) tokens: usize,
    /// Whether the words were in the plural: "ushers and greeters" are either, "an usher and a greeter" is both.
    pub(super) is_plural: bool,
}

/// Reads the condition that a whole clause names.
pub(in crate::obligations::read) fn slot_of(
    clause: Clause<'_>,
    directory: &DirectoryWords,
) -> Option<Slot> {
    slot(clause, directory)
        .or_else(|| city(clause, directory))
        .filter(|slot| slot.tokens == clause.len())
}

/// Reads a condition at the start of a clause.
pub(super) fn slot(clause: Clause<'_>, directory: &DirectoryWords) -> Option<Slot> {
    let friends = clause.starts(FRIENDS);
    if friends > 0 {
        let filter = PeopleFilter::IsFriend("user".to_owned());
        return Some(Slot {
            filter,
            tokens: friends,
            is_plural: clause.until(friends).has("friends|buddies|pals|mates"),
        });
    }
    let at_role = clause.starts(ROLE_AT);
    for lead in [at_role, 0] {
        if let Some(found) = role(clause.from(lead).past("the|our"), directory) {
            let skipped = lead + clause.from(lead).starts("the|our");
            return Some(Slot { tokens: found.tokens + skipped, ..found });
        }
    }
    let lead = clause.starts(IN);
    if let Some(found) = (lead > 0).then(|| city(clause.from(lead), directory)).flatten() {
        return Some(Slot { tokens: found.tokens + lead, ..found });
    }
    name(clause, directory)
        .or_else(|| known_city(clause, directory).filter(|found| is_exact(clause, found)))
}

/// Whether a city is said without a wrong letter.
fn is_exact(clause: Clause<'_>, found: &Slot) -> bool {
    matches!(&found.filter, PeopleFilter::City(city) if folded(city) == clause.until(found.tokens).plain())
}

/// Reads a role, in its longest wording, with "team" behind it.
fn role(clause: Clause<'_>, directory: &DirectoryWords) -> Option<Slot> {
    let mut best: Option<Slot> = None;
    let mut keep = |words: &str, role: &str| {
        let count = words.split(' ').count();
        if best.as_ref().is_none_or(|best| count > best.tokens) && is_said(clause, words, count) {
            let is_plural = clause.word(count - 1).ends_with('s');
            best = Some(Slot {
                filter: PeopleFilter::Role(role.to_owned()),
                tokens: count,
                is_plural,
            });
        }
    };
    for role in &directory.roles {
        keep(&folded(role), role);
    }
    for role in &directory.role_words {
        let stored = directory.roles.iter().find(|known| singular(known) == singular(&role.name));
        let shown = stored.map_or_else(|| singular(&role.name), Clone::clone);
        role.words.iter().for_each(|words| keep(words, &shown));
    }
    let slot = best?;
    let team = clause.from(slot.tokens).starts(TEAM);
    Some(Slot { tokens: slot.tokens + team, ..slot })
}

/// Whether the words of a role are said, in the singular or the plural, perhaps with a wrong letter.
fn is_said(clause: Clause<'_>, words: &str, count: usize) -> bool {
    let said = |at: usize, word: &str| {
        let found = clause.word(at);
        found == word
            || (found.len() > 3 && singular(found) == singular(word))
            || is_alike(found, word)
    };
    clause.len() >= count && words.split(' ').enumerate().all(|(at, word)| said(at, word))
}

/// Whether a word is another with one wrong letter behind the first.
fn is_alike(said: &str, wanted: &str) -> bool {
    said.len() >= FUZZY_FROM
        && wanted.len() >= FUZZY_FROM
        && said.chars().next() == wanted.chars().next()
        && !NO_ROLE.split('|').any(|other| other == said)
        && osa_distance(said, wanted) == 1
}

/// Reads a city: one of the directory, or the words that can be one.
pub(super) fn city(clause: Clause<'_>, directory: &DirectoryWords) -> Option<Slot> {
    if let Some(found) = known_city(clause, directory) {
        return Some(found);
    }
    if clause.starts(NO_CITY) > 0 || clause.is_empty() || clause.is_number(0) {
        return None;
    }
    let is_word =
        |at: usize| clause.word(at).chars().all(char::is_alphabetic) && !clause.word(at).is_empty();
    let mut tokens = 1;
    if clause.is_capital(0) {
        while clause.is_capital(tokens) && is_word(tokens) {
            tokens += 1;
        }
    } else if clause.starts(CITY_FIRST) > 0 && is_word(1) {
        tokens = 2;
    }
    if !is_word(0) {
        return None;
    }
    let said = clause.until(tokens);
    let shown = if clause.is_capital(0) { said.raw().to_owned() } else { titled(said.raw()) };
    Some(Slot { filter: PeopleFilter::City(shown), tokens, is_plural: false })
}

/// Reads a city of the directory, perhaps with a wrong letter.
pub(super) fn known_city(clause: Clause<'_>, directory: &DirectoryWords) -> Option<Slot> {
    let fits = |city: &&String| {
        let words = folded(city);
        let count = words.split(' ').count();
        let said = clause.until(count).plain();
        let alike = said == words
            || (said.len() >= CITY_FUZZY_FROM
                && said.chars().next() == words.chars().next()
                && osa_distance(&said, &words) == 1);
        alike.then_some(count)
    };
    let longest = directory.cities.iter().filter_map(|city| Some((fits(&city)?, city))).max()?;
    Some(Slot {
        filter: PeopleFilter::City(longest.1.clone()),
        tokens: longest.0,
        is_plural: false,
    })
}

/// Reads a name of the directory, whole or only the first name; or a word that can only be a name.
fn name(clause: Clause<'_>, directory: &DirectoryWords) -> Option<Slot> {
    let said = |words: &str| {
        let count = words.split(' ').count();
        let heard = clause.until(count).plain();
        let is_genitive = || {
            heard.strip_suffix('s') == Some(words)
                && clause.until(count).raw().contains(['\'', '’'])
        };
        (heard == words || is_genitive()).then_some(count)
    };
    let mut best: Option<Slot> = None;
    for name in &directory.names {
        let whole = folded(name);
        let first = whole.split(' ').next().unwrap_or_default().to_owned();
        let first_as_written = name.split_whitespace().next().unwrap_or_default();
        let found = said(&whole)
            .map(|count| (count, name.as_str()))
            .or_else(|| Some((said(&first)?, first_as_written)));
        let Some((tokens, shown)) = found else { continue };
        if best.as_ref().is_none_or(|best| tokens > best.tokens) {
            best = Some(Slot {
                filter: PeopleFilter::Name(shown.to_owned()),
                tokens,
                is_plural: false,
            });
        }
    }
    best
}

/// Reads a capital word as a name that the directory does not have.
pub(super) fn strange_name(clause: Clause<'_>) -> Option<Slot> {
    const NO_NAME: &str = "monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|april|\
        june|july|august|september|october|november|december|god|christmas|easter";
    let is_word = clause.is_capital(0) && clause.word(0).len() > 1 && clause.starts(NO_NAME) == 0;
    let raw = clause.until(1).raw();
    let shown = raw.strip_suffix("'s").or_else(|| raw.strip_suffix("’s")).unwrap_or(raw);
    is_word.then(|| Slot {
        filter: PeopleFilter::Name(shown.to_owned()),
        tokens: 1,
        is_plural: false,
    })
}

fn titled(words: &str) -> String {
    let mut shown = String::with_capacity(words.len());
    let mut starts = true;
    for c in words.chars() {
        if starts {
            shown.extend(c.to_uppercase())
        } else {
            shown.push(c)
        }
        starts = c.is_whitespace();
    }
    shown
}
