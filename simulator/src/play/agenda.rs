//! What is done when: steps and the moments at which expectations are looked at, in one order.

use abide_engine::base::Span;

use crate::scenario::{Expectation, Scenario, Step};

/// One stop of a story.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Stop<'s> {
    /// Something happens.
    Step(&'s Step),
    /// Something must be true.
    Look(&'s Expectation),
}

/// The stops of a scenario by time: at one instant the steps first, in file order, then the looks.
/// Looks without a time come last of all.
pub(super) fn agenda(scenario: &Scenario) -> Vec<(Span, Stop<'_>)> {
    let last_step = scenario.steps.last().map_or(Span::ZERO, |step| step.at);
    let last_look = scenario.expect.iter().filter_map(|e| e.at).max().unwrap_or(Span::ZERO);
    let end = last_step.max(last_look);
    let steps = scenario.steps.iter().map(|step| (step.at, Stop::Step(step)));
    let timed = scenario.expect.iter().filter_map(|e| Some((e.at?, Stop::Look(e))));
    let mut stops: Vec<(Span, Stop<'_>)> = steps.chain(timed).collect();
    stops.sort_by_key(|(at, stop)| (*at, matches!(stop, Stop::Look(_))));
    let untimed = scenario.expect.iter().filter(|e| e.at.is_none());
    stops.extend(untimed.map(|e| (end, Stop::Look(e))));
    stops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_before_looks_and_the_end_after_everything() {
        let text = "scenario: s\nstart: 2025-09-30T10:00:00-05:00\nsteps:\n  - { at: +1h, pause: \
                    {} }\n  - resume: {}\n  - advance: 1h\nexpect:\n  - outcome: open\n  - { at: \
                    +1h, stuck: 0 }\n  - { at: +3h, audit: clean }\n";
        let (scenario, found) = crate::scenario::read("s", text);
        assert!(found.is_empty(), "{found:?}");
        let scenario = scenario.expect("a scenario");
        let told: Vec<String> = agenda(&scenario)
            .into_iter()
            .map(|(at, stop)| match stop {
                Stop::Step(step) => format!("{at} {}", step.action.verb()),
                Stop::Look(look) => format!("{at} line {}", look.place.line),
            })
            .collect();
        assert_eq!(
            told,
            ["1h pause", "1h resume", "1h line 9", "2h advance", "3h line 10", "3h line 8"]
        );
    }
}
