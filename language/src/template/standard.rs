//! Variables that every message has, so that no method need pass them.

use serde_json::{Map, Value};

/// Variables that every template may read without declaring them.
///
/// `church` is the tenant's display name, `name` the recipient's first name, `zone` the IANA time
/// zone in which instants are shown.
pub const STANDARD_VARIABLES: [&str; 3] = ["church", "name", "zone"];

/// Their values for one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standard<'a> {
    /// The tenant's display name: who writes.
    pub church: &'a str,
    /// The recipient's first name.
    pub name: &'a str,
    /// The IANA time zone in which the recipient reads instants.
    pub zone: &'a str,
}

impl Standard<'_> {
    /// The given variables and the standard ones; a variable that was passed wins.
    #[must_use]
    pub fn with(&self, vars: &Value) -> Value {
        let mut data = Map::new();
        for (name, value) in STANDARD_VARIABLES.into_iter().zip([self.church, self.name, self.zone])
        {
            data.insert(name.to_owned(), Value::from(value));
        }
        if let Some(vars) = vars.as_object() {
            data.extend(vars.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        Value::Object(data)
    }

    /// What previews and tests use.
    #[must_use]
    pub const fn example() -> Standard<'static> {
        Standard { church: "Grace Church", name: "Ana", zone: "America/Chicago" }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_passed_variable_wins_over_a_standard_one() {
        let data = Standard::example().with(&json!({"name": "Ben", "n": 3}));
        let zone = "America/Chicago";
        assert_eq!(data, json!({"church": "Grace Church", "name": "Ben", "zone": zone, "n": 3}));
        assert_eq!(Standard::example().with(&Value::Null)["name"], "Ana");
    }
}
