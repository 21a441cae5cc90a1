//! The words of a church: its services and roles, in the form in which texts are read.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use abide_agent::church::{ChurchWords, RoleWords, WeeklyService};

use super::view::{KnownService, View};

/// What churches commonly call their services and roles.
static COMMON: LazyLock<ChurchWords> = LazyLock::new(ChurchWords::demo);

/// Returns the words of the church that a view shows. A role without common words is read by its name.
pub(super) fn of(view: &View) -> ChurchWords {
    let zone = view.time_zone();
    let services = view.services.iter().filter_map(|service| {
        let (weekday, at) = (service.day()?, service.clock()?);
        Some(WeeklyService { names: names(service), weekday, at })
    });
    let mut roles = COMMON.roles.clone();
    let own = view.roles.iter().filter(|role| roles.iter().all(|known| known.name != **role));
    let own: Vec<RoleWords> = own
        .map(|role| RoleWords {
            name: role.clone(),
            words: vec![role.replace('_', " ")],
            skills: Vec::new(),
        })
        .collect();
    roles.extend(own);
    ChurchWords { zone, services: services.collect(), roles }
}

/// Returns what people call a service: its name and its aliases. A service without aliases has the common
/// names of services with its name.
fn names(service: &KnownService) -> Vec<String> {
    let name = service.name.to_lowercase();
    let mut names = vec![format!("{name} service"), name.clone()];
    if service.aliases.is_empty() {
        let common = COMMON.services.iter().find(|common| common.names.contains(&name));
        names.extend(common.into_iter().flat_map(|common| common.names.clone()));
    } else {
        names.extend(service.aliases.iter().cloned());
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, aliases: &[&str], expected: &[&str]) {
        let aliases = aliases.iter().map(|alias| (*alias).to_owned()).collect();
        let service = KnownService { name: name.to_owned(), aliases, ..KnownService::default() };
        assert_eq!(names(&service), expected);
    }

    #[test]
    fn a_service_has_its_aliases_or_else_the_common_names() {
        check("Taizé", &[], &["taizé service", "taizé"]);
        check("First", &["dawn", "first"], &["first service", "first", "dawn"]);
        let first = KnownService { name: "First".to_owned(), ..KnownService::default() };
        assert!(names(&first).contains(&"1st service".to_owned()));
    }
}
