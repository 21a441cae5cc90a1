//! Texts that were changed at random.

use jiff::Zoned;

use super::{NOW, at};
use crate::times::{find, read_phrase};

const ROUNDS: usize = 20_000;
const SEED: u64 = 0x5eed;
const PHRASES: &[&str] = &[
    "from Friday at 6pm to Sunday noon",
    "the day after the Sunday before Easter 2026",
    "half past six in the morning on Monday",
    "Dec 5-7, 2026",
    "2026-11-02T09:00:30",
    "last Friday of the month at 6:30 p.m.",
    "in 2 hours and 15 minutes",
    "Q2 2026",
    "need 5 nursery for the 9am this sunday’s service 👍",
    "9999-12-31",
    "in 9999 months",
    "the week of January 1 1900",
    "in 520 Sundays",
    "twenty-first of May, 23:59",
];
const PIECES: &[&str] = &[
    " ",
    "",
    "9",
    "-",
    "/",
    ":",
    ".",
    "é",
    "👍",
    "\u{200d}",
    "’s",
    "day",
    "next ",
    "last ",
    " of ",
    " from ",
    " after ",
    "the ",
    "0000",
    "9999",
    "am",
    "İ",
    "\n",
    " before Easter",
    "ß",
];
const REFERENCES: [&str; 4] = [
    NOW,
    "9999-12-29T23:59:59-06:00[America/Chicago]",
    "-009999-01-03T00:00:00+00:00[UTC]",
    "2026-03-08T01:59:59-06:00[America/Chicago]",
];

/// A linear congruential generator.
struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        usize::try_from(self.0 >> 33).expect("31 bits") % count.max(1)
    }

    fn text(&mut self) -> String {
        let mut text: Vec<char> = PHRASES[self.below(PHRASES.len())].chars().collect();
        for _ in 0..=self.below(4) {
            let at = self.below(text.len() + 1);
            let end = (at + self.below(4)).min(text.len());
            let piece: Vec<char> = match self.below(2) {
                0 => PIECES[self.below(PIECES.len())].chars().collect(),
                _ => {
                    let chars = PHRASES[self.below(PHRASES.len())].chars();
                    chars.skip(self.below(12)).take(self.below(14)).collect()
                }
            };
            text.splice(at..end, piece);
        }
        text.into_iter().collect()
    }
}

/// No reader panics, and what they return is in order.
#[test]
fn no_text_makes_a_reader_panic() {
    let references = REFERENCES.map(at);
    let mut chance = Chance(SEED);
    for round in 0..ROUNDS {
        check(&chance.text(), &references[round % references.len()]);
    }
}

fn check(text: &str, reference: &Zoned) {
    if let Some(reading) = read_phrase(text, reference) {
        assert!(reading.end.is_none_or(|end| end > reading.start), "{text}");
    }
    let mut last = 0;
    for found in find(text, reference) {
        assert!(last <= found.bytes.start && found.bytes.start < found.bytes.end, "{text}");
        assert!(text.get(found.bytes.clone()).is_some(), "{text}");
        last = found.bytes.end;
    }
}
