//! What a church speaks of: its weekly services, its roles and the words for them.

use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;

/// A service that is held every week.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeeklyService {
    /// What people call it, in lower case.
    pub names: Vec<String>,
    /// Its day.
    pub weekday: Weekday,
    /// Its local time.
    pub at: Time,
}

/// A role, with the words that people use for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleWords {
    /// The name under which the role is stored.
    pub name: String,
    /// Other ways to say it, in lower case.
    pub words: Vec<String>,
}

/// What the texts of a church's staff can mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChurchWords {
    /// Where its clock times are read.
    pub zone: TimeZone,
    /// Its services.
    pub services: Vec<WeeklyService>,
    /// Its roles.
    pub roles: Vec<RoleWords>,
}

/// The roles of the demo church: the stored name, then other words.
const DEMO_ROLES: &[(&str, &str)] = &[
    (
        "nursery",
        "nursery|babies|baby room|infants|toddlers|baby|nursry|little ones|guarderia|nursery workers|babys",
    ),
    (
        "children",
        "children|childrens|kids church|kids|kidz|childrens church|sunday school|kids room|kids team|ninos|kid min|kids min",
    ),
    ("greeters", "greeters|greeter|greeting|welcome team|door people|grters|greters|welcomers"),
    ("ushers", "ushers|usher|ushering|ujieres"),
    ("parking", "parking|parking team|parking lot|lot team|car park|parkers"),
    (
        "worship",
        "worship|band|drums|drummer|vocals|vocalist|vocalists|singer|singers|worship team|praise team|keys|guitar|musicians|bass player",
    ),
    ("sound", "sound|audio|sound booth|sound desk|sound tech|sound techs|soundboard|sonido"),
    ("slides", "slides|slide|lyrics|projection|propresenter|screens"),
    ("cafe", "cafe|coffee|coffee bar|coffee team|barista|baristas"),
    ("communion", "communion|communion servers|communion team|lords supper"),
    ("youth", "youth|youth group|teens|youth leaders|jovenes"),
    ("setup", "setup|set up|set up team|setup crew"),
    ("teardown", "teardown|tear down|clean up|cleanup|take down"),
    ("security", "security|safety team|safety|seguridad"),
];

impl ChurchWords {
    /// Returns the demo church.
    #[must_use]
    pub fn demo() -> Self {
        let service = |names: &str, weekday, hour, minute| WeeklyService {
            names: names.split('|').map(ToOwned::to_owned).collect(),
            weekday,
            at: Time::constant(hour, minute, 0, 0),
        };
        let role = |(name, words): &(&str, &str)| RoleWords {
            name: (*name).to_owned(),
            words: words.split('|').map(ToOwned::to_owned).collect(),
        };
        Self {
            zone: TimeZone::get("America/Chicago").unwrap_or(TimeZone::UTC),
            services: vec![
                service("first service|first|1st service|early service", Weekday::Sunday, 9, 0),
                service("second service|second|2nd service|late service", Weekday::Sunday, 11, 0),
                service(
                    "midweek|wednesday service|midweek service|youth night",
                    Weekday::Wednesday,
                    18,
                    30,
                ),
                service("rehearsal|practice|band practice", Weekday::Thursday, 19, 0),
            ],
            roles: DEMO_ROLES.iter().map(role).collect(),
        }
    }
}
