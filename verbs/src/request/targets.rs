//! The targets of a request: how many people it needs in each role, and whether it has enough people.

use std::collections::BTreeMap;

use abide_engine::base::{Problem, Value};
use serde::{Deserialize, Serialize};

/// Maximum target of one role. No service needs more people in one role.
/// The limit also keeps counts of people and place numbers small.
pub const TARGET_MAX: i64 = 10_000;
/// Maximum number of roles in one request.
pub const ROLES_MAX: usize = 64;
/// Maximum length of a role's name, in characters.
pub const ROLE_CHARS_MAX: usize = 40;

/// Target number of people for each role. A role without an entry has a target of 0.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Targets(BTreeMap<String, i64>);

/// How many of a request's places are taken: none, some or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// No place is taken.
    None,
    /// Some places are taken, but not every target is met.
    Some,
    /// Every target is met, and at least one place is taken.
    All,
}

impl Targets {
    /// Reads targets from a JSON object such as `{"nursery": 5}`.
    ///
    /// # Errors
    /// `invalid_targets` unless the value is an object that maps roles to whole numbers within bounds;
    /// `invalid_role` for a malformed role.
    pub fn from_value(value: &Value) -> Result<Self, Problem> {
        let Some(object) = value.as_object() else {
            return Err(invalid("targets are not an object such as `{\"nursery\": 5}`"));
        };
        let mut targets = Self::default();
        for (role, wanted) in object {
            let wanted =
                wanted.as_i64().filter(|n| (0..=TARGET_MAX).contains(n)).ok_or_else(|| {
                    invalid(format!(
                        "the target of `{role}` is not a whole number from 0 to {TARGET_MAX}"
                    ))
                })?;
            targets.set(&checked_role(role)?, wanted)?;
        }
        Ok(targets)
    }

    /// Returns the targets as a JSON object such as `{"nursery": 5}`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.0
            .iter()
            .map(|(role, n)| (role.clone(), Value::from(*n)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }

    /// Returns the target of a role; 0 if the role has no entry.
    #[must_use]
    pub fn of(&self, role: &str) -> i64 {
        self.0.get(role).copied().unwrap_or(0)
    }

    /// Sets the target of a role.
    ///
    /// # Errors
    /// `invalid_targets` if there would be more than [`ROLES_MAX`] roles.
    pub fn set(&mut self, role: &str, wanted: i64) -> Result<(), Problem> {
        self.0.insert(role.to_owned(), wanted);
        if self.0.len() > ROLES_MAX {
            return Err(invalid(format!("a request has at most {ROLES_MAX} roles")));
        }
        Ok(())
    }

    /// Iterates over the roles and their targets, sorted by role.
    pub fn iter(&self) -> impl Iterator<Item = (&str, i64)> {
        self.0.iter().map(|(role, n)| (role.as_str(), *n))
    }

    /// Returns whether none, some or all of the places are taken. `accepted` contains, for each role,
    /// the number of people who have a place.
    #[must_use]
    pub fn fill(&self, accepted: &BTreeMap<String, i64>) -> Fill {
        if accepted.values().all(|n| *n == 0) {
            Fill::None
        } else if self.iter().all(|(role, n)| accepted.get(role).copied().unwrap_or(0) >= n) {
            Fill::All
        } else {
            Fill::Some
        }
    }

    /// Whether there is a role in which more people have a place than the role's target allows.
    #[must_use]
    pub fn exceeded(&self, accepted: &BTreeMap<String, i64>) -> bool {
        accepted.iter().any(|(role, n)| *n > self.of(role))
    }

    /// Whether every target is met or exceeded. True if there are no targets.
    #[must_use]
    pub fn satisfied(&self, accepted: &BTreeMap<String, i64>) -> bool {
        self.iter().all(|(role, n)| accepted.get(role).copied().unwrap_or(0) >= n)
    }
}

/// Returns a role's name in its stored form: lower case, with `_` for spaces and hyphens.
///
/// # Errors
/// `invalid_role` if the name is empty or too long, or contains characters other than letters, digits,
/// spaces, hyphens and `_`.
pub fn checked_role(text: &str) -> Result<String, Problem> {
    let role: String = text
        .trim()
        .to_lowercase()
        .chars()
        .map(|c| if c == ' ' || c == '-' { '_' } else { c })
        .collect();
    let fits = !role.is_empty() && role.chars().count() <= ROLE_CHARS_MAX;
    if fits && role.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Ok(role);
    }
    Err(Problem::caller(
        "invalid_role",
        format!("`{}` is not a valid role", text.chars().take(60).collect::<String>()),
    )
    .with_hint(format!("use a word such as `nursery`, with at most {ROLE_CHARS_MAX} characters")))
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem::caller("invalid_targets", message)
        .with_hint("give a whole number for each role, such as `{\"nursery\": 5}`")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fill_is_judged_by_every_role() {
        let cases = [
            (json!({"nursery": 2}), json!({}), Fill::None),
            (json!({"nursery": 2}), json!({"nursery": 1}), Fill::Some),
            (json!({"nursery": 2}), json!({"nursery": 2}), Fill::All),
            (json!({"nursery": 2, "children": 1}), json!({"nursery": 2}), Fill::Some),
            (json!({"nursery": 1, "children": 0}), json!({"nursery": 2}), Fill::All),
            (json!({}), json!({}), Fill::None),
            (json!({"nursery": 0}), json!({"nursery": 0}), Fill::None),
        ];
        for (targets, accepted, fill) in cases {
            let accepted = serde_json::from_value(accepted.clone()).expect("counts");
            let targets = Targets::from_value(&targets).expect("targets");
            assert_eq!(targets.fill(&accepted), fill, "{targets:?} {accepted:?}");
        }
    }

    #[test]
    fn a_request_has_so_many_roles_and_no_more() {
        let mut targets = Targets::default();
        for number in 0..ROLES_MAX {
            targets.set(&format!("role{number}"), 1).expect("within the limit");
        }
        targets.set("role0", 2).expect("an existing role adds none");
        let refused = targets.set("one_more", 1).expect_err("over the limit");
        assert_eq!(refused.code, "invalid_targets");
    }

    #[test]
    fn bad_targets_are_refused_with_the_role() {
        for bad in [
            json!([]),
            json!({"nursery": -1}),
            json!({"nursery": 1.5}),
            json!({"": 1}),
            json!({"a;b": 1}),
            json!({"nursery": "5"}),
            json!({"nursery": 10_001}),
        ] {
            assert!(Targets::from_value(&bad).is_err(), "{bad}");
        }
        let kept = Targets::from_value(&json!({"Kids Church": 3})).expect("targets");
        assert_eq!(kept.to_value(), json!({"kids_church": 3}));
    }
}
