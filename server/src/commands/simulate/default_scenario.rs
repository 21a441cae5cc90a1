//! The scenario for a method that is simulated by name: the demo church starts the method on a Tuesday
//! morning, and then time passes.

use abide_engine::base::{Span, Value};

/// Default goal: fill five nursery places in the service of a Sunday.
pub(super) const GOAL: &str =
    r#"{"kind": "FillRole", "role": "nursery", "count": 5, "time": "2025-10-05T09:00:00-05:00"}"#;

/// Returns the YAML source of the scenario.
pub(super) fn scenario(method: &str, goal: &Value, lasts: Span) -> String {
    let method = Value::from(method);
    format!(
        "scenario: {method}\n\
         start: 2025-09-30T10:00:00-05:00\n\
         seed: 1\n\
         people: {{ demo: church }}\n\
         steps:\n\
         \x20 - {{ at: +0s, start: {{ method: {method}, goal: {goal} }} }}\n\
         \x20 - advance: {lasts}\n\
         expect:\n\
         \x20 - audit: clean\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_goal_gives_a_valid_scenario() {
        let goals = [GOAL, r#"{"note": "a \"quote\", a #hash and: more\nlines"}"#];
        for goal in goals {
            let goal: Value = serde_json::from_str(goal).expect("JSON");
            let text = scenario("fill_roles", &goal, Span::from_secs(90_000));
            let (scenario, findings) = abide_simulator::scenario::read("default", &text);
            let scenario = scenario.unwrap_or_else(|| panic!("{findings:#?}\n{text}"));
            let abide_simulator::scenario::Action::Start(start) = &scenario.steps[0].action else {
                panic!("the first step is a start")
            };
            assert_eq!(start.goal, goal);
        }
    }
}
