//! Reads what users tell about themselves: "my name is Sam", "I moved to Boise", "actually it's Katherine".

use super::clause::Clause;
use super::context::Dialogue;
use super::courtesy::bare;
use super::field;
use super::token::Kind;
use crate::obligations::Obligation;

/// Maximum length of a value in characters: an address fits.
const VALUE_CHARS_MAX: usize = 120;

/// Words before a fact that ask to keep it.
const REMEMBER: &str = "remember that|remember|please remember that|please remember|note that|please note that|please note|note|keep in mind that|keep in mind|dont forget that|dont forget|make a note that|you should know that|you should know|\
    know that|just so you know|for your records|save that|save this|store that|record that|i want you to know that|i want you to remember that|id like you to remember that|remember this|yes|yeah|yep|no|nope|well|please save that|update :|update ,|news|good news|heads up|let it be known that|i should mention|i should mention that|to be clear|oh";
/// Ways to tell one's name.
const CALLED: &str = "call me|you can call me|just call me|people call me|everyone calls me|everybody calls me|i go by|im called|i am called|im known as|i am known as|the names|the name is|name is|my friends call me|i prefer to be called|\
    i prefer to go by|i prefer|address me as|refer to me as|they call me|please call me|id rather be called|folks call me|most people call me|mi nombre es|me llamo|i am named|im named|start calling me|from now on call me";
/// Ways to tell where one lives.
const LIVES: &str = "i live in|im living in|i am living in|i now live in|i currently live in|i actually live in|we live in|we now live in|i reside in|i am based in|im based in|im from|i am from|i come from|i stay in|my home is in|our home is in|\
    i relocated to|we relocated to|ive relocated to|ive moved to|i have moved to|weve moved to|i moved to|we moved to|i just moved to|we just moved to|just moved to|moved to|i recently moved to|we recently moved to|i moved over to|i moved back to|we moved back to|i moved out to|i moved up to|i moved down to|\
    im now in|i am now in|im now living in|i am now living in|i settled in|i live over in|i live out in|i live near|now i live in|i live now in|nowadays i live in|these days i live in|i am located in|im located in|i was living in|i have been living in|ive been living in|i just relocated to|my new home is|im in|i am in|i live at";
/// Ways to tell a move from one city to another.
const MOVED_FROM: &str = "i moved from|we moved from|i just moved from|we just moved from|just moved from|moved from|i relocated from|we relocated from|ive moved from|i have moved from|i recently moved from|weve moved from";
/// Ways to tell how to be reached.
const REACHED: &str = "you can reach me at|you can reach me on|reach me at|reach me on|text me at|text me on|email me at|mail me at|call me at|call me on|contact me at|im reachable at|i can be reached at|you can email me at|you can call me at|you can text me at|ring me on|my contact is";
/// Single facts: the words before the value, and the field.
const TOLD: &[(&str, &str)] = &[
    ("i was born on|born on", "birthday"),
    ("i was born in|born in", "birthplace"),
    (
        "i work at|i work for|im employed by|i am employed by|i now work at|i now work for|im working at|im working for|i started working at",
        "employer",
    ),
    ("i work as a|i work as an|i work as", "job"),
    ("i drive a|i drive an", "car"),
    ("i live on", "address"),
    ("im allergic to|i am allergic to", "allergy"),
];
/// Words after a value that do not belong to it.
const BEHIND: &str = "now|these days|nowadays|currently|actually|instead|please|btw|by the way|anymore|any more|from now on|again|today|since|because|spelled|spelt|with a|with an|with one|with two|with no|with the|without|\
    not|and not|but|and i|and im|and my|and we|and please|so|in case|if you|just so|as you know|thanks|thank you|though|for now|as of|ok|okay|right|which|where|who|remember|if anyone|for the record|and the|and what|and whats|and how|and who|and can|lol|haha|in fact|i think|too|as well|at the moment|last|until|after";
/// Words that are no names, although "I'm" is before them.
const NO_NAME: &str = "a|an|the|not|so|very|in|at|on|off|out|here|back|home|busy|free|tired|sick|fine|good|great|ok|okay|well|sure|sorry|late|early|lost|done|ready|hungry|happy|sad|bored|new|just|going|gonna|trying|looking|wondering|curious|using|from|with|all|also|still|really|too|afraid|glad|confused|alone|about|your|my|his|her|it|that|this|there|one|what|who|how|never|always|almost|only|like|married|single|excited|thinking|feeling|having|working|available|unavailable|interested|certain|positive|right|wrong|up|down|old|young|sir|able|unable|unsure|supposed|planning|running|waiting|leaving|driving|stuck|broke|starving|exhausted|freezing|cold|hot|driving|pretty|kind|kinda|sort|more|less|over|under|through|serious|joking|kidding|human|alive|awake|asleep|yours|mine|testing|him|them|us|you|me|i";

/// Colours that people like.
const COLOURS: &str = "red|green|blue|yellow|orange|purple|pink|black|white|brown|grey|gray|teal|turquoise|violet|gold|silver|navy|maroon|lavender|magenta|cyan|beige|indigo|mint|coral|lime";
/// Common first names, which are understood in lower case too.
const FIRST_NAMES: &str = "sam|tom|ana|anna|ben|dan|dana|joe|john|jon|mary|maria|kate|katie|katherine|catherine|mike|michael|david|dave|steve|chris|alex|max|lee|pat|kim|jim|james|bob|rob|robert|bill|will|william|tim|matt|mark|luke|paul|peter|pete|andy|andrew|tony|nick|eric|ryan|jason|josh|jeff|greg|scott|kevin|brian|adam|aaron|emma|emily|olivia|sophia|mia|eva|eve|sara|sarah|lisa|laura|julia|julie|jane|jen|jenny|jessica|amy|amanda|ashley|rachel|rebecca|ruth|esther|hannah|grace|rosa|carlos|jose|juan|luis|pedro|miguel|diego|omar|ali|nina|lena|leo|noah|liam|ethan|jack|henry|george|charlie|oscar|ivan|igor|olga|nora|zoe|chloe|lucy|lily|ella|bella|sally|molly|becky|beth|linda|karen|susan|nancy|betty|helen|diane|gus|hana|joy|uma|vic|wes|xena|yuri|zack|abby|quinn|pia|eli|carla";

/// Reads a fact that a clause tells.
pub(super) fn read(clause: Clause<'_>) -> Option<Vec<Obligation>> {
    if clause.ends("?") > 0 || clause.has("used to|dont you|right ?") {
        return None;
    }
    let clause = bare(clause);
    if let Some(rest) = clause.after("forget|delete|erase|remove|clear|unlearn|wipe") {
        let noun = rest.after("my")?;
        return field::of(noun).map(|field| vec![Obligation::forget(&field)]);
    }
    if clause.after("i no longer live in|i dont live in").is_some() {
        return Some(vec![Obligation::forget("city")]);
    }
    let fact = bare(clause.past(REMEMBER));
    let is_ordered = fact.len() < clause.len();
    let told = told(fact).or_else(|| if is_ordered { anything(fact) } else { None });
    told.map(|fact| vec![fact])
}

/// Reads a fact that is to be remembered, whatever it is about: "the door code is 4411".
fn anything(fact: Clause<'_>) -> Option<Obligation> {
    let sides = fact.after("the|our")?.split("is|are|=|:")?;
    Some(Obligation::save(&field::of(sides.before)?, &value(sides.after)?))
}

fn told(clause: Clause<'_>) -> Option<Obligation> {
    if let Some(at) = clause.after(REACHED) {
        let value = value(at)?;
        let field = if value.contains('@') { "email" } else { "phone" };
        return Some(Obligation::save(field, &value));
    }
    if let Some(name) = clause.after(CALLED).filter(|name| is_name(*name)) {
        return value(name).map(|name| Obligation::save("name", &name));
    }
    if let Some(moved) = clause.after(MOVED_FROM) {
        return value(moved.split("to")?.after).map(|city| Obligation::save("city", &city));
    }
    if let Some(city) = clause.after(LIVES).filter(|city| is_place(*city)) {
        return value(city.past("the city of")).map(|city| Obligation::save("city", &city));
    }
    if let Some(known) = TOLD
        .iter()
        .find_map(|(words, field)| Some(Obligation::save(field, &value(clause.after(words)?)?)))
    {
        return Some(known);
    }
    myself(clause).or_else(|| mine(clause)).or_else(|| turned(clause)).or_else(|| ordered(clause))
}

/// Reads "I'm Sam", "this is Sam", "Sam here", "I'm 34".
fn myself(clause: Clause<'_>) -> Option<Obligation> {
    if let Some(name) = clause.before("here|speaking").filter(|name| name.len() <= 2) {
        let is_said = name.is_capital(0) && is_name(name);
        return is_said.then(|| Obligation::save("name", name.raw()));
    }
    if let Some(colour) = clause
        .after("i like|i love|i prefer")
        .and_then(|rest| rest.before("best|most|the most|the best"))
    {
        let is_colour = colour.past("the colour").is(COLOURS);
        return is_colour
            .then(|| Obligation::save("favourite_colour", colour.past("the colour").raw()));
    }
    let rest = clause.after("im|i am|this is|its|hi im")?;
    let by_number =
        rest.is_number(0) && (rest.len() == 1 || rest.from(1).starts("years|yrs|yo|and|year") > 0);
    if by_number && clause.word(0) != "this" && clause.word(0) != "its" {
        return Some(Obligation::save("age", rest.word(0)));
    }
    let rest = if clause.word(0) == "its" { rest.past("me") } else { rest };
    let is_known = clause.word(0) != "its" && rest.until(1).is(FIRST_NAMES);
    let is_said = is_name(rest) && (rest.is_capital(0) || is_known) && rest.len() <= 3;
    is_said.then(|| value(rest)).flatten().map(|name| Obligation::save("name", &name))
}

/// Reads "my favourite colour is orange", "my brother lives in Reno", "name: Sam".
fn mine(clause: Clause<'_>) -> Option<Obligation> {
    let Some(owned) = clause.after("my|our") else {
        let sides = clause.split(":|=")?;
        let field = field::of(sides.before).filter(|_| field::is_common(sides.before))?;
        return Some(Obligation::save(&field, &value(sides.after)?));
    };
    if let Some(sides) = owned
        .split("lives in|lives over in|moved to|is from|lives out in|is living in|lives at")
        .filter(|sides| field::is_relation(sides.before))
    {
        let field = format!("{}_city", field::slug(sides.before));
        return Some(Obligation::save(&field, &value(sides.after)?));
    }
    if let Some(sides) = owned.split("is called|is named|goes by|are called|are named") {
        let field = field::of(sides.before).filter(|_| field::is_relation(sides.before))?;
        return Some(Obligation::save(&field, &value(sides.after)?));
    }
    // "my name's Sam"
    if let Some(name) = owned.after("names").filter(|name| !name.is_empty() && name.word(0) != "is")
    {
        return Some(Obligation::save("name", &value(name)?));
    }
    if let Some(fact) = with_short_is(owned) {
        return Some(fact);
    }
    let sides = owned.split(
        "is now|is actually|is still|has changed to|changed to|is|are|=|:|will be|isnt|has been",
    )?;
    let field = field::of(sides.before)?;
    let is_somebody = field::is_relation(sides.before);
    let has_value = !is_somebody || sides.after.is_capital(0);
    let is_denied =
        sides.after.starts("not|what|who|where|when|which|how|unknown to") > 0 || owned.has("isnt");
    if !has_value || is_denied {
        return None;
    }
    Some(Obligation::save(&field, &value(sides.after.past("the colour"))?))
}

/// Reads "my favourite colour's teal".
fn with_short_is(owned: Clause<'_>) -> Option<Obligation> {
    (0..owned.len().min(3)).find_map(|at| {
        let is_short = owned.slice(at..at + 1).raw().contains(['\'', '’']);
        let noun = owned.until(at + 1).plain();
        let noun = noun.strip_suffix('s').filter(|_| is_short)?;
        let field = field::of_common(noun)?;
        Some(Obligation::save(&field, &value(owned.from(at + 1))?))
    })
}

/// Reads "orange is my favourite colour".
fn turned(clause: Clause<'_>) -> Option<Obligation> {
    let sides = clause.split("is my|are my|is also my")?;
    let field = field::of(sides.after.past("new"))?;
    let is_question =
        sides.before.starts("what|who|which|where|when|how|whats|whos|that|this|it|here") > 0;
    let value = value(sides.before).filter(|_| !is_question && sides.before.len() <= 4)?;
    Some(Obligation::save(&field, &value))
}

/// Reads "change my email to sam@example.com", "use 555-0101 as my number".
fn ordered(clause: Clause<'_>) -> Option<Obligation> {
    let rest = clause.after("set|change|update|save|store|record|switch|correct|make|fix|put down|put|use|keep|write down|add")?;
    if let Some(owned) = rest.after("my") {
        let sides = owned.split("to|as|to be|:|is|from")?;
        let field = field::of(sides.before).filter(|_| field::is_common(sides.before))?;
        let value = value(sides.after.past("be"))?;
        return Some(Obligation::save(&field, &value));
    }
    let sides = rest.split("as my|for my|to my")?;
    let field = field::of(sides.after).filter(|_| field::is_common(sides.after))?;
    Some(Obligation::save(&field, &value(sides.before)?))
}

/// Reads a correction of the fact that was told last: "actually it's Sam with one m".
pub(super) fn correction(clause: Clause<'_>, dialogue: &Dialogue) -> Option<Vec<Obligation>> {
    const MARKERS: &str = "actually|sorry|no|nope|correction|oops|wait|rather|my bad|my mistake|whoops|hang on|hold on|scratch that|typo|ugh|oh|i misspoke|apologies|hmm|um|ah|well|no wait|i mean|i meant|*|,|-|.|:|!|and";
    const COPULAS: &str = "its|it is|it should be|thats|that is|that should be|make it|make that|should be|i meant|i mean|i meant to say|i said|its spelled|its actually|it is actually|it was|that was|its really|rather|the right one is|should have been|change it to|change that to|update it to|its now|it is now|spelled|call me";
    let field = dialogue.last_field.as_deref()?;
    let mut rest = clause;
    let mut is_marked = false;
    while let Some(shorter) = rest.after(MARKERS) {
        is_marked |=
            shorter.len() + 1 < rest.len() || rest.starts(",|-|.|:|!|and|oh|um|hmm|well") == 0;
        rest = shorter;
    }
    if clause.ends("?") > 0 {
        return None;
    }
    // "Sam, not Samm"
    let denied = clause
        .split("not")
        .and_then(|sides| Some(sides).filter(|sides| !sides.before.trimmed().is_empty()));
    if let Some(sides) = denied {
        let known = dialogue.memory.recall(field).unwrap_or_default();
        let is_known = !known.is_empty() && sides.after.trimmed().raw().eq_ignore_ascii_case(known);
        let said = sides.before.trimmed().past(COPULAS);
        if is_known && said.len() <= 4 && said.starts("my|i|im") == 0 {
            return Some(vec![Obligation::save(field, said.raw())]);
        }
    }
    let copula = rest.after(COPULAS);
    let said = copula.unwrap_or(rest).trimmed();
    let says_value =
        said.is_capital(0) || said.is_number(0) || said.raw().contains('@') || copula.is_some();
    let is_bare = said.len() <= 3 && said.starts(NO_NAME) == 0 && says_value;
    let is_value = copula
        .is_some_and(|_| is_marked || said.is_capital(0) || said.raw().contains('@'))
        && said.starts(NO_NAME) == 0;
    if !(is_value || (is_marked && copula.is_none() && is_bare))
        || said.starts("whats|list|show|tell") > 0
    {
        return None;
    }
    Some(vec![Obligation::save(field, &value(said)?)])
}

/// Reads a bare value as the answer to a question for a field: "Sam".
pub(super) fn answer(clause: Clause<'_>, field: &str) -> Option<Vec<Obligation>> {
    let clause = bare(clause);
    let said = clause.past("its|it is|thats|in|at|i said|that would be|on|is|called|im in|i am in");
    let is_short = said.len() <= 12 && clause.ends("?") == 0 && said.starts(NO_NAME) == 0;
    Some(vec![Obligation::save(field, &value(said).filter(|_| is_short)?)])
}

/// Whether a text is nothing but a name, as an answer to "what's your name?" is.
pub(super) fn is_bare_name(clause: Clause<'_>) -> bool {
    let clause = bare(clause);
    let is_word = |at: usize| {
        clause.is_capital(at) && clause.token(at).is_some_and(|token| token.kind == Kind::Word)
    };
    !clause.is_empty() && clause.len() <= 3 && is_name(clause) && (0..clause.len()).all(is_word)
}

fn is_name(clause: Clause<'_>) -> bool {
    let is_word =
        clause.token(0).is_some_and(|token| matches!(token.kind, Kind::Word | Kind::Quoted));
    is_word && clause.starts(NO_NAME) == 0 && !clause.word(0).ends_with("ing")
}

/// Whether a clause can name a place: "I'm in Boise", but not "I'm in a hurry".
fn is_place(clause: Clause<'_>) -> bool {
    clause.starts("a|an|my|this|that|here|there|it|trouble|love|need|his|her|case|charge") == 0
        && !clause.is_number(0)
}

/// Returns a value without the words behind it.
fn value(clause: Clause<'_>) -> Option<String> {
    let clause = clause.trimmed();
    if clause.token(0).is_some_and(|token| token.kind == Kind::Quoted) {
        return Some(clause.until(1).unquoted().to_owned());
    }
    let ends = |at: usize| {
        let rest = clause.from(at);
        let after_comma = rest.after(",").is_some_and(|rest| rest.starts(BEHIND) > 0);
        (rest.starts(BEHIND) > 0 && !clause.is_glued(at)) || after_comma
    };
    let end = (1..clause.len()).find(|at| ends(*at)).unwrap_or(clause.len());
    let value = clause.until(end).trimmed().raw();
    let is_short = value.chars().nth(VALUE_CHARS_MAX).is_none();
    (!value.is_empty() && is_short).then(|| value.to_owned())
}
