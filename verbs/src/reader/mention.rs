//! What a text names, apart from what it means: roles, a service, people. It tells apart several
//! things that an answer could be for.

use std::collections::BTreeSet;

use abide_engine::base::Timestamp;

use super::role;
use super::token::{Token, tokens};
use super::when::{self, Calendar};

/// What a text names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions {
    roles: Vec<&'static str>,
    time: Option<Timestamp>,
    words: BTreeSet<String>,
}

/// Finds what a text names.
#[must_use]
pub fn mentions(text: &str, now: Timestamp, calendar: &Calendar) -> Mentions {
    let tokens = tokens(text);
    Mentions {
        roles: role::mentions(&tokens).into_iter().map(|(name, _)| name).collect(),
        time: when::read(&tokens, now, calendar).at,
        words: tokens.iter().filter_map(Token::word).map(ToOwned::to_owned).collect(),
    }
}

impl Mentions {
    /// True where it names this role, by its name or an everyday word for it.
    #[must_use]
    pub fn role(&self, role: &str) -> bool {
        self.roles.contains(&role) || role.split('_').all(|word| self.words.contains(word))
    }

    /// True where it names the service at this time.
    #[must_use]
    pub fn time(&self, time: Timestamp) -> bool {
        self.time == Some(time)
    }

    /// True where it names this person, by the first name.
    #[must_use]
    pub fn person(&self, name: &str) -> bool {
        let first = name.split_whitespace().next().unwrap_or_default().to_lowercase();
        !first.is_empty() && self.words.contains(&first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_roles_services_and_people() {
        let now = "2025-09-30T14:20:00-05:00".parse().expect("an instant");
        let found = mentions("Rosa can do the babies at 9", now, &when::tests::demo());
        assert!(found.role("nursery") && !found.role("children"));
        assert!(found.person("Rosa Diaz") && !found.person("Sam Diaz"));
        assert!(found.time("2025-10-05T09:00:00-05:00".parse().expect("an instant")));
        let custom = mentions("the prayer team one", now, &when::tests::demo());
        assert!(custom.role("prayer_team") && !custom.role("prayer_chain"));
    }
}
