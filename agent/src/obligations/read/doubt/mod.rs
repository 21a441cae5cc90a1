//! Reads doubts about the answer that was given: "are you sure?", "why did you say that".

mod check;
mod phrase;
mod reason;

use super::clause::Clause;
use super::courtesy::bare;
use crate::obligations::Obligation;
use check::is_check;
use phrase::NOTHING;
use reason::justified;

/// Reads a doubt.
pub(super) fn read(clause: Clause<'_>) -> Option<Vec<Obligation>> {
    let whole = clause.trimmed();
    let bare = bare(whole);
    let readings = [whole, bare];
    if readings.into_iter().any(is_check) {
        return Some(vec![Obligation::verify()]);
    }
    readings.into_iter().find_map(justified).map(|claim| vec![Obligation::justify(&claim)])
}

/// Whether words mean nothing but the answer itself.
fn is_nothing(rest: Clause<'_>) -> bool {
    passed(rest.trimmed(), NOTHING).trimmed().is_empty()
}

fn passed<'t>(clause: Clause<'t>, phrases: &str) -> Clause<'t> {
    let mut clause = clause;
    while let Some(rest) = clause.after(phrases) {
        clause = rest;
    }
    clause
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, show};

    #[test]
    fn doubts_ask_for_a_check() {
        for text in [
            "are you sure?",
            "u sure?",
            "are you a hundred percent sure",
            "is that right??",
            "was your answer right",
            "is it really 7?",
            "can you double check that please",
            "double-check your answer",
            "count them again",
            "that can't be right",
            "that number seems off",
            "I think you made a mistake",
            "hmm I got 13",
            "make sure that's correct",
        ] {
            assert_eq!(show(text), "VERIFY last_answer target=last_answer", "{text}");
        }
    }

    #[test]
    fn doubts_ask_for_a_reason() {
        for text in [
            "Why?",
            "why did you say that",
            "where did you get that from?",
            "where's that number from",
            "how did you come up with that",
            "how is that possible",
            "show your work",
            "what's your basis for that",
            "walk me through how you got 42",
            "reasoning?",
        ] {
            assert_eq!(show(text), "JUSTIFY claim claim=last_answer", "{text}");
        }
        check(
            show,
            &[
                ("why is the sky blue?", "JUSTIFY claim claim=is the sky blue"),
                (
                    "how do you know that Tom lives in Boise",
                    "JUSTIFY claim claim=Tom lives in Boise",
                ),
            ],
        );
    }

    #[test]
    fn other_texts_are_no_doubts() {
        for text in [
            "that's right",
            "you're right",
            "how did you sleep",
            "where are you",
            "sure",
            "check the oven",
        ] {
            assert!(
                !show(text).contains("VERIFY") && !show(text).contains("JUSTIFY"),
                "{text}: {}",
                show(text)
            );
        }
    }
}
