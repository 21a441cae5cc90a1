//! Classifies a message for the agenda, where no other classifier does.

use super::turn::{Classification, Complexity, Pulse};
use crate::text::{self, padded, words};

/// A message with at most so many words asks for nothing that takes steps.
const SIMPLE_WORDS_MAX: usize = 3;
/// A message with more words asks for several things, or for one that takes thought.
const MODERATE_WORDS_MAX: usize = 18;
/// Words of somebody who plans.
const PLANNING: &[&str] =
    &["plan", "planning", "itinerary", "trip", "organise", "organize", "vacation"];
/// How somebody changes the subject.
const TURNING: &[&str] =
    &["by the way", "btw", "something else", "different topic", "another thing", "unrelated"];
/// Words of somebody who takes the lead.
const LEADING: &[&str] = &["let's", "lets", "need", "must", "asap", "urgent", "now", "please"];
/// Words of somebody who only follows.
const FOLLOWING: &[&str] =
    &["ok", "okay", "k", "sure", "fine", "whatever", "maybe", "hm", "hmm", "lol", "thanks", "thx"];

/// Classifies a message by its words alone.
#[must_use]
pub fn classify(text: &str) -> Classification {
    let said = words(text);
    let spoken = padded(&said.join(" "));
    let has = |list: &[&str]| list.iter().any(|word| text::has(&spoken, word));
    let asks = text.contains('?');
    let complexity = match said.len() {
        0..=SIMPLE_WORDS_MAX if !asks => Complexity::Simple,
        0..=MODERATE_WORDS_MAX => Complexity::Moderate,
        _ => Complexity::Complex,
    };
    let goal = if has(TURNING) {
        "redirect"
    } else if has(PLANNING) {
        "plan"
    } else {
        "inform"
    };
    let pulse = if has(LEADING) || text.contains('!') {
        Pulse::Proactive
    } else if complexity == Complexity::Simple && has(FOLLOWING) {
        Pulse::Passive
    } else {
        Pulse::Engaged
    };
    Classification { complexity, goal: goal.to_owned(), pulse, active_tool: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_classified_by_its_words() {
        let cases = [
            ("ok", Complexity::Simple, "inform", Pulse::Passive),
            ("good morning", Complexity::Simple, "inform", Pulse::Engaged),
            ("how much?", Complexity::Moderate, "inform", Pulse::Engaged),
            ("let's plan a weekend in Hobart", Complexity::Moderate, "plan", Pulse::Proactive),
            ("by the way do you know a plumber", Complexity::Moderate, "redirect", Pulse::Engaged),
        ];
        for (text, complexity, goal, pulse) in cases {
            let found = classify(text);
            assert_eq!(
                (found.complexity, &*found.goal, found.pulse),
                (complexity, goal, pulse),
                "{text}"
            );
        }
    }
}
