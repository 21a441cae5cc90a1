//! Lists what a simulation does, in order of time: it carries out scenario steps and checks expectations.

use abide_engine::base::Span;

use crate::scenario::{Expectation, Scenario, ScenarioStep};

/// One thing that the simulation does: it carries out a scenario step or checks an expectation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum AgendaItem<'s> {
    /// A scenario step to carry out.
    Step(&'s ScenarioStep),
    /// An expectation to check.
    Check(&'s Expectation),
}

/// Returns the agenda of a scenario, in order of time. At each instant the scenario
/// steps come first, in file order, then the checks. Checks without a time come last.
pub(super) fn agenda(scenario: &Scenario) -> Vec<(Span, AgendaItem<'_>)> {
    let last_step = scenario.steps.last().map_or(Span::ZERO, |step| step.at);
    let check_at_end = scenario.expect.iter().filter_map(|e| e.at).max().unwrap_or(Span::ZERO);
    let end = last_step.max(check_at_end);
    let steps = scenario.steps.iter().map(|step| (step.at, AgendaItem::Step(step)));
    let timed = scenario.expect.iter().filter_map(|e| Some((e.at?, AgendaItem::Check(e))));
    let mut items: Vec<(Span, AgendaItem<'_>)> = steps.chain(timed).collect();
    items.sort_by_key(|(at, item)| (*at, matches!(item, AgendaItem::Check(_))));
    let untimed = scenario.expect.iter().filter(|e| e.at.is_none());
    items.extend(untimed.map(|e| (end, AgendaItem::Check(e))));
    items
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
            .map(|(at, item)| match item {
                AgendaItem::Step(step) => format!("{at} {}", step.action.kind()),
                AgendaItem::Check(expectation) => format!("{at} line {}", expectation.place.line),
            })
            .collect();
        assert_eq!(
            told,
            ["1h pause", "1h resume", "1h line 9", "2h advance", "3h line 10", "3h line 8"]
        );
    }
}
