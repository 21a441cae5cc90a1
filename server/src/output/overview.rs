//! Formats the live figures of a tenant for the screen of `abide top`.

use serde_json::{Map, Value};

use super::members::text;
use super::times::TimeFormat;

/// Formats the live figures as lines. The throughput is computed over `seconds`,
/// the time since the previous frame. For the first frame, `seconds` is `None`.
pub(crate) fn lines(answer: &Value, times: &TimeFormat, seconds: Option<f64>) -> Vec<String> {
    let mut lines = vec![format!("abide top  {}", times.local(text(answer, "now"))), String::new()];
    let mut put = |label: &str, text: String| lines.push(format!("{label:<12}{text}"));
    put("runs", counts(answer["runs"].as_object(), "none live"));
    put("timers", timers(&answer["timers"], times));
    put("outbox", counts(answer["outbox"].as_object(), "empty"));
    put("oldest", oldest(&answer["oldest_waiting"], times));
    put("stuck", stuck(answer["stuck"].as_i64().unwrap_or(0)));
    if let Some(held) = answer["held"].as_i64().filter(|held| *held > 0) {
        put("held", format!("{held} by the kill switch: see `abide tenant resume --preview`"));
    }
    if let (Some(since), Some(seconds)) = (answer.get("since"), seconds) {
        let rate = |name: &str| since[name].as_f64().unwrap_or(0.0) / seconds.max(0.001);
        put("throughput", format!("{:.1} calls/s, {:.1} events/s", rate("calls"), rate("events")));
    }
    lines
}

fn counts(by_name: Option<&Map<String, Value>>, nothing: &str) -> String {
    let shown = by_name.into_iter().flatten().map(|(name, n)| format!("{n} {name}"));
    let shown = shown.collect::<Vec<_>>().join(", ");
    if shown.is_empty() { nothing.to_owned() } else { shown }
}

fn timers(timers: &Value, times: &TimeFormat) -> String {
    let late = match timers["late"].as_i64().unwrap_or(0) {
        0 => "none late".to_owned(),
        n => format!("{n} LATE: is a worker running?"),
    };
    match text(timers, "next_at") {
        "" => format!("none set, {late}"),
        at => format!("{} set, next {}; {late}", timers["set"], times.local(at)),
    }
}

fn oldest(run: &Value, times: &TimeFormat) -> String {
    match text(run, "id") {
        "" => "no run waits".to_owned(),
        id => format!(
            "{id} of {}, last moved {}",
            text(run, "method"),
            times.since(text(run, "since"))
        ),
    }
}

fn stuck(n: i64) -> String {
    match n {
        0 => "none".to_owned(),
        n => format!("{n}: see `abide run list --stuck`"),
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_screen_shows_the_figures_of_a_tenant() {
        let now = "2025-10-05T14:20:00Z".parse().expect("an instant");
        let times = TimeFormat::new(now, TimeZone::UTC);
        let answer = json!({
            "now": "2025-10-05T14:20:00Z", "runs": { "running": 1, "waiting": 3 },
            "timers": { "set": 4, "late": 2, "next_at": "2025-10-05T15:00:00Z" },
            "outbox": {}, "stuck": 1,
            "oldest_waiting": { "id": "run_1", "method": "fill_roles", "since": "2025-10-05T11:08:00Z" },
            "since": { "events": 30, "calls": 5 },
        });
        let expected = [
            "abide top  Sun 5 Oct 14:20",
            "",
            "runs        1 running, 3 waiting",
            "timers      4 set, next Sun 5 Oct 15:00; 2 LATE: is a worker running?",
            "outbox      empty",
            "oldest      run_1 of fill_roles, last moved 3h 12m ago",
            "stuck       1: see `abide run list --stuck`",
            "throughput  2.5 calls/s, 15.0 events/s",
        ];
        assert_eq!(lines(&answer, &times, Some(2.0)), expected);
        let paused = json!({
            "now": "2025-10-05T14:20:00Z", "runs": { "waiting": 3 }, "timers": {}, "outbox": {}, "held": 3,
        });
        let held = "held        3 by the kill switch: see `abide tenant resume --preview`";
        assert_eq!(lines(&paused, &times, None).last().map(String::as_str), Some(held));
        let idle = json!({ "now": "2025-10-05T14:20:00Z", "runs": {}, "timers": {}, "outbox": {} });
        assert_eq!(lines(&idle, &times, None)[2], "runs        none live");
    }
}
