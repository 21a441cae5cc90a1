//! Things that are counted in arithmetic: "12 eggs minus 5 broken ones".

use crate::number::number;
use crate::obligations::read::clause::Clause;

/// Words that name no things.
const NO_NOUNS: &str = "to|by|from|than|is|was|what|how|if|then|into|power|root|in|at|when|remainder|\
    factorial|squared|cubed|average|who";

/// Returns a clause without the things that are counted: "12 eggs minus 5 broken ones" is "12 minus 5".
pub(super) fn without_nouns(clause: Clause<'_>) -> Option<String> {
    const SIGNS: &str = "plus|minus|times|divided by|multiplied by|+|-|*|/|x|take away|less|added to|over|\
        percent of|%|of|(|)";
    /// Words of numbers, which are no things.
    const NUMBERS: &str = "hundred|thousand|million|and|point|half|dozen";
    const NOUNS_MAX: usize = 3;
    let is_number = |at: usize| {
        clause.is_number(at)
            || number(clause.word(at)).is_some()
            || clause.from(at).starts(NUMBERS) > 0
    };
    let mut words: Vec<&str> = Vec::new();
    let (mut at, mut nouns, mut signs) = (0, 0, 0);
    while at < clause.len() {
        let sign = clause.from(at).starts(SIGNS);
        if sign > 0 || is_number(at) {
            signs += usize::from(sign > 0);
            words.extend((at..at + sign.max(1)).map(|at| clause.word(at)));
            (at, nouns) = (at + sign.max(1), 0);
            continue;
        }
        nouns += 1;
        let is_noun = clause.from(at).starts(NO_NOUNS) == 0;
        if !is_noun
            || words.is_empty()
            || nouns > NOUNS_MAX
            || clause.word(at).chars().all(|c| !c.is_alphabetic())
        {
            return None;
        }
        at += 1;
    }
    (signs > 0 && words.len() < clause.len()).then(|| words.join(" "))
}
