//! Who there is in a story, and how a scenario names them.

use crate::scenario::{Demo, People};

/// The staff member of the demo church.
const STAFF: (&str, &str) = ("Pat", "+15125550100");

/// The demo nursery pool in seed order: `A` is the first.
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

/// The people of a scenario by every name that it may use for them.
#[derive(Debug, Clone)]
pub struct Cast {
    /// Name in the story, other names in scenarios, phone.
    members: Vec<Member>,
}

#[derive(Debug, Clone)]
struct Member {
    name: String,
    alias: Option<String>,
    phone: String,
}

impl Cast {
    /// Everybody of a scenario's directory.
    #[must_use]
    pub fn of(people: &People) -> Self {
        let member = |(name, phone): (&str, &str), alias: Option<String>| Member {
            name: name.to_owned(),
            alias,
            phone: phone.to_owned(),
        };
        let mut members = Vec::new();
        if people.demo == Some(Demo::Church) {
            members.push(member(STAFF, Some("staff".to_owned())));
            let letters = 'A'..='L';
            members.extend(
                POOL.into_iter()
                    .zip(letters)
                    .map(|(person, letter)| member(person, Some(letter.to_string()))),
            );
        }
        members.extend(people.own.iter().map(|person| member((&person.name, &person.phone), None)));
        Self { members }
    }

    /// Makes somebody known under this name who is not yet, such as one whom the demo brings along.
    pub fn learn(&mut self, name: &str, phone: &str) {
        if !self.members.iter().any(|member| member.phone == phone) {
            let (name, phone) = (name.to_owned(), phone.to_owned());
            self.members.push(Member { name, alias: None, phone });
        }
    }

    /// The phone of whoever is meant: a name, `staff`, a letter of the pool, or the phone itself.
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

    /// The name of whoever has this phone; the phone itself where nobody has it.
    #[must_use]
    pub fn name<'a>(&'a self, phone: &'a str) -> &'a str {
        let found = self.members.iter().find(|member| member.phone == phone);
        found.map_or(phone, |member| first_name(&member.name))
    }

    /// The name that differs least from what was written, if any is near.
    #[must_use]
    pub fn nearest(&self, written: &str) -> Option<&str> {
        let names: Vec<&str> = self
            .members
            .iter()
            .flat_map(|member| [Some(member.name.as_str()), member.alias.as_deref()])
            .flatten()
            .filter(|name| name.len() > 1)
            .collect();
        crate::scenario::nearest(written, &names)
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
