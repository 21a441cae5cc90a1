//! Wordings that want no more texts. A missed one is the worst mistake of all, so these hold
//! whatever the classifier says. They look at the words of [`words`](crate::text::words).

use crate::text::{self, padded};

/// Texts that want no more texts, if they are all that is said. Carriers define the first ones.
const ALONE: &[&str] = &[
    "stop",
    "stopall",
    "stop all",
    "unsubscribe",
    "cancel",
    "end",
    "quit",
    "revoke",
    "optout",
    "opt out",
    "baja",
    "alto",
    "stop please",
    "please stop",
    "pls stop",
    "stop pls",
    "stop texting",
    "no mas",
    "parar",
    "stp",
    "stpo",
    "sotp",
    "stopp",
    "🛑",
    "unsub",
    "leave me alone",
    "rm me",
    "arret",
    "detener",
    "cancelar",
];
/// Parts of a text that want no more texts.
const PARTS: &[&str] = &[
    "stop texting me",
    "stop messaging me",
    "quit texting me",
    "stop sending me",
    "quit sending me",
    "lose my number",
    "delete my number",
    "take me off this list",
    "take me off your list",
    "take me off the list",
    "off your text list",
    "remove me from this list",
    "remove me from your list",
    "remove my number",
    "take my number off",
    "unsubscribe me",
    "dont text me again",
    "do not text me again",
    "dont text me anymore",
    "do not text me anymore",
    "no more texts",
    "no more messages",
    "stop contacting me",
    "do not contact me",
    "dont contact me",
    "stop these texts",
    "stop the texts",
    "stop these messages",
    "opt me out",
    "opt out of",
    "no me manden mas",
    "no me escriban mas",
    "dejen de escribirme",
    "dejen de mandarme",
    "dejen de enviarme",
    "ya no me manden",
    "quitenme de",
    "sacame de la lista",
    "how do i unsubscribe",
    "how do i stop these",
    "how to unsubscribe",
    "how do i opt out",
    "want to opt out",
    "stop all texts",
    "stop all messages",
    "take me off these",
    "take me off all",
    "off of these lists",
    "off all of these",
    "dare text me",
    "dare message me",
    "done with these texts",
    "done with the texts",
    "done with your texts",
    "sick of these texts",
    "tired of these texts",
    "off the volunteer texts",
    "off your volunteer texts",
];
/// Words that end something.
const ENDING: &[&str] = &[
    "stop", "quit", "cease", "kill", "end", "ixnay", "halt", "enough", "dejen", "deja", "deje",
    "dejar", "paren",
];
/// What is to end, up to two words after a word that ends something.
const ANNOYING: &[&str] = &[
    "texting",
    "txting",
    "messaging",
    "msging",
    "contacting",
    "spamming",
    "bugging",
    "bothering",
    "harassing",
    "pestering",
    "texts",
    "txts",
    "messages",
    "msgs",
    "mensajes",
    "mandar",
    "mandarme",
    "escribir",
    "escribirme",
    "molestar",
    "molestarme",
];
/// Words that take something away.
const TAKING: &[&str] = &[
    "take", "taking", "remove", "delete", "erase", "get", "move", "cross", "scratch", "strike",
    "drop", "pull", "quiten", "quitenme", "quitame", "quiteme", "borren", "borrenme", "borrame",
    "borreme", "saquenme", "sacame", "saqueme",
];
/// What texts are sent from, up to [`LIST_WITHIN`] words after a word that takes away.
const LISTS: &[&str] = &[
    "list", "lists", "texts", "messages", "database", "contacts", "phone", "lista", "mensajes",
    "textos", "txts", "msgs",
];
/// Words that say that the sender is what is to be taken away, and from where.
const FROM: &[&str] = &["off", "from", "out", "de"];
/// How many words after a word that takes away the list may be named.
const LIST_WITHIN: usize = 7;
/// Lists of people who serve: to leave one of them is to give up a place.
const SCHEDULES: &[&str] = &[
    "schedule",
    "rotation",
    "roster",
    "nursery",
    "ushers",
    "parking",
    "coffee",
    "choir",
    "sunday",
    "greeting",
    "slides",
    "team",
    "serving",
    "volunteer",
    "sub",
    "sundays",
    "tomorrows",
    "domingo",
    "usher",
    "greeter",
];
/// Words that forbid.
const FORBIDDING: &[&str] = &["dont", "never"];
/// What is forbidden, before the one who is no longer to be texted.
const SENDING: &[&str] = &["text", "txt", "message", "msg", "contact"];
/// Whom not to text.
const SENDER: &[&str] = &["me", "us", "this", "my"];
/// Words after "don't text me" that forbid only some texts.
const ONLY_SOME: &[&str] = &[
    "about", "before", "after", "at", "on", "until", "till", "til", "late", "during", "so", "that",
    "if", "when", "while", "back", "for", "unless", "just", "in",
];
/// Wordings of one who has left.
const LEFT: &[&str] = &[
    "changed churches",
    "moved churches",
    "switched churches",
    "left the church",
    "left your church",
    "left that church",
    "go to another church",
    "no longer attend",
    "no longer go",
    "dont attend",
    "dont go to your church",
    "dont go there",
    "dont go to this church",
    "not a member",
    "wrong number",
    "wrong person",
    "passed away",
];
/// What one who has left asks for.
const AWAY: &[&str] = &["take me off", "take us off", "remove me", "remove us", "delete me"];
/// Beginnings of wordings that refuse what is named after them.
const REFUSING: &[&str] = &[
    "dont want",
    "do not want",
    "didnt want",
    "did not want",
    "no longer want",
    "dont wish",
    "do not wish",
    "no longer wish",
    "dont need",
    "do not need",
    "did not agree",
    "didnt agree",
    "never agreed",
    "do not consent",
    "dont consent",
    "never consented",
    "did not consent",
    "didnt consent",
    "did not sign up",
    "didnt sign up",
    "never signed up",
    "not okay",
    "not ok",
    "rather not",
    "no thank you",
    "no thanks",
    "tired of",
    "sick of",
    "no quiero",
    "no deseo",
];
/// The most words of such a beginning.
const REFUSING_WORDS_MAX: usize = 4;
/// What is refused, up to [`REFUSED_WITHIN`] words after it.
const REFUSED: &[&str] = &[
    "texts",
    "texted",
    "txts",
    "txted",
    "messages",
    "messaged",
    "msgs",
    "contacted",
    "mensajes",
    "textos",
];
const REFUSED_WITHIN: usize = 6;
/// Words between them after which something else is refused: to miss the texts, or that they end.
const OTHERWISE: &[&str] = &[
    "miss",
    "stop",
    "cancel",
    "lose",
    "end",
    "quit",
    "but",
    "without",
    "unsubscribe",
    "stopping",
    "missing",
    "answer",
    "read",
    "group",
    "extra",
    "two",
    "double",
    "duplicate",
    "separate",
    "perder",
];
/// Words that tell the carriers' words from other words when they are misspelt by one letter.
const LIKE_STOP: &[&str] = &[
    "shop", "step", "top", "slop", "stow", "sop", "atop", "stoop", "stomp", "stock", "stoup",
    "strop",
];
/// The word of the carriers that is misspelt most, and the long one.
const STOP: &str = "stop";
const UNSUBSCRIBE: &str = "unsubscribe";
/// How many slips of the finger there may be in the long word.
const SLIPS_MAX: usize = 2;
/// Phrases with which a text says the opposite, or only speaks of an earlier opt-out.
const DENIED: &[&str] = &[
    "dont stop",
    "dont ever stop",
    "never stop",
    "do not stop",
    "dont quit",
    "do not quit",
    "dont take",
    "do not take",
    "dont remove",
    "do not remove",
    "dont delete",
    "dont want to stop",
    "dont want to opt out",
    "dont want to unsubscribe",
    "didnt mean to",
    "did not mean to",
    "did you stop",
    "did i stop",
    "cross it off",
    "cross that off",
    "worry list",
    "to do list",
    "did you quit",
    "did they stop",
    "hit stop",
    "sent stop",
    "typed stop",
    "stop by accident",
    "stop by mistake",
    "keep texting",
    "keep sending",
    "do not text list",
    "dont text list",
    "do not contact list",
    "block list",
    "blocked list",
    "stop list",
    "opt out list",
    "cancel my stop",
    "cancel the stop",
    "undo",
    "why no more",
    "getting no more",
    "dont unsubscribe",
    "do not unsubscribe",
    "un unsubscribe",
    "un stop",
    "dont drop",
    "didnt want to stop",
    "didnt mean stop",
    "turn me back on",
    "turn them on again",
    "turn them back on",
    "bring them back",
    "texts back",
    "you can put me back",
    "no me quiten",
    "no me borren",
    "no me saquen",
];

/// Whether this is all that is said by one who wants no more texts, also with a slip of the finger, or letter by
/// letter: "stpo", "s t o p".
pub(super) fn is_all(whole: &str) -> bool {
    let joined: String = whole.chars().filter(|c| !matches!(c, ' ' | '|')).collect();
    ALONE.contains(&whole) || ALONE.contains(&joined.as_str()) || is_misspelt(whole)
}

/// Whether a lone word is one of the carriers' with a slip of the finger.
fn is_misspelt(word: &str) -> bool {
    let of_stop = || strsim::osa_distance(word, STOP) <= 1 && !LIKE_STOP.contains(&word);
    let of_long = || word.starts_with('u') && strsim::osa_distance(word, UNSUBSCRIBE) <= SLIPS_MAX;
    word.len() >= STOP.len() - 1 && word.is_ascii() && (of_stop() || of_long())
}

/// Whether a part of what is said wants no more texts.
pub(super) fn is_part(said: &[&str]) -> bool {
    let padded = padded(&said.join(" "));
    let has = |part: &&str| text::has(&padded, part);
    if DENIED.iter().any(has) {
        return false;
    }
    let leaves = LEFT.iter().any(has) && AWAY.iter().any(has);
    leaves || PARTS.iter().any(has) || (0..said.len()).any(|ix| begins(&said[ix..]))
}

/// Whether words begin with a wording that wants no more texts.
fn begins(words: &[&str]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let named = |words: &[&str], known: &[&str]| words.iter().any(|word| known.contains(word));
    if refuses(words) {
        return true;
    }
    let near = &rest[..rest.len().min(2)];
    if ENDING.contains(first) && named(near, ANNOYING) && !near.contains(&"not") {
        return true;
    }
    if TAKING.contains(first) {
        let reach = &rest[..rest.len().min(LIST_WITHIN)];
        return named(reach, FROM) && named(reach, LISTS) && !named(reach, SCHEDULES);
    }
    let forbidden = match rest {
        ["ever" | "you", sending, sender, after @ ..] | [sending, sender, after @ ..] => {
            SENDING.contains(sending)
                && SENDER.contains(sender)
                && !after.first().is_some_and(|word| ONLY_SOME.contains(word))
        }
        _ => false,
    };
    FORBIDDING.contains(first) && forbidden
}

/// Whether words begin by refusing all texts: "don't want to get your texts".
fn refuses(words: &[&str]) -> bool {
    let refusing = (2..=REFUSING_WORDS_MAX.min(words.len()))
        .find(|count| REFUSING.contains(&words[..*count].join(" ").as_str()));
    let Some(count) = refusing else { return false };
    let rest = &words[count..];
    let refused = rest.iter().take(REFUSED_WITHIN).position(|word| REFUSED.contains(word));
    refused.is_some_and(|at| {
        let named = &rest[..at];
        let some = rest.get(at + 1).is_some_and(|after| ONLY_SOME.contains(after));
        !some && !named.iter().any(|word| OTHERWISE.contains(word))
    })
}
