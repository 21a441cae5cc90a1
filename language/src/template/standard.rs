//! Standard variables, which every template can use, although the method does not pass them.

use serde_json::{Map, Value};

/// Names of the variables that every template may use without declaring them.
///
/// `church` is the tenant's display name, `name` is the recipient's first name,
/// and `zone` is the IANA time zone in which instants are shown.
pub const STANDARD_VARIABLES: [&str; 3] = ["church", "name", "zone"];

/// The values of the standard variables for one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandardValues<'a> {
    /// Display name of the tenant that sends the message.
    pub church: &'a str,
    /// First name of the recipient.
    pub name: &'a str,
    /// IANA name of the time zone in which instants are shown to the recipient.
    pub zone: &'a str,
}

impl StandardValues<'_> {
    /// Merges the standard variables with `vars`; a member of `vars` overrides a standard variable.
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

    /// Returns example values for previews and tests.
    #[must_use]
    pub const fn example() -> StandardValues<'static> {
        StandardValues { church: "Grace Church", name: "Ana", zone: "America/Chicago" }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_passed_variable_wins_over_a_standard_one() {
        let data = StandardValues::example().with(&json!({"name": "Ben", "n": 3}));
        let zone = "America/Chicago";
        assert_eq!(data, json!({"church": "Grace Church", "name": "Ben", "zone": zone, "n": 3}));
        assert_eq!(StandardValues::example().with(&Value::Null)["name"], "Ana");
    }
}
