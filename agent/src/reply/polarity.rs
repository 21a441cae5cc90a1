//! What a clause says by yes and no together: "wouldn't miss it" is no twice, which is a yes, and "not out of town"
//! names an obstacle that is none. A word by itself does not tell these from "would miss it" and "out of town".

use super::features::groups;

/// Words that deny what follows.
const DENYING: &[&str] = &[
    "not", "no", "cant", "dont", "wont", "never", "isnt", "arent", "doesnt", "didnt", "couldnt",
    "wouldnt", "shouldnt", "aint", "wasnt", "werent", "havent", "hasnt", "without", "unable",
    "nothing", "nobody", "none", "neither", "nor", "hardly", "nope", "nunca", "jamas", "nada",
];
/// Words of one who stays away, or who asks for somebody to stand in.
const AVOIDING: &[&str] = &[
    "miss",
    "missing",
    "skip",
    "skipping",
    "refuse",
    "refusing",
    "decline",
    "bail",
    "bailing",
    "flake",
    "flaking",
    "flaked",
    "forget",
    "forgot",
    "forgotten",
    "cancel",
    "canceling",
    "cancelling",
    "mind",
    "complain",
    "hesitate",
    "regret",
    "resist",
    "falto",
    "faltar",
    "fallo",
    "olvida",
    "olvidado",
    "impide",
    "sub",
    "replacement",
    "cover",
];
/// Phrases of one who stays away.
const AVOIDING_PHRASES: &[&str] = &[
    "say no",
    "said no",
    "saying no",
    "digo que no",
    "decir que no",
    "keep me",
    "keeping me",
    "stop me",
    "stopping me",
    "turn down",
    "turn you",
    "turn that",
    "turn it",
    "pass up",
    "back out",
    "backing out",
    "let you",
    "let yall",
    "leave you",
    "count me out",
    "id rather",
    "better to",
    "a better",
    "anything better",
    "anywhere else",
    "any reason",
    "reason not",
    "reason to",
    "good reason",
    "an excuse",
    "excuses",
];
/// The groups of the lexicon that name what keeps people from coming.
const OBSTACLES: &[&str] = &[
    "ILL", "INJURY", "DEATH", "BIRTH", "TRAVEL", "WORK", "EVENT", "STUDY", "CAR", "WEATHER", "BUSY",
];
/// Phrases that name what keeps people from coming.
const OBSTACLE_PHRASES: &[&str] =
    &["out of", "be gone", "im gone", "were gone", "other plans", "already have"];
/// Phrases that say that an obstacle is none any more.
const OVER: &[&str] = &[
    "called off",
    "rained out",
    "fell through",
    "no longer",
    "anymore",
    "any more",
    "after all",
    "got canceled",
    "got cancelled",
    "was canceled",
    "was cancelled",
    "is gone",
    "fevers gone",
    "got moved",
    "moved my",
    "postponed",
    "is over",
    "are over",
    "over it",
    "cleared me",
    "healed",
    "better now",
    "fine now",
    "is fixed",
    "off work",
    "day off",
    "gave me",
    "school is out",
    "schools out",
];
/// Phrases of one who is there and has time.
const AT_HAND: &[&str] = &[
    "in town",
    "be home",
    "im home",
    "be around",
    "im around",
    "be here",
    "wide open",
    "im off",
    "im free",
    "be free",
    "available",
    "estoy libre",
    "plenty of",
    "got time",
    "the time",
    "is open",
    "is empty",
    "is clear",
    "on that",
    "planned",
    "plans",
    "going on",
    "doing anything",
    "im able",
];
/// Phrases that ask or suppose what nobody would do.
const SUPPOSED: &[&str] = &[
    "who could",
    "who would",
    "who am",
    "how could",
    "how can",
    "why would",
    "why wouldnt",
    "why not",
    "as if",
    "like id",
    "a fool",
    "be crazy",
    "be silly",
    "be rude",
    "kill me",
    "skin me",
    "when have",
    "when did",
    "por que no",
    "if i could",
    "if only",
];
/// The most words of a phrase here.
const PHRASE_WORDS_MAX: usize = 3;
/// How many parts of a clause's course are told apart.
const PARTS_MAX: usize = 4;

/// Returns for each clause the course of what it denies, avoids and names, such as `deny avoid`.
pub(super) fn courses(words: &[&str]) -> Vec<String> {
    words
        .split(|word| matches!(*word, "|" | "?" | "!" | "but" | "pero" | "so"))
        .map(course)
        .filter(|course| !course.is_empty())
        .collect()
}

fn course(clause: &[&str]) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for ix in 0..clause.len() {
        if let Some(part) = part(&clause[ix..])
            && parts.last() != Some(&part)
        {
            parts.push(part);
        }
    }
    parts.truncate(PARTS_MAX);
    parts.join(" ")
}

/// Returns what the words do with which a clause goes on.
fn part(rest: &[&str]) -> Option<&'static str> {
    let begins = |phrases: &[&str]| {
        (1..=PHRASE_WORDS_MAX.min(rest.len()))
            .any(|count| phrases.contains(&rest[..count].join(" ").as_str()))
    };
    let word = rest.first()?;
    let obstacle = || groups(word).first().is_some_and(|group| OBSTACLES.contains(group));
    if begins(SUPPOSED) {
        Some("suppose")
    } else if begins(OVER) {
        Some("over")
    } else if begins(AT_HAND) {
        Some("hand")
    } else if begins(AVOIDING_PHRASES) || AVOIDING.contains(word) {
        Some("avoid")
    } else if DENYING.contains(word) {
        Some("deny")
    } else if begins(OBSTACLE_PHRASES) || obstacle() {
        Some("obstacle")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_that_denies_an_obstacle_is_told_from_one_that_names_it() {
        let cases: [(&str, &[&str]); 6] = [
            ("wouldnt miss it", &["deny avoid"]),
            ("im not out of town", &["deny obstacle"]),
            ("im out of town", &["obstacle"]),
            ("the wedding got moved so im free", &["obstacle over", "hand"]),
            ("who could say no to that ?", &["suppose avoid deny"]),
            ("see you there", &[]),
        ];
        for (text, expected) in cases {
            let words: Vec<&str> = text.split(' ').collect();
            assert_eq!(courses(&words), expected, "{text}");
        }
    }
}
