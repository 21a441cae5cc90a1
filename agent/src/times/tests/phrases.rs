//! What whole phrases mean.

use jiff::Zoned;

use super::{NOW, at};
use crate::times::read_phrase;

const NONE: &str = "none";

/// The reading as `start grain` or `start..end grain`, without offsets and zero seconds.
fn shown(phrase: &str, reference: &Zoned) -> String {
    let Some(reading) = read_phrase(phrase, reference) else { return NONE.to_owned() };
    let show = |time: &Zoned| {
        let civil = time.datetime().to_string();
        let civil = civil.strip_suffix(":00").unwrap_or(&civil);
        civil.strip_suffix("T00:00").unwrap_or(civil).to_owned()
    };
    let end = reading.end.as_ref().map(|end| format!("..{}", show(end))).unwrap_or_default();
    format!("{}{end} {}", show(&reading.start), reading.grain.as_str())
}

#[track_caller]
fn check(reference: &str, cases: &[(&str, &str)]) {
    let reference = at(reference);
    let wrong: Vec<String> = cases
        .iter()
        .map(|(phrase, expected)| (phrase, expected, shown(phrase, &reference)))
        .filter(|(_, expected, shown)| *expected != shown)
        .map(|(phrase, expected, shown)| format!("{phrase}: expected {expected}, not {shown}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn clock_times() {
    check(
        NOW,
        &[
            ("5pm", "2026-01-13T17:00 hour"),
            ("5 P.M.", "2026-01-13T17:00 hour"),
            ("5p", "2026-01-13T17:00 hour"),
            ("9a", "2026-01-14T09:00 hour"),
            ("930am", "2026-01-14T09:30 minute"),
            ("at 630", "2026-01-13T18:30 minute"),
            ("9.15 am", "2026-01-14T09:15 minute"),
            ("by 5:45pm", "2026-01-13T17:45 minute"),
            ("around 8", "2026-01-14T08:00 hour"),
            ("at about 4", "2026-01-13T16:00 hour"),
            ("12:30", "2026-01-14T12:30 minute"),
            ("12am", "2026-01-14 hour"),
            ("12 pm", "2026-01-14T12:00 hour"),
            ("12 noon", "2026-01-14T12:00 hour"),
            ("midnight", "2026-01-14 hour"),
            ("16:05:30", "2026-01-13T16:05:30 second"),
            ("05:30", "2026-01-14T05:30 minute"),
            ("1900 hrs", "2026-01-13T19:00 minute"),
            ("seven o'clock", "2026-01-14T07:00 hour"),
            ("8 o’clock pm", "2026-01-13T20:00 hour"),
            ("nine oh five pm", "2026-01-13T21:05 minute"),
            ("seven forty-five am", "2026-01-14T07:45 minute"),
            ("quarter past 3", "2026-01-13T15:15 minute"),
            ("a quarter of five", "2026-01-13T16:45 minute"),
            ("ten to six pm", "2026-01-13T17:50 minute"),
            ("5 minutes to 3", "2026-01-13T14:55 minute"),
            ("quarter to noon", "2026-01-14T11:45 minute"),
            ("quarter to 12 am", "2026-01-13T23:45 minute"),
            ("half past midnight", "2026-01-14T00:30 minute"),
            ("3 in the morning", "2026-01-14T03:00 hour"),
            ("8 in the evening", "2026-01-13T20:00 hour"),
            ("ten at night", "2026-01-13T22:00 hour"),
            ("9ish", "2026-01-14T09:00 hour"),
            ("ten thirty-five", "2026-01-14T10:35 minute"),
            ("9 sharp on Friday", "2026-01-16T09:00 hour"),
        ],
    );
}

#[test]
fn days() {
    check(
        NOW,
        &[
            ("today", "2026-01-13 day"),
            ("tmrw at 9", "2026-01-14T09:00 hour"),
            ("2moro 9am", "2026-01-14T09:00 hour"),
            ("tommorow noon", "2026-01-14T12:00 hour"),
            ("yesterday", "2026-01-12 day"),
            ("yesterday at 4:30 pm", "2026-01-12T16:30 minute"),
            ("day after tomorrow at noon", "2026-01-15T12:00 hour"),
            ("the day before yesterday", "2026-01-11 day"),
            ("Tuesday", "2026-01-20 day"),
            ("Tuesday at 5", "2026-01-13T17:00 hour"),
            ("Tuesday at 9am", "2026-01-20T09:00 hour"),
            ("this Tuesday", "2026-01-13 day"),
            ("this coming Tuesday", "2026-01-20 day"),
            ("thurs.", "2026-01-15 day"),
            ("Sun. at 11", "2026-01-18T11:00 hour"),
            ("wensday", "2026-01-14 day"),
            ("Firday 6pm", "2026-01-16T18:00 hour"),
            ("on the coming sunday", "2026-01-18 day"),
            ("next Sunday", "2026-01-25 day"),
            ("next Monday", "2026-01-19 day"),
            ("last Sunday", "2026-01-11 day"),
            ("this past Tuesday", "2026-01-06 day"),
            ("the Sunday after next", "2026-02-01 day"),
            ("Saturday next week", "2026-01-24 day"),
            ("next week on Thursday at 7pm", "2026-01-22T19:00 hour"),
            ("Monday of this week", "2026-01-12 day"),
            ("Saturday this weekend", "2026-01-17 day"),
            ("two Sundays from now", "2026-01-25 day"),
            ("in three Fridays", "2026-01-30 day"),
            ("two Mondays ago", "2026-01-05 day"),
        ],
    );
}

#[test]
fn dates() {
    check(
        NOW,
        &[
            ("Feb 3", "2026-02-03 day"),
            ("feb. 3rd, 2027", "2027-02-03 day"),
            ("January 13", "2026-01-13 day"),
            ("January 12", "2027-01-12 day"),
            ("Sept 5th at 10", "2026-09-05T10:00 hour"),
            ("ocotber 9", "2026-10-09 day"),
            ("the twenty-first of March", "2026-03-21 day"),
            ("3 July 2026 at 8:15 pm", "2026-07-03T20:15 minute"),
            ("the 5th at noon", "2026-02-05T12:00 hour"),
            ("on the 31st", "2026-01-31 day"),
            ("the third at 6pm", "2026-02-03T18:00 hour"),
            ("the 5th of next month", "2026-02-05 day"),
            ("the first of the month", "2026-02-01 day"),
            ("2/14", "2026-02-14 day"),
            ("2/14/26 at 7pm", "2026-02-14T19:00 hour"),
            ("3-15-2026", "2026-03-15 day"),
            ("2026-03-15T18:45", "2026-03-15T18:45 minute"),
            ("2026-03-15T12:00:00Z", "2026-03-15T07:00 second"),
            ("2026-03-15T12:00-05:00", "2026-03-15T12:00 minute"),
            ("2026/03/15 9am", "2026-03-15T09:00 hour"),
            ("Friday the 13th", "2026-02-13 day"),
            ("Sunday, Jan 18", "2026-01-18 day"),
            ("Sunday, January 18th at 9:00", "2026-01-18T09:00 minute"),
            ("Monday Jan 18", NONE),
            ("this Sunday the 18th", "2026-01-18 day"),
            ("October 5 next year", "2027-10-05 day"),
            ("Feb 29", "2028-02-29 day"),
            ("Feb 29 2027", NONE),
            ("June 31", NONE),
            ("the 32nd", NONE),
            ("13/45", NONE),
        ],
    );
}

#[test]
fn places_in_a_month() {
    check(
        NOW,
        &[
            ("first Sunday in December", "2026-12-06 day"),
            ("the 2nd Saturday of January", "2027-01-09 day"),
            ("third Wednesday of the month", "2026-01-21 day"),
            ("first Monday of the month", "2026-02-02 day"),
            ("last Friday of the month at 6", "2026-01-30T18:00 hour"),
            ("last Sunday of next month", "2026-02-22 day"),
            ("the last day of February", "2026-02-28 day"),
            ("first day of next month", "2026-02-01 day"),
            ("last Sunday in October 2027", "2027-10-31 day"),
            ("first Sunday of the year", "2026-01-04 day"),
            ("fifth Friday of this month", "2026-01-30 day"),
            ("fifth Monday of this month", NONE),
        ],
    );
}

#[test]
fn holidays() {
    check(
        NOW,
        &[
            ("Easter", "2026-04-05 day"),
            ("easter at 9", "2026-04-05T09:00 hour"),
            ("Easter 2027", "2027-03-28 day"),
            ("last Easter", "2025-04-20 day"),
            ("Good Friday at 7pm", "2026-04-03T19:00 hour"),
            ("palm sunday", "2026-03-29 day"),
            ("Ash Wednesday", "2026-02-18 day"),
            ("Pentecost", "2026-05-24 day"),
            ("thanksgiving", "2026-11-26 day"),
            ("Christmas Eve at 6:30", "2026-12-24T18:30 minute"),
            ("chrismas", "2026-12-25 day"),
            ("next Christmas", "2026-12-25 day"),
            ("Christmas next year", "2027-12-25 day"),
            ("New Year's Eve", "2026-12-31 day"),
            ("new years day", "2027-01-01 day"),
            ("4th of July", "2026-07-04 day"),
            ("the Fourth of July at noon", "2026-07-04T12:00 hour"),
            ("MLK Day", "2026-01-19 day"),
            ("Presidents' Day", "2026-02-16 day"),
            ("memorial day", "2026-05-25 day"),
            ("Labor Day weekend", NONE),
            ("Thanksgiving Eve at 7pm", "2026-11-25T19:00 hour"),
            ("labor day", "2026-09-07 day"),
            ("mothers day", "2026-05-10 day"),
            ("Father’s Day", "2026-06-21 day"),
            ("columbus day", "2026-10-12 day"),
            ("veterans day", "2026-11-11 day"),
            ("Juneteenth", "2026-06-19 day"),
            ("halloween night", "2026-10-31T18:00..2026-11-01 hour"),
            ("valentines day", "2026-02-14 day"),
            ("first Sunday of Advent", "2026-11-29 day"),
            ("day before Easter", "2026-04-04 day"),
            ("the Sunday after Easter", "2026-04-12 day"),
            ("the Wednesday before Thanksgiving at 7pm", "2026-11-25T19:00 hour"),
            ("two days after Christmas", "2026-12-27 day"),
        ],
    );
}

#[test]
fn distances() {
    check(
        NOW,
        &[
            ("in 3 days", "2026-01-16 day"),
            ("in 3 days at 10am", "2026-01-16T10:00 hour"),
            ("in a couple of weeks", "2026-01-27 day"),
            ("a fortnight from now", "2026-01-27 day"),
            ("a week from Friday", "2026-01-23 day"),
            ("two weeks after Easter", "2026-04-19 day"),
            ("a week ago", "2026-01-06 day"),
            ("in 2 months", "2026-03-13 day"),
            ("two years from now", "2028-01-13 day"),
            ("in an hour", "2026-01-13T15:20 minute"),
            ("an hour and a half from now", "2026-01-13T15:50 second"),
            ("in two and a half hours", "2026-01-13T16:50 second"),
            ("in 1.5 hours", "2026-01-13T15:50 second"),
            ("in 2 hours and 15 minutes", "2026-01-13T16:35 second"),
            ("45 min ago", "2026-01-13T13:35 second"),
            ("in half an hour", "2026-01-13T14:50 second"),
            ("in 30 seconds", "2026-01-13T14:20:30 second"),
            ("in 9999 years", NONE),
        ],
    );
}

#[test]
fn parts_of_the_day() {
    check(
        NOW,
        &[
            ("tonight", "2026-01-13T18:00..2026-01-14 hour"),
            ("tonight at 8", "2026-01-13T20:00 hour"),
            ("1am tonight", "2026-01-14T01:00 hour"),
            ("midnight tonight", "2026-01-14 hour"),
            ("this morning", "2026-01-13T04:00..2026-01-13T12:00 hour"),
            ("in the morning", "2026-01-14T04:00..2026-01-14T12:00 hour"),
            ("last night", "2026-01-12T18:00..2026-01-13 hour"),
            ("Friday afternoon", "2026-01-16T12:00..2026-01-16T19:00 hour"),
            ("the evening of the 20th", "2026-01-20T18:00..2026-01-21 hour"),
            ("tomorrow morning at 7:15", "2026-01-14T07:15 minute"),
            ("Sunday night at 9", "2026-01-18T21:00 hour"),
            ("8 this evening", "2026-01-13T20:00 hour"),
            ("today at 9", "2026-01-13T21:00 hour"),
        ],
    );
}

#[test]
fn ranges() {
    check(
        NOW,
        &[
            ("from 9 to 11", "2026-01-14T09:00..2026-01-14T11:00 hour"),
            ("between 2 and 4 pm", "2026-01-14T14:00..2026-01-14T16:00 hour"),
            ("from 11 to 1 tomorrow", "2026-01-14T11:00..2026-01-14T13:00 hour"),
            ("9am-5", "2026-01-14T09:00..2026-01-14T17:00 hour"),
            ("7-9pm", "2026-01-13T19:00..2026-01-13T21:00 hour"),
            ("6 to 8 tonight", "2026-01-13T18:00..2026-01-13T20:00 hour"),
            ("11am to 12:30pm Sunday", "2026-01-18T11:00..2026-01-18T12:30 minute"),
            ("Friday 10pm until 2am", "2026-01-16T22:00..2026-01-17T02:00 hour"),
            ("Saturday evening 6 to 8", "2026-01-17T18:00..2026-01-17T20:00 hour"),
            ("Dec 5-7", "2026-12-05..2026-12-08 day"),
            ("5 to 7 December 2027", "2027-12-05..2027-12-08 day"),
            ("March 30 to April 2", "2026-03-30..2026-04-03 day"),
            ("Monday through Friday", "2026-01-19..2026-01-24 day"),
            ("from Friday at 6pm to Sunday noon", "2026-01-16T18:00..2026-01-18T12:00 hour"),
            ("from June to August", "2026-06-01..2026-09-01 month"),
            ("this weekend", "2026-01-17..2026-01-19 day"),
            ("next weekend", "2026-01-24..2026-01-26 day"),
            ("last weekend", "2026-01-10..2026-01-12 day"),
            ("the weekend of March 7", "2026-03-07..2026-03-09 day"),
        ],
    );
}

#[test]
fn periods() {
    check(
        NOW,
        &[
            ("this week", "2026-01-12 week"),
            ("next week", "2026-01-19 week"),
            ("the week after next", "2026-01-26 week"),
            ("the week of February 10", "2026-02-09 week"),
            ("this month", "2026-01-01 month"),
            ("last month", "2025-12-01 month"),
            ("in May", "2026-05-01 month"),
            ("next January", "2027-01-01 month"),
            ("last August", "2025-08-01 month"),
            ("Sept 2027", "2027-09-01 month"),
            ("this quarter", "2026-01-01 quarter"),
            ("Q3", "2026-07-01 quarter"),
            ("4th quarter 2026", "2026-10-01 quarter"),
            ("fourth quarter of last year", "2025-10-01 quarter"),
            ("last year", "2025-01-01 year"),
            ("2028", "2028-01-01 year"),
            ("end of the month", "2026-01-31 day"),
            ("end of next month", "2026-02-28 day"),
            ("the end of March", "2026-03-31 day"),
            ("start of next week", "2026-01-19 day"),
        ],
    );
}

#[test]
fn phrases_that_are_no_times() {
    let phrases = "|9|12|the 9|for 9|9 to 5|5-7|24/7|12:75|25:00|13pm|3 hours|two days|an hour\
        |soon|someday|one day|one of these days|the other day|any day now|every Sunday|Sundays\
        |all day|a while ago|morning|good morning|evening everyone|night|second|the second|first\
        |second service|the third time|two|one Sunday school class|Sunday school|sundae\
        |march for life|may we|may I|he sat down|sun is out|I wed her|mar the paint\
        |Augusta|John 3:16 is nice|after 5pm|before Friday|until Friday|not tomorrow\
        |tomorrow maybe|4 ushers|nursery at 9|9am service please|5551234|512-555-0100\
        |1/2 cup|3/4 full|v2.0|100%|$9|9$|room 9|at 9 ushers|at 5%|minute|in|at|on the|of|from\
        |between|next|last|this|the day|week|weeks|month of Sundays|next door|next time\
        |last call|last one|first things first|at least 5|about 5 people|in a moment|in a bit\
        |quarter|half|half past|a quarter|half the team|to|noonish maybe|now what|easter eggs\
        |christmas tree|a day off|days|year|20 26|10/|/10|-5|--|...|?!|👍|9 9|Sunday Monday";
    let reference = at(NOW);
    for phrase in phrases.split('|') {
        assert_eq!(shown(phrase, &reference), NONE, "{phrase}");
    }
}

#[test]
fn changes_of_the_clocks() {
    let before_gap = "2026-03-07T21:00:00-06:00[America/Chicago]";
    check(
        before_gap,
        &[
            ("tomorrow at 2:30am", "2026-03-08T03:00 minute"),
            ("2am", "2026-03-08T03:00 hour"),
            ("in 6 hours", "2026-03-08T04:00 minute"),
            ("in a day", "2026-03-08 day"),
            ("from 1am to 2:30am", "2026-03-08T01:00..2026-03-08T03:00 minute"),
        ],
    );
    let before_fold = at("2026-10-31T21:00:00-05:00[America/Chicago]");
    let reading = |phrase| read_phrase(phrase, &before_fold).expect("a time").start.to_string();
    assert_eq!(reading("1:30am"), "2026-11-01T01:30:00-05:00[America/Chicago]");
    assert_eq!(reading("in 5 hours"), "2026-11-01T01:00:00-06:00[America/Chicago]");
}
