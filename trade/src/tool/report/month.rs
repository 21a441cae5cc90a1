//! Months in the time zone of the business.

use abide_engine::base::{Problem, Timestamp};
use jiff::Span;
use jiff::civil::{Date, date};
use jiff::tz::TimeZone;

use crate::data::MonthSpan;
use crate::refusal;
use crate::tool::today::out_of_range;

/// Number of months of a report, if the call does not say where to begin.
const MONTHS_DEFAULT: i64 = 12;
/// Maximum number of months of a report: five years.
const MONTHS_MAX: usize = 60;

/// Returns the first days of the months that the members of the input select, oldest first.
pub(super) fn selected(
    from_month: Option<&str>,
    to_month: Option<&str>,
    today: Date,
) -> Result<Vec<Date>, Problem> {
    let to = match to_month {
        Some(text) => parse("to_month", text)?,
        None => today.first_of_month(),
    };
    let from = match from_month {
        Some(text) => parse("from_month", text)?,
        None => to
            .checked_sub(Span::new().months(MONTHS_DEFAULT - 1))
            .map_err(|_| refusal::invalid("to_month", "is too long ago"))?,
    };
    if from > to {
        return Err(refusal::invalid("from_month", "is after the last month"));
    }
    let months: Vec<Date> = from
        .series(Span::new().months(1))
        .take_while(|month| *month <= to)
        .take(MONTHS_MAX + 1)
        .collect();
    if months.len() > MONTHS_MAX {
        let what = format!("is more than {} months before the last month", MONTHS_MAX - 1);
        return Err(refusal::invalid("from_month", &what));
    }
    Ok(months)
}

/// Returns the time that each month takes, with its place in the list as its number.
pub(super) fn spans(months: &[Date], zone: &TimeZone) -> Result<Vec<MonthSpan>, Problem> {
    let begin = |day: Date| -> Result<Timestamp, Problem> {
        let begin = day.to_zoned(zone.clone()).map_err(out_of_range)?;
        Ok(Timestamp::from_jiff(begin.timestamp()))
    };
    let span = |(number, month): (i64, &Date)| {
        let next = month.checked_add(Span::new().months(1)).map_err(out_of_range)?;
        Ok(MonthSpan { number, since: begin(*month)?, until: begin(next)? })
    };
    (0..).zip(months).map(span).collect()
}

/// Reads a month such as `2025-07`. Returns its first day.
fn parse(member: &str, text: &str) -> Result<Date, Problem> {
    let month = || {
        let (year, month) = text.split_once('-')?;
        let (year, month) = (year.parse::<i16>().ok()?, month.parse::<i8>().ok()?);
        ((1970..9999).contains(&year) && (1..=12).contains(&month)).then(|| date(year, month, 1))
    };
    month()
        .ok_or_else(|| refusal::invalid(member, "is not a month such as `2025-07`, from 1970 on"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn months(input: &Value) -> Result<(usize, String, String), String> {
        let member = |name: &str| input[name].as_str();
        let months = selected(member("from_month"), member("to_month"), date(2025, 9, 30));
        let months = months.map_err(|problem| problem.message)?;
        let shown = |month: Option<&Date>| month.map(Date::to_string).unwrap_or_default();
        Ok((months.len(), shown(months.first()), shown(months.last())))
    }

    #[test]
    fn months_are_selected_as_the_contract_says() {
        let cases = [
            (json!({}), Ok((12, "2024-10-01", "2025-09-01"))),
            (json!({ "to_month": "2025-02" }), Ok((12, "2024-03-01", "2025-02-01"))),
            (json!({ "from_month": "2025-09" }), Ok((1, "2025-09-01", "2025-09-01"))),
            (json!({ "from_month": "2020-10" }), Ok((60, "2020-10-01", "2025-09-01"))),
            (json!({ "from_month": "2020-09" }), Err("more than 59 months")),
            (json!({ "from_month": "2025-10" }), Err("is after the last month")),
            (json!({ "to_month": "0000-01" }), Err("from 1970 on")),
            (json!({ "to_month": "9999-12" }), Err("from 1970 on")),
        ];
        for (input, expected) in cases {
            match (months(&input), expected) {
                (Ok((number, first, last)), Ok(expected)) => {
                    assert_eq!((number, first.as_str(), last.as_str()), expected, "{input}");
                }
                (Err(message), Err(words)) => assert!(message.contains(words), "{message}"),
                (found, expected) => panic!("{input}: {found:?} instead of {expected:?}"),
            }
        }
    }

    #[test]
    fn months_begin_in_the_time_zone_of_the_business() {
        let zone = TimeZone::get("Australia/Sydney").expect("a zone");
        let spans = spans(&[date(2025, 9, 1), date(2025, 10, 1)], &zone).expect("spans");
        let shown: Vec<_> =
            spans.iter().map(|span| (span.number, span.since.to_string())).collect();
        assert_eq!(shown[0], (0, "2025-08-31T14:00:00+00:00".to_owned()));
        assert_eq!(shown[1], (1, "2025-09-30T14:00:00+00:00".to_owned()));
        assert_eq!(spans[1].until.to_string(), "2025-10-31T13:00:00+00:00", "summer time");
        assert_eq!(spans[0].until, spans[1].since);
    }
}
