//! Makes the checks that need the whole scenario: whether the scenario has
//! expectations, and whether it defines all people and runs that it names.

use std::collections::BTreeSet;
use std::ops::Range;

use super::directory::Directory;
use super::reader::{ScenarioReader, code, listed};
use super::{Condition, PersonRef, Scenario};

/// Reports names of people and runs that the scenario does not define.
/// Also reports a scenario without expectations. `root` is the byte range of the whole scenario.
pub(super) fn check(reader: &mut ScenarioReader<'_>, scenario: &Scenario, root: &Range<usize>) {
    let directory = Directory::of(&scenario.people);
    for who in scenario.steps.iter().flat_map(|step| step.action.people()) {
        person(reader, &directory, who);
    }
    for expectation in &scenario.expect {
        match &expectation.condition {
            Condition::Messages(condition) => {
                condition.to.iter().for_each(|who| person(reader, &directory, who))
            }
            Condition::Answers(condition) => {
                condition.to.iter().for_each(|who| person(reader, &directory, who))
            }
            Condition::Goals(condition) => person(reader, &directory, &condition.of),
            Condition::Holds { person: who, .. } => person(reader, &directory, who),
            _ => {}
        }
    }
    runs(reader, scenario);
    if scenario.expect.is_empty() {
        let hint = "add `expect:`, at least `- audit: clean`".to_owned();
        let message = "this scenario expects nothing and cannot fail";
        reader.warning(&first_line(root), code::EXPECTS_NOTHING, message, hint);
    }
}

/// Returns a range of one character, so that a finding about the whole file marks only its first line.
fn first_line(root: &Range<usize>) -> Range<usize> {
    root.start..root.start + 1
}

fn person(reader: &mut ScenarioReader<'_>, directory: &Directory, who: &PersonRef) {
    if directory.phone(&who.text).is_none() {
        let hint = directory.nearest(&who.text).map_or_else(
            || "use a name from `people`, `staff`, `A` to `L`, or a phone number".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        let message = format!("there is no person `{}`", who.text);
        reader.error_at(who.place, code::UNKNOWN_PERSON, message, hint);
    }
}

/// Reports each scenario step that names a run to which no earlier scenario step gave this name.
/// Also reports each expectation that names a run to which no scenario step gave this name.
fn runs(reader: &mut ScenarioReader<'_>, scenario: &Scenario) {
    let mut named: BTreeSet<&str> = BTreeSet::new();
    for step in &scenario.steps {
        if let Some(name) = step.action.uses_run().filter(|name| !named.contains(name)) {
            unknown_run(reader, step.place, name, &named);
        }
        named.extend(step.action.names_run());
    }
    for expectation in &scenario.expect {
        if let Some(name) = expectation.run.as_deref().filter(|name| !named.contains(name)) {
            unknown_run(reader, expectation.place, name, &named);
        }
    }
}

fn unknown_run(
    reader: &mut ScenarioReader<'_>,
    place: super::SourcePosition,
    name: &str,
    named: &BTreeSet<&str>,
) {
    let known: Vec<&str> = named.iter().copied().collect();
    let hint = if known.is_empty() {
        format!("name the run where it starts: `as: {name}`")
    } else {
        format!("use a run that was named before: {}", listed(&known))
    };
    reader.error_at(place, code::UNKNOWN_RUN, format!("there is no run `{name}`"), hint);
}
