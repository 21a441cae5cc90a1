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
    /// Those of the words that name what a person must be able to do: "drummer".
    pub skills: Vec<String>,
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
        "nursery|nurseries|babies|baby room|babies room|infants|infant room|toddlers|toddler room|\
         baby|nursry|little ones|guarderia|bebes|nursery workers|babys|cuna|crib room|cribs|littles room|littles|infant care|baby care",
    ),
    (
        "children",
        "children|childrens|kids church|kids|kidz|childrens church|childrens ministry|\
         sunday school|kids room|kids team|kids ministry|ninos|iglesia de ninos|kid min|kids min|\
         kidmin|kiddos|kid church|elementary",
    ),
    (
        "greeters",
        "greeters|greeter|greeting|welcome team|welcome desk|welcome table|front door|front doors|\
         door people|door greeters|greet|on the doors|on doors|grters|greters|welcomers|bienvenida|door holders|door hosts",
    ),
    ("ushers", "ushers|usher|ushering|ujieres|ujier"),
    (
        "parking",
        "parking|parking team|parking lot|lot team|car park|parkers|estacionamiento|\
         parking attendants|parking crew|parking guys|park cars|parkinglot|lot attendants|lot crew|\
         direct traffic|directing traffic|traffic team|traffic crew|traffic guys|traffic duty|the lot",
    ),
    (
        "worship",
        "worship|worship band|band|drums|drummer|drummers|vocals|vocalist|vocalists|singer|\
         singers|worship team|praise team|praise band|keys|guitar|guitarist|guitar player|\
         musicians|musician|bass player|bassist|pianist|keyboard player|keyboardist|alabanza|\
         baterista|bass guitar|keys player|electric guitar|acoustic guitar|backup vocals|praise",
    ),
    (
        "sound",
        "sound|audio|sound booth|sound desk|sound tech|sound techs|sound board|soundboard|\
         sound guy|sound team|sonido|mixer|mixing board|soundman|sound man|sound person|\
         sound engineer",
    ),
    (
        "slides",
        "slides|slide|lyrics|projection|propresenter|screens|pro presenter|powerpoint|power point|words on the screen",
    ),
    (
        "cafe",
        "cafe|coffee|coffee bar|coffee team|coffee crew|coffee table|coffee station|barista|\
         baristas|cafeteria",
    ),
    (
        "communion",
        "communion|communion servers|communion team|communion helpers|lords supper|comunion|\
         santa cena",
    ),
    (
        "youth",
        "youth|youth group|teens|youth leaders|youth leader|jovenes|student ministry|youth ministry|youth sponsors",
    ),
    (
        "setup",
        "setup|set up|set up team|setup team|setup crew|chairs crew|setting up|set up chairs|set up crew",
    ),
    (
        "teardown",
        "teardown|tear down|teardown team|clean up|cleanup|take down|clean up crew|tear down crew|tear down team|teardown crew|tearing down|breakdown crew|\
         breakdown team|clean up team",
    ),
    (
        "security",
        "security|safety team|security team|safety|seguridad|security guards|security guard|guards",
    ),
];
/// The words of the demo church that name a skill.
const DEMO_SKILLS: &[&str] = &[
    "drummer",
    "drummers",
    "vocalist",
    "vocalists",
    "singer",
    "singers",
    "guitarist",
    "guitar player",
    "bass player",
    "bassist",
    "pianist",
    "keyboard player",
    "keyboardist",
    "baterista",
];
/// The services of the demo church: what people call them.
const FIRST: &str = "first service|first|1st service|1st|early service|early one|primer servicio";
const SECOND: &str =
    "second service|second|2nd service|2nd|late service|late one|later service|segundo servicio";
const MIDWEEK: &str =
    "midweek|wednesday service|midweek service|youth night|mid week|mid week service";
const REHEARSAL: &str =
    "rehearsal|band rehearsal|practice|band practice|worship practice|worship rehearsal|ensayo";

impl ChurchWords {
    /// Whether a word names what a person must be able to do.
    #[must_use]
    pub fn has_skill(&self, word: &str) -> bool {
        self.roles.iter().flat_map(|role| &role.skills).any(|skill| skill == word)
    }

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
            skills: words
                .split('|')
                .filter(|word| DEMO_SKILLS.contains(word))
                .map(ToOwned::to_owned)
                .collect(),
        };
        Self {
            zone: TimeZone::get("America/Chicago").unwrap_or(TimeZone::UTC),
            services: vec![
                service(FIRST, Weekday::Sunday, 9, 0),
                service(SECOND, Weekday::Sunday, 11, 0),
                service(MIDWEEK, Weekday::Wednesday, 18, 30),
                service(REHEARSAL, Weekday::Thursday, 19, 0),
            ],
            roles: DEMO_ROLES.iter().map(role).collect(),
        }
    }
}
