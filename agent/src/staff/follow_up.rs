//! Answers to what we ask when too few people have said yes: wait longer, ask another team, or aim for fewer?

use jiff::Zoned;
use serde::{Deserialize, Serialize};

use super::slots::{NamedSlots, slots};
use crate::church::ChurchWords;
use crate::text::{self, padded, words as words_of};

/// What a member of staff wants if too few people have said yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WayOn {
    /// Go on asking for as many people.
    WaitLonger,
    /// Ask the people of another team; `None` if the text does not say which.
    AskTeam(Option<String>),
    /// Be content with fewer people; `None` if the text does not say with how many.
    AimFor(Option<i64>),
}

/// Parts of a text that want us to go on.
const WAIT: &[&str] = &[
    "wait longer",
    "wait a bit longer",
    "wait a little longer",
    "wait some more",
    "wait a bit more",
    "wait more",
    "keep waiting",
    "keep trying",
    "keep asking",
    "keep going",
    "keep at it",
    "try again",
    "ask again",
    "ask them again",
    "more time",
    "a few more hours",
    "another few hours",
    "another hour",
    "another day",
    "one more day",
    "longer please",
    "wait until",
    "espera mas",
];
/// Parts of a text that want other people asked.
const TEAM: &[&str] = &[
    "another team",
    "other team",
    "a different team",
    "ask the",
    "try the",
    "ask our",
    "try our",
    "check with the",
    "reach out to the",
    "ask",
    "try",
];
/// Parts of a text that want fewer people.
const FEWER: &[&str] = &[
    "aim for",
    "go with",
    "settle for",
    "make do with",
    "manage with",
    "live with",
    "fewer",
    "is fine",
    "is enough",
    "will do",
    "are enough",
    "lower",
];
/// A longer text tells a story of its own.
const WORDS_MAX: usize = 14;

/// Reads the answer to what we ask when too few people have said yes. Returns `None` for anything else.
#[must_use]
pub fn follow_up(said: &str, now: &Zoned, church: &ChurchWords) -> Option<WayOn> {
    let spoken = words_of(said);
    if spoken.len() > WORDS_MAX || spoken.iter().any(|word| word == "?") {
        return None;
    }
    let padded = padded(&spoken.join(" "));
    let has = |list: &[&str]| list.iter().any(|part| text::has(&padded, part));
    let NamedSlots { roles, count, .. } = slots(said, now, church);
    if has(FEWER) {
        return Some(WayOn::AimFor(count));
    }
    if has(WAIT) {
        return Some(WayOn::WaitLonger);
    }
    let names_team = has(&TEAM[..3]) || (has(TEAM) && !roles.is_empty());
    names_team.then(|| WayOn::AskTeam(roles.into_iter().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_ways_on_are_told_apart() {
        let now: jiff::Timestamp = "2025-09-30T18:20:00-05:00".parse().expect("an instant");
        let church = ChurchWords::demo();
        let now = now.to_zoned(church.zone.clone());
        let team = |name: &str| Some(WayOn::AskTeam(Some(name.to_owned())));
        let cases = [
            ("wait longer", Some(WayOn::WaitLonger)),
            ("Give it a few more hours please", Some(WayOn::WaitLonger)),
            ("keep trying", Some(WayOn::WaitLonger)),
            ("ask the greeters", team("greeters")),
            ("try the kids church team", team("children")),
            ("another team", Some(WayOn::AskTeam(None))),
            ("let's go with 3", Some(WayOn::AimFor(Some(3)))),
            ("three is enough", Some(WayOn::AimFor(Some(3)))),
            ("aim for fewer", Some(WayOn::AimFor(None))),
            ("should we wait longer?", None),
            ("thanks!", None),
        ];
        for (text, expected) in cases {
            assert_eq!(follow_up(text, &now, &church), expected, "{text}");
        }
    }
}
