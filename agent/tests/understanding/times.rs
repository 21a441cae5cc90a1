//! Time phrases.

use abide_agent::times::eval;
use serde_json::Value;

use super::confusion::Confusion;
use super::{lines, text};

/// The least share of phrases that must be read.
const AT_LEAST: f64 = 0.85;

#[test]
fn time_phrases_are_read() {
    for (half, with_texts) in [("seen", true), ("held", false)] {
        let mut confusion = Confusion::default();
        for line in lines("times", half) {
            let found: Value =
                serde_json::from_str(&eval(&line.to_string()).expect("an answer")).expect("JSON");
            let wrong: Vec<&str> = ["start", "end", "grain", "none"]
                .into_iter()
                .filter(|key| found.get(*key) != line.get(*key))
                .collect();
            confusion.add(text(&line, "phrase"), "", &wrong.join(" "));
        }
        confusion.print(&format!("times, {half}"), with_texts);
        assert!(confusion.share() >= AT_LEAST);
    }
}
