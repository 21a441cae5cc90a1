//! Texts that a person must see at once: somebody may be in danger.

use crate::text::{self, padded, words as words_of};

/// Parts of a text that say that somebody may hurt themselves, is being hurt, or needs help at once. A person reads
/// each text in which one stands, so a part that is too wide costs a look, and one that is missing may cost a life.
const PARTS: &[&str] = &[
    "kill myself",
    "killing myself",
    "kms",
    "end my life",
    "end it all",
    "ending it all",
    "take my own life",
    "taking my own life",
    "want to die",
    "wanna die",
    "wish i was dead",
    "wish i were dead",
    "wish i wasnt alive",
    "better off dead",
    "better off without me",
    "suicide",
    "suicidal",
    "hurt myself",
    "hurting myself",
    "harm myself",
    "cutting myself",
    "dont want to be here anymore",
    "do not want to be here anymore",
    "dont wanna be here anymore",
    "dont want to live",
    "do not want to live",
    "cant go on anymore",
    "cant go on like this",
    "no reason to live",
    "nothing to live for",
    "he hits me",
    "she hits me",
    "hes hurting me",
    "shes hurting me",
    "hit me again",
    "being abused",
    "abusing me",
    "abuses me",
    "touched me",
    "raped",
    "afraid to go home",
    "scared to go home",
    "afraid for my life",
    "overdose",
    "overdosed",
    "call 911",
    "matarme",
    "quiero morir",
    "me quiero morir",
    "quitarme la vida",
    "no quiero vivir",
];
/// Parts that show that a grave part is not meant so: a joke, a song, a film.
const NOT_MEANT: &[&str] =
    &["touched me deeply", "touched me so much", "really touched me", "sermon touched me"];

/// Whether a person must see a text at once, because somebody may be in danger.
#[must_use]
pub fn is_grave(said: &str) -> bool {
    let words = words_of(said);
    let spoken: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !matches!(*word, "|" | "!" | "\""))
        .collect();
    let padded = padded(&spoken.join(" "));
    let has = |part: &&str| text::has(&padded, part);
    PARTS.iter().any(has) && !NOT_MEANT.iter().any(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn danger_is_never_missed() {
        for text in [
            "I don't want to be here anymore",
            "honestly i just want to die",
            "thinking about ending it all...",
            "He hits me. I can't come Sunday",
            "no quiero vivir",
        ] {
            assert!(is_grave(text), "{text}");
        }
        for text in [
            "I can't be there Sunday anymore",
            "this traffic is killing me",
            "that sermon touched me deeply",
            "dying to help!",
            "",
        ] {
            assert!(!is_grave(text), "{text}");
        }
    }
}
