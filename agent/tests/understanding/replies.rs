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
    let (seen, held) = (confusion("seen"), confusion("held"));
    seen.print("replies, seen", true);
    held.print("replies, held back", false);
    assert!(seen.share() >= SEEN_AT_LEAST && held.share() >= HELD_AT_LEAST);
    let reversed = |half: &Confusion| {
        half.taken_for("decline", "accept") + half.taken_for("accept", "decline")
    };
    println!("yes and no reversed: {} seen, {} held back", reversed(&seen), reversed(&held));
}

/// The least share of replies that must be understood in each half.
const SEEN_AT_LEAST: f64 = 0.78;
const HELD_AT_LEAST: f64 = 0.75;
