//! The rule for a range of clock times, and how each end takes its half of the day from the other.

use crate::times::clock::{self, Bare};
use crate::times::cursor::Cursor;
use crate::times::reading::Grain;
use crate::times::said::{BetweenWords, ClockTime, ClockWords, Cue, Half};

/// Words and marks between the ends of a range.
const CONNECTORS: &[&str] = &["to", "until", "til", "till", "thru", "through", "-", "–", "—"];

/// Passes what stands between the ends of a range.
pub(crate) fn connector(cursor: &mut Cursor) -> Option<()> {
    cursor.take_any(CONNECTORS).map(|_| ())
}

/// Passes "from" or "between".
pub(crate) fn opener<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    cursor.take_any(&["from", "between", "btwn"])
}

/// Whether the cursor stands at the end of a number that a dash separates from the next.
fn has_loose_dash(cursor: &Cursor) -> bool {
    let is_dash = matches!(cursor.text(0), "-" | "–" | "—");
    is_dash && !cursor.token(0).is_some_and(|dash| dash.glued)
}

/// Reads "from 9 to 11", "7-9pm", "between two and four".
pub(crate) fn between(cursor: &mut Cursor, bare: Bare) -> Option<BetweenWords> {
    cursor.attempt(|cursor| {
        let opener = opener(cursor);
        // The dash after seconds begins an offset: "09:00:00-05:00".
        let from = clock::clock(cursor, Bare::InRange)?;
        if from.grain == Grain::Second {
            return None;
        }
        let is_loose = has_loose_dash(cursor);
        match opener {
            Some("between" | "btwn") => cursor.take_any(&["and", "-", "to", "&"]).map(|_| ())?,
            _ => connector(cursor)?,
        }
        let until = clock::clock(cursor, Bare::InRange)?;
        let formed = [from, until].iter().filter(|clock| clock.cue == Cue::Form).count();
        let is_clear = match formed {
            2 => true,
            // "9am - 3 parking" is a time and a count.
            1 => {
                !cursor.is_within()
                    || until.cue == Cue::Form && (opener.is_some() || !is_loose)
                    || cursor.is_number_over() && !is_loose
            }
            _ if cursor.is_within() => bare == Bare::AfterDay && cursor.is_number_over(),
            _ => opener.is_some() || bare == Bare::AfterDay || clock::is_followed_by_day(cursor),
        };
        let cue = if formed > 0 { Cue::Form } else { Cue::Place };
        let [from, until] = [from, until].map(|clock| ClockWords { cue, ..clock });
        is_clear.then_some(BetweenWords { from, until })
    })
}

/// Both ends of a range, placed in the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Between {
    pub(crate) from: ClockTime,
    pub(crate) until: ClockTime,
}

/// A clock time in the day; `half` is what the rest of the phrase says about it.
pub(crate) fn place(clock: ClockWords, half: Option<Half>) -> ClockTime {
    let half = match (clock.half, half) {
        (Half::Unsaid, Some(half)) => half,
        (said, _) => said,
    };
    let hour = match half {
        Half::Whole => clock.hour,
        Half::Am => clock.hour % 12,
        Half::Pm => clock.hour % 12 + 12,
        Half::Night if (6..12).contains(&clock.hour) => clock.hour + 12,
        Half::Night => clock.hour % 12,
        Half::Unsaid if (1..=6).contains(&clock.hour) => clock.hour + 12,
        Half::Unsaid => clock.hour,
    };
    ClockTime {
        hour,
        minute: clock.minute,
        second: clock.second,
        is_exact: half != Half::Unsaid,
        cue: clock.cue,
    }
}

/// Both ends in the day. An end without a half of the day is the nearest to the other end.
pub(crate) fn place_both(words: BetweenWords, half: Option<Half>) -> Between {
    let (mut from, mut until) = (place(words.from, half), place(words.until, half));
    let said = |clock: ClockWords| clock.half != Half::Unsaid;
    if !said(words.from) && said(words.until) {
        from.hour = until.hour / 12 * 12 + from.hour % 12;
        if !is_before(from, until) {
            from.hour = (from.hour + 12) % 24;
        }
        from.is_exact = true;
    } else if !said(words.until) && (said(words.from) || half.is_none()) {
        until.hour = from.hour / 12 * 12 + until.hour % 12;
        if !is_before(from, until) {
            until.hour = (until.hour + 12) % 24;
        }
        until.is_exact = from.is_exact;
    }
    Between { from, until }
}

/// Whether `a` is earlier in the day than `b`.
pub(crate) fn is_before(a: ClockTime, b: ClockTime) -> bool {
    let seconds = |clock: ClockTime| [clock.hour, clock.minute, clock.second];
    seconds(a) < seconds(b)
}
