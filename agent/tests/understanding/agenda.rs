//! Dialogues whose goals an agenda keeps.

use abide_agent::agenda::{AgendaDialogue, play};

use super::confusion::Confusion;
use super::{lines, text};

#[test]
fn goals_of_dialogues_are_kept() {
    for (half, with_texts) in [("seen", true), ("held", false)] {
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
        assert!(confusion.share() >= 1.0);
    }
}
