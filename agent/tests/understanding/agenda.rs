//! Dialogues whose goals an agenda keeps.

use abide_agent::agenda::{AgendaDialogue, play};

use super::confusion::Confusion;
use super::{lines, text};

/// The least share of dialogues of the half that nobody looks at. In the seen half, all must be right.
const HELD_AT_LEAST: f64 = 0.96;

#[test]
fn goals_of_dialogues_are_kept() {
    for (half, with_texts, at_least) in [("seen", true, 1.0), ("held", false, HELD_AT_LEAST)] {
        let mut confusion = Confusion::default();
        for line in lines("agenda", half) {
            let wanted = &line["expect"]["turns"];
            let dialogue: AgendaDialogue =
                serde_json::from_value(line.clone()).expect("a dialogue");
            let found = serde_json::to_value(play(dialogue).turns).expect("JSON");
            let is_right = found == *wanted;
            let shown = format!("{}: {found}", text(&line, "name"));
            confusion.add(&shown, "right", if is_right { "right" } else { "wrong" });
        }
        confusion.print(&format!("agenda, {half}"), with_texts);
        assert!(confusion.share() >= at_least);
    }
}
