//! How many people of each role a request wants, and what "filled" means.

use std::collections::BTreeMap;

use abide_engine::base::{Problem, Value};
use serde::{Deserialize, Serialize};

/// More places of one role than any service has; keeps counts and seats small integers.
pub const TARGET_MAX: i64 = 10_000;
/// Roles of one request.
pub const ROLES_MAX: usize = 64;
/// Characters of a role's name.
pub const ROLE_CHARS_MAX: usize = 40;

/// Wanted places by role. A role without an entry wants nobody.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Targets(BTreeMap<String, i64>);

/// How far the targets are met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Nobody has a place.
    Nobody,
    /// Some places are taken.
    Some,
    /// Every target is met, and at least one place is taken.
    All,
}

impl Targets {
    /// From `{"nursery": 5}`.
    ///
    /// # Errors
    /// `invalid_targets` for anything but an object of whole numbers within bounds, by role.
    pub fn from_value(value: &Value) -> Result<Self, Problem> {
        let Some(object) = value.as_object() else {
            return Err(invalid("targets must be an object such as `{\"nursery\": 5}`"));
        };
        let mut targets = Self::default();
        for (role, wanted) in object {
            let wanted =
                wanted.as_i64().filter(|n| (0..=TARGET_MAX).contains(n)).ok_or_else(|| {
                    invalid(format!(
                        "the target of `{role}` is not a number from 0 to {TARGET_MAX}"
                    ))
                })?;
            targets.set(&checked_role(role)?, wanted)?;
        }
        Ok(targets)
    }

    /// As `{"nursery": 5}`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.0
            .iter()
            .map(|(role, n)| (role.clone(), Value::from(*n)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }

    /// The wanted places of a role.
    #[must_use]
    pub fn of(&self, role: &str) -> i64 {
        self.0.get(role).copied().unwrap_or(0)
    }

    /// Wants `wanted` people of a role from now on.
    ///
    /// # Errors
    /// `invalid_targets` for one role too many.
    pub fn set(&mut self, role: &str, wanted: i64) -> Result<(), Problem> {
        self.0.insert(role.to_owned(), wanted);
        if self.0.len() > ROLES_MAX {
            return Err(invalid(format!("a request has at most {ROLES_MAX} roles")));
        }
        Ok(())
    }

    /// Roles and wanted places, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, i64)> {
        self.0.iter().map(|(role, n)| (role.as_str(), *n))
    }

    /// How far these targets are met by the accepted places of each role.
    #[must_use]
    pub fn fill(&self, accepted: &BTreeMap<String, i64>) -> Fill {
        if accepted.values().all(|n| *n == 0) {
            Fill::Nobody
        } else if self.iter().all(|(role, n)| accepted.get(role).copied().unwrap_or(0) >= n) {
            Fill::All
        } else {
            Fill::Some
        }
    }

    /// True where a role has more accepted places than are wanted.
    #[must_use]
    pub fn exceeded(&self, accepted: &BTreeMap<String, i64>) -> bool {
        accepted.iter().any(|(role, n)| *n > self.of(role))
    }

    /// True where every target is met exactly or more, also when nothing is wanted.
    #[must_use]
    pub fn satisfied(&self, accepted: &BTreeMap<String, i64>) -> bool {
        self.iter().all(|(role, n)| accepted.get(role).copied().unwrap_or(0) >= n)
    }
}

/// A role's name in its stored form: lower case, `_` for blanks and dashes.
///
/// # Errors
/// `invalid_role` for an empty or overlong name, or one with other signs than letters, digits, `_`.
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
        format!("`{}` is not a role", text.chars().take(60).collect::<String>()),
    )
    .with_hint(format!("a role is a word such as `nursery`, of up to {ROLE_CHARS_MAX} letters")))
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem::caller("invalid_targets", message)
        .with_hint("give whole numbers by role, such as `{\"nursery\": 5}`")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fill_is_judged_by_every_role() {
        let cases = [
            (json!({"nursery": 2}), json!({}), Fill::Nobody),
            (json!({"nursery": 2}), json!({"nursery": 1}), Fill::Some),
            (json!({"nursery": 2}), json!({"nursery": 2}), Fill::All),
            (json!({"nursery": 2, "children": 1}), json!({"nursery": 2}), Fill::Some),
            (json!({"nursery": 1, "children": 0}), json!({"nursery": 2}), Fill::All),
            (json!({}), json!({}), Fill::Nobody),
            (json!({"nursery": 0}), json!({"nursery": 0}), Fill::Nobody),
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
            targets.set(&format!("role{number}"), 1).expect("there is room");
        }
        targets.set("role0", 2).expect("it is there already");
        let refused = targets.set("one_more", 1).expect_err("what is stored must be readable");
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
