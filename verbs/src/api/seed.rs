//! Loads the demo church, with which people try out abide and which scenarios use.
//! Loading the demo church again does not duplicate its data.

use abide_agent::church::ChurchWords;
use abide_engine::base::{Problem, Timestamp};
use abide_engine::boxed;
use abide_engine::policy::Region;
use abide_engine::store::Tx;

use super::people::{self, PersonInput, PersonView};
use crate::data;
use crate::data::church::{self, Church};
use crate::knowledge::Fact;
use crate::service::{DURATION_DEFAULT, Service, ServiceKey, TimeOfDay, Weekday};

/// Name of the demo church.
pub const NAME: &str = "Grace Church";
/// Time zone of the demo church.
pub const TIME_ZONE: &str = "America/Chicago";

/// Weekly services of the demo church: name, day, hour, minute. What people call them is in
/// [`ChurchWords::demo`].
const SERVICES: &[(&str, Weekday, i64, i64)] = &[
    ("midweek", Weekday::Wednesday, 18, 30),
    ("rehearsal", Weekday::Thursday, 19, 0),
    ("first", Weekday::Sunday, 9, 0),
    ("second", Weekday::Sunday, 11, 0),
];

/// People of the demo church: name, last three digits of the phone number, roles.
/// Scenarios refer to the volunteers by their initials, A to L.
const PEOPLE: &[(&str, &str, &[&str])] = &[
    ("Pat", "100", &["staff"]),
    ("Ana", "101", &["nursery"]),
    ("Ben", "102", &["nursery"]),
    ("Carla", "103", &["nursery", "cafe"]),
    ("Dana", "104", &["nursery", "children"]),
    ("Eli", "105", &["nursery", "children"]),
    ("Fay", "106", &["nursery", "greeters"]),
    ("Gus", "107", &["nursery", "ushers", "parking"]),
    ("Hana", "108", &["nursery", "worship"]),
    ("Ivan", "109", &["nursery", "sound", "slides"]),
    ("Joy", "110", &["nursery", "cafe", "communion"]),
    ("Kim", "111", &["nursery", "children", "youth"]),
    ("Lee", "112", &["nursery", "setup", "teardown", "security"]),
    ("Ruth", "113", &["pastor_of_nursery", "pastor_of_children", "supervisor"]),
];

/// A fact of the demo church's knowledge base. Ruth is the reviewer of all facts.
struct DemoFact {
    id: &'static str,
    topic: &'static str,
    text: &'static str,
    source: &'static str,
}

/// Facts of the demo church's knowledge base.
const FACTS: &[DemoFact] = &[
    DemoFact {
        id: "nursery-check-in",
        topic: "When does nursery check-in open?",
        text: "Check-in opens 30 minutes before each service, at the desk beside the nursery.",
        source: "Volunteer handbook, page 4",
    },
    DemoFact {
        id: "nursery-ratio",
        topic: "How many babies may one adult look after?",
        text: "At most three babies to an adult, and never fewer than two adults in the room.",
        source: "Child safety policy, section 2",
    },
    DemoFact {
        id: "background-check",
        topic: "Who needs a background check?",
        text: "Everybody who serves with children, before the first service and again every three years.",
        source: "Child safety policy, section 1",
    },
    DemoFact {
        id: "parking",
        topic: "Where do volunteers park?",
        text: "In the north lot. The spaces at the entrance are for guests.",
        source: "Volunteer handbook, page 2",
    },
    DemoFact {
        id: "service-times",
        topic: "When are the services?",
        text: "Sunday at 9:00 and 11:00, Wednesday at 18:30. Rehearsal is on Thursday at 19:00.",
        source: "Church calendar",
    },
];

/// The demo church as loaded into a tenant.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
pub struct Seeded {
    /// The church's name.
    pub church: String,
    /// The church's people, staff first.
    pub people: Vec<PersonView>,
}

/// Loads the demo church into a tenant.
///
/// # Errors
/// Returns errors from the store.
#[boxed]
pub async fn seed(tx: &mut Tx, tenant: &str, now: Timestamp) -> Result<Seeded, Problem> {
    tx.ensure_tenant(tenant).await?;
    let demo = Church { name: NAME.to_owned(), time_zone: TIME_ZONE.to_owned() };
    church::put(tx, tenant, &demo).await?;
    data::service::add(tx, tenant, &services()).await?;
    let inputs: Vec<_> =
        PEOPLE.iter().map(|(name, last, roles)| input(name, last, roles)).collect();
    let people = people::upsert(tx, tenant, Region::Us, now, &inputs).await?;
    let facts: Vec<_> = FACTS.iter().map(|demo| fact(demo, now)).collect();
    data::kb::add(tx, tenant, &facts).await?;
    Ok(Seeded { church: demo.name, people })
}

/// Returns the services of the demo church, each with what people call it.
fn services() -> Vec<Service> {
    let words = ChurchWords::demo();
    let aliases = |name: &str| {
        let known = words.services.iter().map(|service| &service.names);
        let names = known.filter(|names| names.iter().any(|it| it == name)).flatten();
        names.filter(|it| *it != name).cloned().collect()
    };
    let service = |(name, weekday, hour, minute): &(&str, Weekday, i64, i64)| Service {
        key: ServiceKey {
            name: (*name).to_owned(),
            weekday: *weekday,
            time: TimeOfDay { minute: hour * 60 + minute },
        },
        aliases: aliases(name),
        duration: DURATION_DEFAULT,
        time_zone: None,
        campus: None,
    };
    SERVICES.iter().map(service).collect()
}

fn fact(demo: &DemoFact, now: Timestamp) -> Fact {
    Fact {
        id: demo.id.to_owned(),
        topic: demo.topic.to_owned(),
        text: demo.text.to_owned(),
        source: demo.source.to_owned(),
        reviewer: "Ruth".to_owned(),
        reviewed_at: now,
        retired: false,
        written_by: None,
    }
}

fn input(name: &str, last: &str, roles: &[&str]) -> PersonInput {
    PersonInput {
        name: name.to_owned(),
        phone: format!("+15125550{last}"),
        roles: Some(roles.iter().map(|role| (*role).to_owned()).collect()),
        ..PersonInput::default()
    }
}
