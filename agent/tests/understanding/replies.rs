//! Replies of volunteers.

use abide_agent::reply::{ReplyPrompt, read};

use super::confusion::Confusion;
use super::{lines, text};

fn confusion(half: &str) -> Confusion {
    let mut confusion = Confusion::default();
    for line in lines("replies", half) {
        let context: ReplyPrompt =
            serde_json::from_value(line["context"].clone()).expect("a context");
        let found = read(text(&line, "text"), context).label;
        confusion.add(text(&line, "text"), text(&line, "label"), found.as_str());
    }
    confusion
}

#[test]
fn replies_are_understood() {
    let halves = [("seen", SEEN_AT_LEAST), ("held", HELD_AT_LEAST)];
    for (half, at_least) in halves {
        let found = confusion(half);
        found.print(&format!("replies, {half}"), half == "seen");
        let reversed = reversed(&found);
        let missed: usize = OTHERS.iter().map(|other| found.taken_for("opt_out", other)).sum();
        let eager =
            found.taken_for("conditional", "accept") + found.taken_for("tentative", "accept");
        println!("{half}: {reversed} yes and no reversed, {missed} opt-outs missed");
        println!("{half}: {eager} conditions and doubts taken for a yes");
        assert!(found.share() >= at_least, "{half}");
        assert!(reversed <= REVERSED_AT_MOST, "{half}");
        assert_eq!(missed, 0, "{half}");
        assert!(eager <= EAGER_AT_MOST, "{half}");
    }
}

/// Returns how often a no was taken for a yes, or a yes for a no.
fn reversed(found: &Confusion) -> usize {
    let no = ["decline", "cancel_later"];
    no.iter().map(|no| found.taken_for(no, "accept") + found.taken_for("accept", no)).sum()
}

/// The labels beside that of an opt-out.
const OTHERS: [&str; 9] = [
    "accept",
    "decline",
    "conditional",
    "tentative",
    "question",
    "cancel_later",
    "opt_in",
    "help",
    "unrelated",
];
/// The least share of replies that must be understood in each half.
const SEEN_AT_LEAST: f64 = 0.96;
const HELD_AT_LEAST: f64 = 0.92;
/// How many replies of a half may be taken for their opposite.
const REVERSED_AT_MOST: usize = 6;
/// How many conditions and doubts of a half may be taken for a yes.
const EAGER_AT_MOST: usize = 1;
