//! The calendar: free times between its events, and its events for other calendars.

use abide_engine::base::Value;
use serde_json::json;

use super::{done, failed};
use crate::campaign::church::{Church, on_both};

async fn event(church: &Church, title: &str, times: [&str; 2], attendees: &[&str]) -> Value {
    let input = json!({ "title": title, "starts_at": times[0], "ends_at": times[1], "attendees": attendees });
    done(church, "calendar.create_event", input).await["event_id"].clone()
}

/// Returns the beginnings of the free hours on Wednesday 2025-10-01 in Chicago, as `HH:MM` in UTC.
async fn free_hours(church: &Church, attendees: &[&str]) -> Vec<String> {
    let mut input = json!({
        "duration_minutes": 60, "day_ends": "12:00",
        "since": "2025-10-01T00:00:00-05:00", "until": "2025-10-02T00:00:00-05:00",
    });
    if !attendees.is_empty() {
        input["attendees"] = json!(attendees);
    }
    let result = done(church, "calendar.find_slots", input).await;
    let slots = result["slots"].as_array().expect("a list");
    assert_eq!(result["count"], slots.len());
    slots
        .iter()
        .map(|slot| slot["starts_at"].as_str().expect("a time")[11..16].to_owned())
        .collect()
}

on_both!(free_times_lie_between_the_confirmed_events, async |church: Church| {
    assert_eq!(free_hours(&church, &[]).await, ["13:00", "14:00", "15:00", "16:00"]);
    let times = ["2025-10-01T09:00:00-05:00", "2025-10-01T09:32:00-05:00"];
    let id = event(&church, "Roof", times, &["Ana"]).await;
    event(&church, "Yesterday", ["2025-09-01T08:00:00-05:00", "2025-09-30T23:59:00-05:00"], &[])
        .await;
    assert_eq!(free_hours(&church, &[]).await, ["13:00", "14:35", "15:35"]);
    assert_eq!(free_hours(&church, &["ana"]).await, ["13:00", "14:35", "15:35"]);
    assert_eq!(free_hours(&church, &["Bo"]).await.len(), 4, "Bo is free");
    let everybody = ["2025-10-01T10:00:00-05:00", "2025-10-01T12:00:00-05:00"];
    event(&church, "All", everybody, &[]).await;
    assert_eq!(free_hours(&church, &["Bo"]).await, ["13:00", "14:00"]);
    done(&church, "calendar.cancel_event", json!({ "event_id": id })).await;
    assert_eq!(free_hours(&church, &[]).await, ["13:00", "14:00"]);
    church.assert_consistent().await;
});

on_both!(a_search_that_cannot_be_made_is_refused, async |church: Church| {
    let cases = [
        (json!({ "until": "2025-10-01T00:00:00Z" }), "`until` is not after `since`"),
        (json!({ "until": "2026-02-01T00:00:00Z" }), "`until` is more than 92 days after `since`"),
        (json!({ "day_starts": "17:00" }), "`day_ends` is not after the start of the day, 17:00"),
    ];
    for (members, words) in cases {
        let mut input = json!({
            "duration_minutes": 60, "since": "2025-10-01T00:00:00Z", "until": "2025-10-02T00:00:00Z",
        });
        for (name, value) in members.as_object().expect("members") {
            input[name] = value.clone();
        }
        let (code, message) = failed(&church, "calendar.find_slots", input).await;
        assert_eq!((code.as_str(), message.as_str()), ("invalid_args", words));
    }
});

on_both!(other_calendars_can_import_the_confirmed_events, async |church: Church| {
    let long = "Ridge capping, valley; gutters and 屋根 ".repeat(4);
    let later = ["2025-10-03T09:00:00-05:00", "2025-10-03T10:00:00-05:00"];
    event(&church, &long, later, &["ana@example.org", "Bo"]).await;
    let earlier = ["2025-10-01T09:00:00-05:00", "2025-10-01T10:00:00-05:00"];
    let first = event(&church, "First", earlier, &[]).await;
    let gone = event(&church, "Gone", earlier, &[]).await;
    done(&church, "calendar.cancel_event", json!({ "event_id": gone })).await;
    let period = json!({ "since": "2025-10-01T00:00:00Z", "until": "2025-10-04T00:00:00Z", "name": "Roofs" });
    let exported = done(&church, "integrations.ical.export", period.clone()).await;
    let text = exported["ical"].as_str().expect("a text");
    assert_eq!((&exported["count"], text.matches("BEGIN:VEVENT\r\n").count()), (&json!(2), 2));
    assert!(text.split("\r\n").all(|line| line.len() <= 75), "{text}");
    let unfolded = text.replace("\r\n ", "");
    let escaped = long.replace(',', "\\,").replace(';', "\\;");
    assert!(unfolded.contains(&format!("\r\nSUMMARY:{escaped}\r\n")), "{unfolded}");
    assert!(unfolded.contains("DTSTART:20251003T140000Z\r\nDTEND:20251003T150000Z\r\n"));
    let uid = format!("UID:{}", first.as_str().expect("an id"));
    assert!(unfolded.find(&uid) < unfolded.find("SUMMARY:Ridge"), "the earliest is first");
    let same = done(&church, "integrations.ical.export", period).await;
    assert_eq!(same["digest"], exported["digest"]);
    let none = json!({ "since": "2025-10-04T00:00:00Z", "until": "2025-10-04T00:00:00Z" });
    assert_eq!(failed(&church, "integrations.ical.export", none).await.0, "invalid_args");
});
