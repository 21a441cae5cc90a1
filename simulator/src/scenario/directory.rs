//! Finds the people of a scenario by the names by which the scenario refers to them.

use abide_trade::demo;

use super::reader::nearest;
use super::{DemoDirectory, People};

/// The staff member of the demo church.
const STAFF: (&str, &str) = ("Pat", "+15125550100");

/// The supervisor of the demo church.
const SUPERVISOR: (&str, &str) = ("Ruth", "+15125550113");

/// The people of the demo church who serve in the nursery.
/// Their aliases are the letters from `A` to `L`, in this order: `A` is Ana.
const POOL: [(&str, &str); 12] = [
    ("Ana", "+15125550101"),
    ("Ben", "+15125550102"),
    ("Carla", "+15125550103"),
    ("Dana", "+15125550104"),
    ("Eli", "+15125550105"),
    ("Fay", "+15125550106"),
    ("Gus", "+15125550107"),
    ("Hana", "+15125550108"),
    ("Ivan", "+15125550109"),
    ("Joy", "+15125550110"),
    ("Kim", "+15125550111"),
    ("Lee", "+15125550112"),
];

/// The people of a scenario, found by phone number or by any name that the scenario may use for them.
#[derive(Debug, Clone)]
pub struct Directory {
    /// The people, each with a name, an optional alias (`staff`, `A`) and a phone number.
    members: Vec<Member>,
}

#[derive(Debug, Clone)]
struct Member {
    name: String,
    alias: Option<String>,
    phone: String,
}

impl Directory {
    /// Collects everyone in a scenario's directory:
    /// first the people of the demo, then the people whom the scenario defines.
    #[must_use]
    pub fn of(people: &People) -> Self {
        let member = |(name, phone): (&str, &str), alias: Option<String>| Member {
            name: name.to_owned(),
            alias,
            phone: phone.to_owned(),
        };
        let mut members = Vec::new();
        if people.demo == Some(DemoDirectory::Church) {
            members.push(member(STAFF, Some("staff".to_owned())));
            members.push(member(SUPERVISOR, None));
            let letters = 'A'..='L';
            members.extend(
                POOL.into_iter()
                    .zip(letters)
                    .map(|(person, letter)| member(person, Some(letter.to_string()))),
            );
        }
        if people.demo == Some(DemoDirectory::Trade) {
            let staff =
                std::iter::once("staff".to_owned()).map(Some).chain(std::iter::repeat(None));
            let team = demo::TEAM.iter().zip(staff);
            let letters = ('A'..='F').map(|letter| Some(letter.to_string()));
            let all = team.chain(demo::LEADS.iter().zip(letters));
            members.extend(all.map(|(person, alias)| member((person.name, person.phone), alias)));
        }
        members.extend(people.own.iter().map(|person| member((&person.name, &person.phone), None)));
        Self { members }
    }

    /// Adds a person, unless the directory already has them. A person of the demo church, for example, is already in
    /// the directory. Two people may share a phone number.
    pub fn learn(&mut self, name: &str, phone: &str) {
        if !self.members.iter().any(|member| member.phone == phone && member.name == name) {
            let (name, phone) = (name.to_owned(), phone.to_owned());
            self.members.push(Member { name, alias: None, phone });
        }
    }

    /// Returns the phone number of the person to whom `who` refers:
    /// by full name, by first name, by `staff`, or by the letter of a person of the demo.
    /// Returns `who` unchanged if it is a phone number, and `None` if nobody has this name.
    #[must_use]
    pub fn phone<'a>(&'a self, who: &'a str) -> Option<&'a str> {
        if is_phone(who) {
            return Some(who);
        }
        self.members
            .iter()
            .find(|member| member.name == who || member.alias.as_deref() == Some(who))
            .or_else(|| self.members.iter().find(|member| first_name(&member.name) == who))
            .map(|member| member.phone.as_str())
    }

    /// Returns the first name of the person with this phone number.
    /// Returns the phone number itself if nobody in the directory has this number.
    #[must_use]
    pub fn name<'a>(&'a self, phone: &'a str) -> &'a str {
        let found = self.members.iter().find(|member| member.phone == phone);
        found.map_or(phone, |member| first_name(&member.name))
    }

    /// Returns the name or alias that is most similar to the unknown name `written`;
    /// `None` if no name is similar enough to suggest it.
    #[must_use]
    pub fn nearest(&self, written: &str) -> Option<&str> {
        let names: Vec<&str> = self
            .members
            .iter()
            .flat_map(|member| [Some(member.name.as_str()), member.alias.as_deref()])
            .flatten()
            .filter(|name| name.len() > 1)
            .collect();
        nearest(written, &names)
    }
}

fn first_name(name: &str) -> &str {
    name.split(' ').next().unwrap_or(name)
}

fn is_phone(text: &str) -> bool {
    text.strip_prefix('+').is_some_and(|digits| {
        (7..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_people_with_one_phone_are_both_found_by_their_names() {
        let mut directory = Directory::of(&People::default());
        for name in ["Ann", "Gil", "Ann"] {
            directory.learn(name, "+15125550131");
        }
        assert_eq!(directory.phone("Ann"), Some("+15125550131"));
        assert_eq!(directory.phone("Gil"), Some("+15125550131"));
        assert_eq!(directory.name("+15125550131"), "Ann");
        assert_eq!(directory.members.len(), 2);
    }
}
