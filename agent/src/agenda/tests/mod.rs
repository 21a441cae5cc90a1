//! Stories of agendas.

mod answers;
mod details;
mod journal;
mod proposals;
mod rules;
mod sessions;

use jiff::Timestamp;

use super::*;

/// A turn of somebody who is engaged and whose profile is complete.
fn said(text: &str, at: &str) -> AgendaTurn {
    AgendaTurn {
        at: at.parse().expect("an instant"),
        text: text.to_owned(),
        classification: Classification {
            complexity: Complexity::Simple,
            goal: "chat".to_owned(),
            pulse: Pulse::Engaged,
            active_tool: None,
        },
        profile: profile("both"),
        proposals: Vec::new(),
    }
}

/// A profile by what is known: `name`, `city`, `both` or `nothing`.
fn profile(known: &str) -> Profile {
    let (name, city) = match known {
        "name" => (Some("Mira"), None),
        "city" => (None, Some("Pune")),
        "both" => (Some("Mira"), Some("Pune")),
        _ => (None, Some("  ")), // a blank is no city
    };
    Profile { display_name: name.map(str::to_owned), home_location: city.map(str::to_owned) }
}

/// Returns an instant in March 2026 from a day and a time: `2 09:00`.
fn at(day_and_time: &str) -> Timestamp {
    let (day, time) = day_and_time.split_once(' ').expect("a day and a time");
    let day: u8 = day.parse().expect("a day");
    let seconds = if time.len() == 5 { ":00" } else { "" };
    format!("2026-03-{day:02}T{time}{seconds}Z").parse().expect("an instant")
}

fn types(goals: &[AgendaGoal]) -> String {
    goals.iter().map(|goal| goal.goal_type.as_str()).collect::<Vec<_>>().join(" ")
}
