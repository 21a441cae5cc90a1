//! Writes the method of the run that keeps an order up or brings it about. The method holds the names of tools and of
//! their inputs, and no word of anybody: the values are the goal of the run.

use std::fmt::Write as _;

use abide_agent::obligations::ObligationType;
use abide_engine::base::Digest;
use serde_json::json;

use super::super::choose::Candidate;
use super::order::StandingOrder;
use super::times::{AHEAD_MAX, BINDS_MAX};

/// The signal that a call has touched the state.
pub(super) const TOUCHED: &str = "touched";
/// Maximum number of times that one look at a state acts. A state that then still does not hold is left until the next
/// look.
const ACTS_MAX: usize = 5;
/// Maximum number of rounds of a `repeat`. Two of them inside each other are more rounds than an order needs.
const ROUNDS_MAX: usize = 1000;
/// How many characters of a digest are part of the name of the method.
const DIGEST_CHARS: usize = 12;

/// Returns the text of the method of an order.
pub(super) fn method_of(order: &StandingOrder) -> String {
    let steps = steps(order);
    let digest = Digest::of(steps.as_bytes()).to_string();
    let digest: String = digest.chars().take(DIGEST_CHARS).collect();
    let longest = AHEAD_MAX + BINDS_MAX;
    format!(
        "method: standing_{digest}\n\
         description: Keeps up or brings about what somebody has ordered.\n\
         limits: {{ max_duration: {longest} }}\n\
         {steps}"
    )
}

fn steps(order: &StandingOrder) -> String {
    let mut text = "steps:\n".to_owned();
    if order.times.starts.is_some() {
        let wait = json!({ "until": "{{instant(goal.starts)}}", "at_most": AHEAD_MAX.to_string() });
        let _ = writeln!(text, "  - {{ id: later, await: {wait} }}");
    }
    match (&order.sense, &order.act) {
        (Some(sense), act) => text.push_str(&watched(order, sense, act.as_ref())),
        (None, Some(act)) if order.kind == ObligationType::Achieve => {
            text.push_str(&call("act", act, "  "));
        }
        (None, _) => {
            let wait =
                json!({ "until": "{{instant(goal.until)}}", "at_most": BINDS_MAX.to_string() });
            let _ = writeln!(text, "  - {{ id: until_over, await: {wait} }}");
        }
    }
    text
}

/// Returns the steps that look at a state again and again.
fn watched(order: &StandingOrder, sense: &Candidate, act: Option<&Candidate>) -> String {
    let is_achieve = order.kind == ObligationType::Achieve;
    let good =
        if order.kind == ObligationType::Avoid { "not sensed.holds" } else { "sensed.holds" };
    let bad = if order.kind == ObligationType::Avoid { "sensed.holds" } else { "not sensed.holds" };
    let over = match is_achieve {
        true => format!("{good} or now >= instant(goal.until)"),
        false => "now >= instant(goal.until)".to_owned(),
    };
    let success = if is_achieve { good } else { "looks > 0 and lost == 0" };
    let acting = act.map(acting).unwrap_or_default();
    let sensing = call("sense", sense, "                  ");
    let acts = if act.is_some() { ACTS_MAX + 1 } else { 1 };
    let pause = json!({
        "signal": TOUCHED,
        "until": "{{min(now + duration(goal.every), instant(goal.until))}}",
        "at_most": BINDS_MAX.to_string(),
        "out": TOUCHED,
    });
    let pause_when = if is_achieve { format!("when: {bad}, ") } else { String::new() };
    let looks = format!(
        "              - set: {{ sensed: null, refused: null, looks: \"{{{{looks + 1}}}}\" }}\n\
         \u{20}             - repeat:\n\
         \u{20}                 until: {good} or exists(refused)\n\
         \u{20}                 max: {acts}\n\
         \u{20}                 steps:\n\
         {acting}{sensing}\
         \u{20}             - {{ when: {bad}, set: {{ lost: \"{{{{lost + 1}}}}\" }} }}\n\
         \u{20}             - {{ id: pause, {pause_when}await: {pause} }}\n"
    );
    format!(
        "  - set: {{ looks: 0, lost: 0 }}\n\
         \u{20} - repeat:\n\
         \u{20}     until: {over}\n\
         \u{20}     max: {ROUNDS_MAX}\n\
         \u{20}     steps:\n\
         \u{20}       - repeat:\n\
         \u{20}           until: {over}\n\
         \u{20}           max: {ROUNDS_MAX}\n\
         \u{20}           steps:\n\
         {looks}\
         success_when: {success}\n"
    )
}

/// Returns the step that acts if the look before has found the state as it should not be.
fn acting(act: &Candidate) -> String {
    let indent = "                  ";
    let step = call("act", act, indent);
    format!(
        "{step}{indent}  when: exists(sensed)\n\
         {indent}  on_error: [ {{ set: {{ refused: \"{{{{error.code}}}}\" }} }} ]\n"
    )
}

/// Returns the step of a call, whose input is the member `step` of the goal.
fn call(step: &str, tool: &Candidate, indent: &str) -> String {
    let out = if step == "sense" { "sensed" } else { "acted" };
    let args: Vec<String> = tool
        .input
        .keys()
        .map(|name| {
            let from =
                format!("{{{{get(goal.{step}, {})}}}}", json!(name).to_string().replace('"', "'"));
            format!("{}: {}", json!(name), json!(from))
        })
        .collect();
    format!(
        "{indent}- id: {step}\n{indent}  call: {}\n{indent}  args: {{ {} }}\n{indent}  out: {out}\n",
        json!(tool.tool),
        args.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use abide_engine::base::{Span, Timestamp};
    use serde_json::{Map, Value};

    use super::super::times::OrderTimes;
    use super::*;

    fn tool(name: &str, input: Value) -> Option<Candidate> {
        let input = input.as_object().cloned().unwrap_or_default();
        Some(Candidate { tool: name.to_owned(), input, missing: Vec::new() })
    }

    fn order(kind: ObligationType) -> StandingOrder {
        let every = Span::from_secs(60);
        let until = Timestamp::from_micros(3_600_000_000);
        StandingOrder {
            kind,
            predicate: "ball.within_radius".to_owned(),
            args: Map::new(),
            times: OrderTimes { starts: None, until, every },
            sense: tool("ask.ball_sense", json!({ "ahead": "2m", "r": 0.1 })),
            act: tool("ask.ball_nudge", json!({})),
        }
    }

    /// The scenario that torture crashes at every commit plays the method that is generated here.
    const SCENARIO: &str =
        include_str!("../../../../simulator/scenarios/the-ball-in-its-place.yaml");

    #[test]
    fn the_scenario_plays_the_generated_method() {
        let method = method_of(&order(ObligationType::Maintain));
        let played: String = SCENARIO
            .lines()
            .skip_while(|line| !line.trim_start().starts_with("method:"))
            .take_while(|line| line.is_empty() || line.starts_with("        "))
            .map(|line| format!("{}\n", line.strip_prefix("        ").unwrap_or(line)))
            .collect();
        assert_eq!(played, method);
    }

    #[test]
    fn equal_orders_share_a_method_and_others_have_their_own() {
        let maintain = method_of(&order(ObligationType::Maintain));
        let avoid = method_of(&order(ObligationType::Avoid));
        assert_ne!(maintain, avoid);
        let mut later = order(ObligationType::Maintain);
        later.args.insert("r".to_owned(), json!(0.2));
        later.times.until = Timestamp::from_micros(7_200_000_000);
        assert_eq!(method_of(&later), maintain, "values are the goal of the run");
        later.times.starts = Some(Timestamp::from_micros(60_000_000));
        assert_ne!(method_of(&later), maintain);
    }
}
