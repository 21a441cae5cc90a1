//! Checks the laws of scenarios: a YAML source either
//! becomes a scenario that can be played, or has an error.

use abide_engine::diagnostic::Diagnostic;
use abide_engine::yaml;
use abide_simulator::scenario;

use crate::places;

const FILE: &str = "story.yaml";

pub(crate) fn hold(bytes: &[u8]) {
    let Ok(text) = yaml::text_of(FILE, bytes) else { return };
    let (story, findings) = scenario::read(FILE, text);
    assert_eq!((&story, &findings), (&scenario::read(FILE, text).0, &scenario::read(FILE, text).1));
    let faulty = findings.iter().any(Diagnostic::is_error);
    assert_eq!(story.is_none(), faulty, "a story if and only if there is no error: {findings:?}");
    places::hold(text, &findings);
    let Some(story) = story else { return };
    for two in story.steps.windows(2) {
        assert!(two[0].at <= two[1].at, "steps are in order of time: {two:?}");
    }
    let lines = u32::try_from(text.split('\n').count()).unwrap_or(u32::MAX);
    let places = story.steps.iter().map(|step| step.place);
    for place in places.chain(story.expect.iter().map(|look| look.place)) {
        assert!((1..=lines).contains(&place.line) && place.col >= 1, "{place:?}");
    }
}
