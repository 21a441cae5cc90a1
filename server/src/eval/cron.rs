//! `{expression, tz?, from, count?}` → `{valid, next, reason?}`: the next times of a cron expression.

use abide_engine::base::Timestamp;
use abide_engine::base::cron::CronSchedule;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// Default for `count`, the number of times to return.
const COUNT_DEFAULT: usize = 5;
/// Maximum value of `count`.
const COUNT_MAX: usize = 1_000;

#[derive(Deserialize)]
pub(super) struct Input {
    expression: String,
    /// IANA name of the time zone. Without a name, the offset of the time `from` is used.
    tz: Option<String>,
    from: String,
    count: Option<usize>,
}

#[derive(Serialize)]
pub(super) struct Output {
    valid: bool,
    /// The next times after the time `from`, with the offset of the time zone. The list is empty if the
    /// date never occurs.
    next: Vec<String>,
    /// Why the expression is not valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

pub(super) fn eval(input: Input) -> Result<Output, String> {
    let count = input.count.unwrap_or(COUNT_DEFAULT);
    if count > COUNT_MAX {
        return Err(format!("`count` must be at most {COUNT_MAX}: {count}"));
    }
    let from: Timestamp = input.from.parse().map_err(|error| format!("`from`: {error}"))?;
    let zone = zone(input.tz.as_deref(), &input.from)?;
    Ok(match CronSchedule::parse(&input.expression) {
        Ok(schedule) => {
            let next = schedule.next_after(from, &zone, count);
            let next = next.into_iter().map(|at| at.in_zone(&zone)).collect();
            Output { valid: true, next, reason: None }
        }
        Err(problem) => {
            let hint = problem.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            let reason = Some(format!("{}{hint}", problem.message));
            Output { valid: false, next: Vec::new(), reason }
        }
    })
}

fn zone(name: Option<&str>, from: &str) -> Result<TimeZone, String> {
    let Some(name) = name else {
        let pieces = jiff::fmt::temporal::Pieces::parse(from).map_err(|error| error.to_string())?;
        let offset = pieces.to_numeric_offset().map(jiff::tz::Offset::to_time_zone);
        return Ok(offset.unwrap_or(TimeZone::UTC));
    };
    TimeZone::get(name).map_err(|_| {
        let shown: String = name.chars().take(60).collect();
        format!("`{shown}` is not a time zone such as `America/Chicago`")
    })
}
