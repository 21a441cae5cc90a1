//! Formats the events of a simulation as lines for people.

use abide_engine::base::Timestamp;
use jiff::tz::TimeZone;

use crate::report::{LineKind, StoryLine};
use crate::scenario::Directory;

/// If many messages with the same template are sent at the same instant, the story shows this many
/// of them in full. A summary line lists the recipients of the other messages.
const ALIKE_MAX: usize = 2;
/// Maximum number of names in a summary line.
const NAMES_MAX: usize = 3;

/// An event of the story, with its instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoryEvent {
    pub(super) at: Timestamp,
    pub(super) what: StoryEventKind,
}

/// The kinds of story events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StoryEventKind {
    /// A person sent a message to the tenant; `note` adds a remark.
    Inbound { from: String, body: String, note: Option<&'static str> },
    /// The engine did what this sentence describes.
    Engine(String),
    /// The provider accepted a message.
    Outbound { to: String, template: String, body: String },
}

impl StoryEventKind {
    fn kind(&self) -> LineKind {
        match self {
            Self::Inbound { .. } => LineKind::Inbound,
            Self::Engine(_) => LineKind::Engine,
            Self::Outbound { .. } => LineKind::Outbound,
        }
    }
}

/// Formats events in the tenant's time zone, with people's names.
pub(super) struct StoryFormatter {
    zone: TimeZone,
    pub(super) directory: Directory,
}

impl StoryFormatter {
    pub(super) fn new(zone: &str, directory: Directory) -> Self {
        Self { zone: TimeZone::get(zone).unwrap_or(TimeZone::UTC), directory }
    }

    /// Formats the events between two observations, in order of time. At the same instant,
    /// messages of people come first, then actions of the engine, then messages that the engine sent.
    pub(super) fn format(&self, mut events: Vec<StoryEvent>) -> Vec<StoryLine> {
        events.sort_by_key(|event| (event.at, event.what.kind()));
        let mut lines = Vec::with_capacity(events.len());
        let mut rest = events.as_slice();
        while let Some(first) = rest.first() {
            let alike = rest.iter().take_while(|other| are_alike(first, other)).count();
            let (group, after) = rest.split_at(alike);
            self.group(group, &mut lines);
            rest = after;
        }
        lines
    }

    /// Creates one line of the story.
    pub(super) fn line(&self, at: Timestamp, kind: LineKind, text: String) -> StoryLine {
        StoryLine { at, clock: self.clock(at), kind, text }
    }

    /// Formats a time as `Tue 14:20`, with seconds if they are not zero.
    pub(super) fn clock(&self, at: Timestamp) -> String {
        let local = at.to_jiff().to_zoned(self.zone.clone());
        let whole_minute = local.second() == 0 && local.subsec_nanosecond() == 0;
        local.strftime(if whole_minute { "%a %H:%M" } else { "%a %H:%M:%S" }).to_string()
    }

    fn group(&self, group: &[StoryEvent], lines: &mut Vec<StoryLine>) {
        let told = if group.len() > ALIKE_MAX + 1 { ALIKE_MAX } else { group.len() };
        for event in &group[..told] {
            lines.push(self.one(event));
        }
        if let Some(first) = group.get(told) {
            let names: Vec<&str> = group[told..].iter().filter_map(|h| self.recipient(h)).collect();
            let text = format!("→ {}: the same", and_more(&names));
            lines.push(self.line(first.at, LineKind::Outbound, text));
        }
    }

    fn recipient<'h>(&'h self, event: &'h StoryEvent) -> Option<&'h str> {
        match &event.what {
            StoryEventKind::Outbound { to, .. } => Some(self.directory.name(to)),
            _ => None,
        }
    }

    fn one(&self, event: &StoryEvent) -> StoryLine {
        let text = match &event.what {
            StoryEventKind::Engine(text) => text.clone(),
            StoryEventKind::Inbound { from, body, note } => {
                let note = note.map_or(String::new(), |note| format!(" ({note})"));
                format!("{} → us: {}{note}", self.directory.name(from), one_line(body))
            }
            StoryEventKind::Outbound { to, body, .. } => {
                format!("→ {}: {}", self.directory.name(to), one_line(body))
            }
        };
        self.line(event.at, event.what.kind(), text)
    }
}

/// Whether both events are outbound messages with the same template that were sent at the same instant.
fn are_alike(a: &StoryEvent, b: &StoryEvent) -> bool {
    match (&a.what, &b.what) {
        (
            StoryEventKind::Outbound { template: one, .. },
            StoryEventKind::Outbound { template: other, .. },
        ) => a.at == b.at && one == other,
        _ => std::ptr::eq(a, b),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn and_more(names: &[&str]) -> String {
    let (named, more) = names.split_at(names.len().min(NAMES_MAX));
    match (named, more.len()) {
        (named, 0) => match named.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, first)) => format!("{} and {last}", first.join(", ")),
            None => String::new(),
        },
        (named, more) => format!("{} and {more} more", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{DemoDirectory, People};

    fn told(events: &[(&str, StoryEventKind)]) -> String {
        let directory =
            Directory::of(&People { demo: Some(DemoDirectory::Church), own: Vec::new() });
        let formatter = StoryFormatter::new("America/Chicago", directory);
        let events = events.iter().map(|(at, what)| StoryEvent {
            at: format!("2025-09-30T{at}-05:00").parse().expect("an instant"),
            what: what.clone(),
        });
        let lines = formatter.format(events.collect());
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn to(phone: u32, template: &str, body: &str) -> StoryEventKind {
        StoryEventKind::Outbound {
            to: format!("+151255501{phone:02}"),
            template: template.to_owned(),
            body: body.to_owned(),
        }
    }

    #[test]
    fn a_story_is_told_in_order_with_names_and_without_repetition() {
        let invites = (1..=12).map(|n| ("14:20:00", to(n, "invite", "can you help\nin nursery?")));
        let mut events: Vec<(&str, StoryEventKind)> = invites.collect();
        events.push(("14:20:00", StoryEventKind::Engine("`fill_roles` starts".to_owned())));
        events.push((
            "14:20:00",
            StoryEventKind::Inbound {
                from: "+15125550100".to_owned(),
                body: "Fill 5 nursery spots".to_owned(),
                note: None,
            },
        ));
        events.push((
            "14:20:05",
            StoryEventKind::Inbound {
                from: "+15125559999".to_owned(),
                body: "who is this".to_owned(),
                note: Some("delivered again"),
            },
        ));
        for (phone, template) in [(1, "withdrawn"), (2, "withdrawn"), (3, "withdrawn")] {
            events.push(("15:00:00", to(phone, template, "all set")));
        }
        insta::assert_snapshot!(told(&events), @r"
        Tue 14:20  Pat → us: Fill 5 nursery spots
        Tue 14:20  · `fill_roles` starts
        Tue 14:20  → Ana: can you help in nursery?
        Tue 14:20  → Ben: can you help in nursery?
        Tue 14:20  → Carla, Dana, Eli and 7 more: the same
        Tue 14:20:05  +15125559999 → us: who is this (delivered again)
        Tue 15:00  → Ana: all set
        Tue 15:00  → Ben: all set
        Tue 15:00  → Carla: all set
        ");
    }
}
