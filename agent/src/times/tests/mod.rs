//! Phrases of all sorts, read at one Tuesday afternoon in Chicago unless a test says otherwise.

mod mutations;
mod phrases;
mod texts;

use jiff::Zoned;

/// A Tuesday.
const NOW: &str = "2026-01-13T14:20:00-06:00[America/Chicago]";

fn at(reference: &str) -> Zoned {
    reference.parse().expect("a reference")
}
