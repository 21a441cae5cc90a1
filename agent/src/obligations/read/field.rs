//! The fields under which facts about the user are kept, and the words for them.

use strsim::osa_distance;

use super::clause::Clause;
use super::token::Kind;

/// Fields with the words that people use for them.
const FIELDS: &[(&str, &str)] = &[
    (
        "name",
        "name|full name|first name|given name|actual name|real name|nickname|preferred name|names",
    ),
    (
        "city",
        "city|town|hometown|home town|home city|current city|location|current location|home|\
            place of residence|residence|city of residence",
    ),
    (
        "email",
        "email|email address|e mail|e mail address|mail|mail address|emails|email id|email addy",
    ),
    (
        "phone",
        "phone|phone number|number|cell|cell number|cell phone|cell phone number|mobile|mobile number|\
            mobile phone|telephone|telephone number|contact number|phone no|phone #|digits|cellphone|\
            cellphone number",
    ),
    ("birthday", "birthday|bday|b day|birth date|birthdate|date of birth|birth day"),
    ("address", "address|home address|street address|mailing address|postal address"),
    ("age", "age"),
    ("job", "job|occupation|profession|job title|line of work|title"),
    ("employer", "employer|company|workplace|place of work|firm"),
    (
        "favourite_colour",
        "favourite colour|colour|preferred colour|favourite colors|favourite colours",
    ),
];
/// People and animals of whom a name is kept.
const RELATIONS: &str = "wife|husband|spouse|partner|girlfriend|boyfriend|fiance|fiancee|son|daughter|kid|\
    child|baby|brother|sister|mom|mum|mother|dad|father|aunt|uncle|cousin|grandma|grandmother|grandpa|\
    grandfather|niece|nephew|dog|cat|pet|puppy|kitten|horse|fish|bird|hamster|boss|manager|pastor|doctor|\
    dentist|teacher|landlord|neighbour|neighbor|roommate|best friend|coach|mentor|assistant|boat|school|\
    church|street|bank|team";
/// Words that are no fields, although "my" is before them.
const OTHERS: &str = "question|guess|point|problem|issue|bad|turn|answer|head|friends|friend|contacts|people|\
    buddies|schedule|calendar|agenda|plans|plan|day|week|appointments|appointment|meetings|meeting|\
    next meeting|next appointment|reminders|mistake|fault|opinion|understanding|goal|aim|idea|thoughts|hope|\
    mind|request|ushers|greeters|team members|last question|last answer|time|local time|apologies|life|\
    stomach|back|heart|feet|bill|share|total|schedule like|day like|pleasure|favourite|events|tasks|\
    to do list|list";
/// Words that no field contains.
const NO_FIELD: &str = "is|are|was|were|do|does|did|has|have|had|what|who|where|when|why|how|that|to|and|or|\
    not|if|with|in|on|at|for|me|i|you|it|can|will|would|should|than|from|lives|live|please|because|going|\
    gonna|whether|times|plus|minus";

/// Maximum number of words of a field: "favourite ice cream flavour".
const WORDS_MAX: usize = 4;

/// Returns the field that a noun names, such as "email address" or "dog's name".
pub(super) fn of(noun: Clause<'_>) -> Option<String> {
    let noun = noun.past("current|new|own|correct|old|actual|exact|the").trimmed();
    if noun.is_empty() || noun.len() > WORDS_MAX || noun.is(OTHERS) {
        return None;
    }
    if let Some((field, _)) = FIELDS.iter().find(|(_, words)| noun.is(words)) {
        return Some((*field).to_owned());
    }
    if noun.len() == 1
        && let Some(field) = misspelt(noun.word(0))
    {
        return Some(field.to_owned());
    }
    if noun.is(RELATIONS) {
        return Some(format!("{}_name", slug(noun)));
    }
    if let Some(owned) = possessed(noun) {
        return Some(owned);
    }
    let is_word = |at: usize| {
        noun.token(at)
            .is_some_and(|token| token.kind == Kind::Word || at > 0 && token.kind == Kind::Number)
    };
    let is_noun = (0..noun.len()).all(|at| is_word(at) && noun.from(at).starts(NO_FIELD) == 0);
    let plain_ends = !noun.until(1).raw().contains(['\'', '’']);
    (is_noun && plain_ends).then(|| slug(noun))
}

/// Returns the field whose word is meant by a word with one wrong letter: "nme", "emial".
fn misspelt(said: &str) -> Option<&'static str> {
    const OTHERS: &str = "gmail|cello|sell|celt|game|fame|same|tame|lame|dame|nave|mane|page|wage|rage|cage|\
        hone|bone|tone|zone|lob|mob|jot|joy|cite|pity|come|hose|dome|rome|towns|gown|down|mall|tail|mobil|\
        sail";
    if said.len() < 3 || OTHERS.split('|').any(|other| other == said) || is_relation_word(said) {
        return None;
    }
    let near = |word: &&str| {
        word.len() >= 4
            && word.chars().next() == said.chars().next()
            && osa_distance(word, said) == 1
    };
    FIELDS
        .iter()
        .find(|(_, words)| words.split('|').any(|word| near(&word)))
        .map(|(field, _)| *field)
}

fn is_relation_word(said: &str) -> bool {
    RELATIONS.split('|').any(|relation| relation == said)
}

/// Whether the words name a field that everybody has, or something favourite.
pub(super) fn is_common(noun: Clause<'_>) -> bool {
    let noun = noun.past("current|new|own|correct|old|actual|exact|the");
    of_common(&noun.plain()).is_some() || possessed(noun).is_some()
}

/// Returns the field that everybody has, or the favourite thing, that the words name.
pub(super) fn of_common(noun: &str) -> Option<String> {
    let known = FIELDS.iter().find(|(_, words)| words.split('|').any(|word| word == noun));
    let favourite = noun.starts_with("favourite ").then(|| noun.replace(' ', "_"));
    known.map(|(field, _)| (*field).to_owned()).or(favourite)
}

/// Whether the words name somebody or an animal.
pub(super) fn is_relation(noun: Clause<'_>) -> bool {
    noun.is(RELATIONS)
}

/// Returns the field of "dog's name" or "brother's city".
fn possessed(noun: Clause<'_>) -> Option<String> {
    let at =
        (0..noun.len().saturating_sub(1)).find(|at| owner(noun.slice(*at..at + 1)).is_some())?;
    let owner = owner(noun.slice(at..at + 1))?;
    let before = noun.until(at).plain().replace(' ', "_");
    let field = of(noun.from(at + 1))?;
    let joint = if before.is_empty() { "" } else { "_" };
    Some(format!("{before}{joint}{owner}_{field}"))
}

/// Returns the noun of a word in the genitive: "dog's" is "dog".
fn owner(word: Clause<'_>) -> Option<String> {
    let is_genitive = word.raw().contains(['\'', '’', '‘', '`']);
    is_genitive.then(|| word.word(0).strip_suffix('s').map(str::to_owned)).flatten()
}

/// Returns words as a name: "hall light" is `hall_light`.
pub(super) fn slug(words: Clause<'_>) -> String {
    words.plain().replace(' ', "_")
}
